#define _GNU_SOURCE 1	/* pipe2() */
#include "detach.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "io.h"

int detach(int *ready, struct err *e)
{
	int ends[2];
	char byte;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return err_set(e, -errno, "cannot make a pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0) {
		int rc = -errno;

		close(ends[0]);
		close(ends[1]);
		return err_set(e, rc, "cannot fork: %s", strerror(-rc));
	}
	if (!pid) {
		close(ends[0]);
		*ready = ends[1];
		setsid();
		return 0;
	}
	close(ends[1]);
	if (!io_read_full(ends[0], &byte, 1))
		return 1;
	return err_set(e, -EIO, "did not start; the system log says why");
}

void detach_ready(int ready)
{
	char byte = 1;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
	if (null > 2)
		close(null);
	(void)!chdir("/");
	io_write_full(ready, &byte, 1);
	close(ready);
}
