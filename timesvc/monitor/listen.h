/* listen.h: can the front have its HTTP port? */
#ifndef TIMESVC_LISTEN_H
#define TIMESVC_LISTEN_H

#include "err.h"

/* -EADDRINUSE, -EADDRNOTAVAIL, … A port that is just being given up is waited for, up to 0.5 s. */
int listen_check(const char *address, int port, struct err *e);

#endif
