/* detach.h: into the background, once it is known that all is well. */
#ifndef TIMESVC_DETACH_H
#define TIMESVC_DETACH_H

#include "err.h"

/* Forks. In the parent: waits for the child to be ready and returns 1, or -EIO when it never was.
 * In the child: 0, in a session of its own; *ready goes to detach_ready(). */
int detach(int *ready, struct err *e);
/* Lets the parent go, and the terminal. */
void detach_ready(int ready);

#endif
