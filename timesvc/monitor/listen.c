#define _GNU_SOURCE 1	/* SOCK_CLOEXEC */
#include "listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TRIES 5
#define TRY_US 100000

static socklen_t make_address(struct sockaddr_storage *to, const char *text, int port)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port) };

	memset(to, 0, sizeof(*to));
	if (inet_pton(AF_INET, text, &v4.sin_addr) == 1) {
		memcpy(to, &v4, sizeof(v4));
		return sizeof(v4);
	}
	inet_pton(AF_INET6, text, &v6.sin6_addr);
	memcpy(to, &v6, sizeof(v6));
	return sizeof(v6);
}

static int try_once(const char *address, int port)
{
	struct sockaddr_storage to;
	socklen_t len = make_address(&to, address, port);
	int fd = socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1, rc = 0;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&to, len) || listen(fd, 1))
		rc = -errno;
	close(fd);
	return rc;
}

int listen_check(const char *address, int port, struct err *e)
{
	int rc = try_once(address, port);

	for (int i = 0; i < TRIES && rc == -EADDRINUSE; i++) {
		usleep(TRY_US);
		rc = try_once(address, port);
	}
	if (!rc)
		return 0;
	return err_set(e, rc, "cannot listen on %s port %d: %s; set the key 'http_port' or 'http_address'",
		address, port, strerror(-rc));
}
