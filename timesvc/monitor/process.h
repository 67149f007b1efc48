/* process.h: one process that may or may not be our child: is it there, is it the same, signals.
 *
 * A process is known by its pid and its start time, so a pid that was used again is never
 * taken for it. A pidfd, where the kernel has them, makes signals as sure. */
#ifndef TIMESVC_PROCESS_H
#define TIMESVC_PROCESS_H

#include <stdint.h>

struct process {
	int pid;		/* 0: none */
	int pidfd;		/* -1: the kernel has none */
	uint64_t start;		/* clock ticks since boot */
};

/* Looks at a process that lives. -ESRCH. */
int process_open(struct process *p, int pid);
void process_close(struct process *p);
/* 1 while it lives. When it is gone: 0, *status its wait status, or -1 when it was no child of ours. */
int process_alive(const struct process *p, int *status);
int process_signal(const struct process *p, int signo);
/* 1 when its command line is exactly argv. */
int process_runs(const struct process *p, char *const argv[]);
/* Start time of any pid; -ESRCH. */
int process_start_time(int pid, uint64_t *start);

#endif
