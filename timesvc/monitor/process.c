#define _GNU_SOURCE 1	/* syscall() */
#include "process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "io.h"

/* Field 22 of /proc/PID/stat; the second one, the name, may itself hold blanks and brackets. One that
 * has ended and waits for its parent (Z) is gone. */
int process_start_time(int pid, uint64_t *start)
{
	char path[32], *text, *p;
	size_t len;
	unsigned long long value;
	int fields = 0, rc = -ESRCH;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (io_read_file(path, 4096, &text, &len, NULL))
		return -ESRCH;
	p = strrchr(text, ')');
	if (p && !strncmp(p, ") Z", 3))
		p = NULL;
	while (p && fields < 20) {
		p = strchr(p + 1, ' ');
		fields++;
	}
	if (p && sscanf(p, " %llu", &value) == 1) {
		*start = value;
		rc = 0;
	}
	free(text);
	return rc;
}

int process_open(struct process *p, int pid)
{
	p->pid = pid;
	p->pidfd = -1;
#ifdef SYS_pidfd_open
	p->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
#endif
	if (process_start_time(pid, &p->start)) {
		process_close(p);
		return -ESRCH;
	}
	return 0;
}

void process_close(struct process *p)
{
	if (p->pidfd >= 0)
		close(p->pidfd);
	p->pidfd = -1;
	p->pid = 0;
}

int process_alive(const struct process *p, int *status)
{
	uint64_t start;
	pid_t rc = waitpid(p->pid, status, WNOHANG);

	if (rc == 0)
		return 1;
	if (rc == p->pid)
		return 0;
	*status = -1;
	if (p->pidfd >= 0)
		return poll(&(struct pollfd){ .fd = p->pidfd, .events = POLLIN }, 1, 0) == 0;
	return !process_start_time(p->pid, &start) && start == p->start;
}

int process_signal(const struct process *p, int signo)
{
	uint64_t start;

#ifdef SYS_pidfd_send_signal
	if (p->pidfd >= 0)
		return syscall(SYS_pidfd_send_signal, p->pidfd, signo, NULL, 0) ? -errno : 0;
#endif
	if (process_start_time(p->pid, &start) || start != p->start)
		return -ESRCH;
	return kill(p->pid, signo) ? -errno : 0;
}

int process_runs(const struct process *p, char *const argv[])
{
	char path[32], *text;
	size_t len, at = 0;
	int same = 1;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", p->pid);
	if (io_read_file(path, 65536, &text, &len, NULL))
		return 0;
	for (int i = 0; argv[i] && same; i++) {
		size_t n = strlen(argv[i]) + 1;

		same = at + n <= len && !memcmp(text + at, argv[i], n);
		at += n;
	}
	free(text);
	return same && at == len;
}
