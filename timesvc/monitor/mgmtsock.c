#define _GNU_SOURCE 1	/* SOCK_CLOEXEC */
#include "mgmtsock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "confgen.h"

static int make_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

static int make_address(struct sockaddr_un *addr, const char *path)
{
	size_t len = strlen(path);

	if (len >= sizeof(addr->sun_path))
		return -ENAMETOOLONG;
	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	memcpy(addr->sun_path, path, len);
	return 0;
}

static int connect_to(int fd, const char *path)
{
	struct sockaddr_un addr;
	int rc = make_address(&addr, path);

	if (rc)
		return rc;
	return connect(fd, (struct sockaddr *)&addr, sizeof(addr)) ? -errno : 0;
}

static int bind_to(int fd, const char *path)
{
	struct sockaddr_un addr;
	mode_t mask;
	int rc = make_address(&addr, path);

	if (rc)
		return rc;
	unlink(path);
	mask = umask(0177);
	rc = bind(fd, (struct sockaddr *)&addr, sizeof(addr)) ? -errno : 0;
	umask(mask);
	return rc;
}

static int connect_clock(int fd, const struct settings *s, int clock)
{
	const struct clock_settings *c = &s->clocks[clock];
	char ro[PATH_SIZE + NAME_SIZE + 16];

	if (c->mode == MODE_ADOPT)
		snprintf(ro, sizeof(ro), "%sro", c->ptp4l_socket);
	else
		confgen_ro_socket_path(s, clock, ro, sizeof(ro));
	if (!connect_to(fd, ro))
		return 0;
	return connect_to(fd, c->ptp4l_socket);
}

int mgmtsock_open(const struct settings *s, int clock, struct err *e)
{
	char path[PATH_SIZE + NAME_SIZE + 16];
	int fd = make_socket(), rc;

	if (fd < 0)
		return err_set(e, fd, "cannot make a socket: %s", strerror(-fd));
	confgen_mgmt_path(s, clock, path, sizeof(path));
	rc = bind_to(fd, path);
	if (rc) {
		err_set(e, rc, "cannot bind %s: %s", path, strerror(-rc));
		goto fail;
	}
	rc = connect_clock(fd, s, clock);
	if (rc) {
		err_set(e, rc, "no ptp4l at %s: %s", s->clocks[clock].ptp4l_socket, strerror(-rc));
		goto fail_bound;
	}
	/* A ptp4l of others may run as another user. Only its socket can reach a connected one. */
	if (s->clocks[clock].mode == MODE_ADOPT)
		chmod(path, 0666);
	return fd;
fail_bound:
	unlink(path);
fail:
	close(fd);
	return rc;
}

int mgmtsock_answered(const char *path)
{
	int fd = make_socket(), rc;

	if (fd < 0)
		return 0;
	rc = connect_to(fd, path);
	close(fd);
	return rc == 0;
}
