/* mgmtsock.h: the descriptor over which the engine asks ptp4l. */
#ifndef TIMESVC_MGMTSOCK_H
#define TIMESVC_MGMTSOCK_H

#include "../settings.h"
#include "err.h"

/* A non-blocking datagram socket bound in run_dir and connected to the clock's ptp4l, to its
 * read-only socket where there is one. -errno when nobody listens. */
int mgmtsock_open(const struct settings *s, int clock, struct err *e);
/* 1 when a living process has a socket bound at path. */
int mgmtsock_answered(const char *path);

#endif
