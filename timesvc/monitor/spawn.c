#define _GNU_SOURCE 1	/* pipe2(), syscall() */
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "io.h"

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC 4
#endif

static void reset_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int signo = 1; signo < NSIG; signo++)
		signal(signo, SIG_DFL);
}

/* Every descriptor of ours is close-on-exec anyway; this is for those of libraries. */
static void close_others(void)
{
#ifdef SYS_close_range
	syscall(SYS_close_range, SPAWN_FIRST_FD, ~0U, CLOSE_RANGE_CLOEXEC);
#endif
}

/* Out of the way of the target numbers first, then into place, where dup2() clears close-on-exec. */
static int place_fds(const struct spawn *s, int *report)
{
	int high[SPAWN_FDS];

	*report = fcntl(*report, F_DUPFD_CLOEXEC, SPAWN_FIRST_FD + SPAWN_FDS);
	for (int i = 0; i < SPAWN_FDS; i++) {
		high[i] = s->fds[i] < 0 ? -1 :
			fcntl(s->fds[i], F_DUPFD_CLOEXEC, SPAWN_FIRST_FD + SPAWN_FDS);
		if (s->fds[i] >= 0 && high[i] < 0)
			return -errno;
	}
	close_others();
	for (int i = 0; i < SPAWN_FDS; i++)
		if (high[i] >= 0 && dup2(high[i], SPAWN_FIRST_FD + i) < 0)
			return -errno;
	return 0;
}

static int redirect(const struct spawn *s)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0)
		return -errno;
	if (s->out >= 0 && (dup2(s->out, STDOUT_FILENO) < 0 || dup2(s->out, STDERR_FILENO) < 0))
		return -errno;
	return 0;
}

/* Returns only when it failed. */
static int become(const struct spawn *s, int *report)
{
	int rc;

	setpgid(0, 0);
	reset_signals();
	if (s->dies_with_us)
		prctl(PR_SET_PDEATHSIG, SIGTERM);
	rc = redirect(s);
	if (!rc)
		rc = place_fds(s, report);
	if (rc)
		return rc;
	execv(s->path ? s->path : s->argv[0], s->argv);
	return -errno;
}

int spawn_start(const struct spawn *s, struct err *e)
{
	int report[2], rc = 0;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC))
		return err_set(e, -errno, "cannot make a pipe: %s", strerror(errno));
	pid = fork();
	if (pid == 0) {
		rc = become(s, &report[1]);
		io_write_full(report[1], &rc, sizeof(rc));
		_exit(127);
	}
	close(report[1]);
	if (pid < 0)
		rc = -errno;
	else if (io_read_full(report[0], &rc, sizeof(rc)))
		rc = 0;		/* closed by the exec */
	close(report[0]);
	if (!rc)
		return pid;
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return err_set(e, rc, "cannot run %s: %s", s->argv[0], strerror(-rc));
}

static size_t collect(int fd, char *buf, size_t size, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	size_t used = 0;

	while (used + 1 < size && poll(&p, 1, timeout_ms) > 0) {
		ssize_t n = read(fd, buf + used, size - 1 - used);

		if (n <= 0)
			break;
		used += (size_t)n;
	}
	buf[used] = '\0';
	return used;
}

int spawn_output(char *const argv[], char *buf, size_t size, int timeout_ms)
{
	struct spawn s = { .argv = argv, .fds = { -1, -1, -1 } };
	int out[2], pid;

	if (pipe2(out, O_CLOEXEC))
		return -errno;
	s.out = out[1];
	pid = spawn_start(&s, NULL);
	close(out[1]);
	if (pid > 0) {
		collect(out[0], buf, size, timeout_ms);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	close(out[0]);
	return pid < 0 ? pid : 0;
}
