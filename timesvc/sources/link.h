/* link.h: which of the named interfaces are up, kept current by the kernel's own notices
 * (rtnetlink, RTNLGRP_LINK). Needs no privilege. Thread rule: one thread. */
#ifndef TIMESVC_LINK_H
#define TIMESVC_LINK_H

#include <stddef.h>
#include "err.h"

struct link_watch;

/* Asks the kernel once and waits for its answer; never blocks afterwards. The names are
 * copied. NULL with *e filled. */
struct link_watch *link_new(const char *const *ifnames, size_t n, struct err *e);
void link_free(struct link_watch *l);

int link_fd(const struct link_watch *l);

/* Takes in all notices that have arrived. 1 when an answer of link_up() has changed or another interface
 * has the name, 0, or
 * -errno when the socket no longer works. Notices lost to a full queue are made good by asking again. */
int link_receive(struct link_watch *l);

/* 1 up and running, 0 down or without carrier, -ENODEV no interface of that name (gone,
 * renamed, not there yet). */
int link_up(const struct link_watch *l, size_t i);

#endif
