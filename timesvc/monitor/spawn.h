/* spawn.h: fork and exec, with nothing inherited but what is named. */
#ifndef TIMESVC_SPAWN_H
#define TIMESVC_SPAWN_H

#include <stddef.h>
#include "err.h"

#define SPAWN_FIRST_FD 3
#define SPAWN_FDS 3

struct spawn {
	const char *path;	/* NULL: argv[0] */
	char *const *argv;
	int out;		/* stdout and stderr, -1: as ours */
	int fds[SPAWN_FDS];	/* become 3, 4, 5; -1: closed there */
	int dies_with_us;	/* SIGTERM when this process ends in whatever way */
};

/* In a process group of its own, stdin from /dev/null, signals at their defaults. Waits for the exec:
 * a program that cannot be run is an error here. Returns the pid or -errno. */
int spawn_start(const struct spawn *s, struct err *e);
/* Runs argv for at most timeout_ms and keeps the first size-1 bytes of its output. 0 or -errno. */
int spawn_output(char *const argv[], char *buf, size_t size, int timeout_ms);

#endif
