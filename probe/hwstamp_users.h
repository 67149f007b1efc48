/* hwstamp_users.h: whether a ptp4l uses an interface, looked for among the processes.
 *
 * One of the same network namespace counts when the interface stands on its command line or as a section
 * in a file named there, and when such a file cannot be read. */
#ifndef PROBE_HWSTAMP_USERS_H
#define PROBE_HWSTAMP_USERS_H

#include <stddef.h>
#include <sys/types.h>
#include "err.h"

struct hwstamp_users;
/* `proc`: "/proc". */
int hwstamp_users_open(struct hwstamp_users **users, const char *proc, const char *ifname, struct err *e);
void hwstamp_users_close(struct hwstamp_users *u);	/* NULL is allowed */
/* Looks at one more process: its number when it is one, 0 when not, -ENOENT once after the last, then it
 * begins anew. A few microseconds; allocates nothing. */
pid_t hwstamp_users_next(struct hwstamp_users *u);
/* Looks at all: the first that is one, or 0. */
pid_t hwstamp_users_find(struct hwstamp_users *u);

/* A section of that name in ptp4l's configuration; pure. */
int hwstamp_users_section(const char *text, const char *ifname);

#endif
