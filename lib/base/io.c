#define _GNU_SOURCE 1	/* memfd_create(), mkostemp() */
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

int io_read_full(int fd, void *buf, size_t len)
{
	char *p = buf;

	while (len > 0) {
		ssize_t n = read(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EPIPE;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int io_write_full(int fd, const void *buf, size_t len)
{
	const char *p = buf;

	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Reads to the end or until `limit` bytes are there; *buf grows and holds limit + 1. */
static int read_up_to(int fd, size_t limit, char **buf, size_t *len)
{
	size_t room = 0;

	*buf = NULL;
	*len = 0;
	while (*len < limit) {
		if (*len == room) {
			room = room ? room * 2 : 4096;
			if (room > limit)
				room = limit;
			char *bigger = realloc(*buf, room + 1);

			if (!bigger)
				return -ENOMEM;
			*buf = bigger;
		}
		ssize_t n = read(fd, *buf + *len, room - *len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		*len += (size_t)n;
	}
	(*buf)[*len] = '\0';
	return 0;
}

int io_read_fd(int fd, size_t max, char **text, size_t *len, struct err *e)
{
	char *buf;
	size_t used;
	int rc = read_up_to(fd, max < SIZE_MAX ? max + 1 : max, &buf, &used);

	if (rc)
		err_set(e, rc, "cannot read: %s", strerror(-rc));
	else if (used > max)
		rc = err_set(e, -EFBIG, "larger than %zu bytes", max);
	if (rc) {
		free(buf);
		return rc;
	}
	*text = buf;
	*len = used;
	return 0;
}

int io_read_file(const char *path, size_t max, char **text, size_t *len, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc;

	if (fd < 0) {
		rc = -errno;
		return err_set(e, rc, "cannot open %s: %s", path, strerror(-rc));
	}
	rc = io_read_fd(fd, max, text, len, e);
	if (rc)
		err_prefix(e, "%s", path);
	close(fd);
	return rc;
}

static int write_and_sync(int fd, const void *data, size_t len, mode_t mode)
{
	int rc = io_write_full(fd, data, len);

	if (rc)
		return rc;
	if (fchmod(fd, mode) || fsync(fd))
		return -errno;
	return 0;
}

int io_write_file(const char *path, const void *data, size_t len, mode_t mode, struct err *e)
{
	char beside[PATH_MAX];
	int n = snprintf(beside, sizeof(beside), "%s.XXXXXX", path);
	int fd, rc;

	if (n < 0 || (size_t)n >= sizeof(beside))
		return err_set(e, -ENAMETOOLONG, "cannot write %s: the name is too long", path);
	fd = mkostemp(beside, O_CLOEXEC);
	if (fd < 0) {
		rc = -errno;
		return err_set(e, rc, "cannot create a file beside %s: %s", path, strerror(-rc));
	}
	rc = write_and_sync(fd, data, len, mode);
	if (close(fd) && !rc)
		rc = -errno;
	if (!rc && rename(beside, path))
		rc = -errno;
	if (!rc)
		return 0;
	unlink(beside);
	return err_set(e, rc, "cannot write %s: %s", path, strerror(-rc));
}

/* Room for exactly one descriptor: CMSG_SPACE() would let a second one slip in. */
union fd_control {
	struct cmsghdr header;
	char room[CMSG_LEN(sizeof(int))];
};

int io_send_fd(int sock, const void *msg, size_t len, int fd)
{
	union fd_control control = { 0 };
	struct iovec iov = { .iov_base = (void *)msg, .iov_len = len };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (fd >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof(control.room);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	}
	do {
		n = sendmsg(sock, &m, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EMSGSIZE;
}

static int received_fd(struct msghdr *m)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	int fd = -1;

	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

ssize_t io_recv_fd(int sock, void *msg, size_t size, int *fd)
{
	union fd_control control;
	struct iovec iov = { .iov_base = msg, .iov_len = size };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
			    .msg_control = &control, .msg_controllen = sizeof(control.room) };
	ssize_t n;

	*fd = -1;
	do {
		n = recvmsg(sock, &m, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	*fd = received_fd(&m);
	if (!(m.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
		return n;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return -EMSGSIZE;
}

int io_memfd(const char *name, const void *data, size_t len)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int rc;

	if (fd < 0)
		return -errno;
	rc = io_write_full(fd, data, len);
	if (!rc && (lseek(fd, 0, SEEK_SET) < 0 ||
		    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)))
		rc = -errno;
	if (!rc)
		return fd;
	close(fd);
	return rc;
}
