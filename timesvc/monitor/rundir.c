#define _GNU_SOURCE 1	/* flock() */
#include "rundir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "io.h"

static int make_dir(const char *path)
{
	char part[512];
	mode_t mask = umask(022);
	int rc = 0;

	snprintf(part, sizeof(part), "%s", path);
	for (char *p = strchr(part + 1, '/'); p && !rc; p = strchr(p + 1, '/')) {
		*p = '\0';
		rc = mkdir(part, 0755) && errno != EEXIST ? -errno : 0;
		*p = '/';
	}
	if (!rc && mkdir(part, 0755) && errno != EEXIST)
		rc = -errno;
	umask(mask);
	return rc;
}

static int busy(int fd, const char *run_dir, struct err *e)
{
	char pid[16] = "";
	ssize_t n = pread(fd, pid, sizeof(pid) - 1, 0);

	pid[n > 0 ? strcspn(pid, "\n") : 0] = '\0';
	close(fd);
	return err_set(e, -EWOULDBLOCK, "another timesvcd%s%s%s already uses %s",
		*pid ? ", pid " : "", pid, *pid ? "," : "", run_dir);
}

int rundir_lock(const char *run_dir, struct err *e)
{
	char path[512];
	int rc = make_dir(run_dir), fd;

	if (rc)
		return err_set(e, rc, "cannot make the directory %s: %s", run_dir, strerror(-rc));
	snprintf(path, sizeof(path), "%s/timesvcd.pid", run_dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return err_set(e, -errno, "cannot open %s: %s", path, strerror(errno));
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	if (errno == EWOULDBLOCK)
		return busy(fd, run_dir, e);
	rc = -errno;
	close(fd);
	return err_set(e, rc, "cannot lock %s: %s", path, strerror(-rc));
}

int rundir_write_pid(int lock, int pid)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d\n", pid);

	if (ftruncate(lock, 0) || pwrite(lock, text, (size_t)len, 0) != len)
		return -EIO;
	return 0;
}

/* Not unlinked: a second daemon may have it open by now and would hold a lock on nothing. */
void rundir_release(int lock)
{
	(void)!ftruncate(lock, 0);
	close(lock);
}
