#include "get.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "nstime.h"
#include "num.h"

#define REPLY_MAX	((size_t)16 * 1024 * 1024)
#define CHUNK		((size_t)64 * 1024)

static int bad_url(const char *text, struct err *e)
{
	return err_set(e, -EINVAL, "'%s' is no URL (allowed: http://ADDRESS[:PORT])", text);
}

/* Copies the host out of "HOST[:PORT]" or "[HOST][:PORT]"; returns what follows, NULL for none. */
static const char *split_host(const char *authority, struct url *u)
{
	int bracket = authority[0] == '[';
	const char *host = authority + bracket, *end = strchr(host, bracket ? ']' : ':');
	size_t len;

	if (!end && bracket)
		return NULL;
	len = end ? (size_t)(end - host) : strlen(host);
	if (len == 0 || len >= sizeof(u->host))
		return NULL;
	memcpy(u->host, host, len);
	u->host[len] = '\0';
	return host + len + bracket;
}

int url_parse(const char *text, struct url *u, struct err *e)
{
	char authority[96];
	const char *port;
	int64_t number = 80;
	size_t len;

	if (strncmp(text, "http://", 7))
		return bad_url(text, e);
	len = strcspn(text + 7, "/");
	if (len >= sizeof(authority) || strlen(text + 7 + len) > 1)
		return bad_url(text, e);
	memcpy(authority, text + 7, len);
	authority[len] = '\0';
	port = split_host(authority, u);
	if (!port || (*port != '\0' && *port != ':'))
		return bad_url(text, e);
	if (*port == ':' && num_parse_i64(port + 1, 1, 65535, &number, NULL) < 0)
		return bad_url(text, e);
	snprintf(u->port, sizeof(u->port), "%d", (int)number);
	return 0;
}

static int await(int fd, short events, int64_t deadline_ns)
{
	struct pollfd p = { .fd = fd, .events = events };
	int64_t left = nstime_sub(deadline_ns, nstime_mono());
	int n;

	if (left <= 0)
		return -ETIMEDOUT;
	n = poll(&p, 1, (int)((left + NS_PER_MS - 1) / NS_PER_MS));
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	return n ? 0 : -ETIMEDOUT;
}

static int finish_connect(int fd, int64_t deadline_ns)
{
	int error = 0, rc = await(fd, POLLOUT, deadline_ns);
	socklen_t len = sizeof(error);

	if (rc < 0)
		return rc;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		return -errno;
	return -error;
}

/* A connected socket, or -errno. */
static int dial(const struct url *u, int64_t deadline_ns)
{
	const struct addrinfo hints = {
		.ai_flags = AI_NUMERICSERV, .ai_socktype = SOCK_STREAM,
	};
	struct addrinfo *ai;
	int fd, rc = 0;

	if (getaddrinfo(u->host, u->port, &hints, &ai))
		return -EADDRNOTAVAIL;
	fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		rc = -errno;
	else if (connect(fd, ai->ai_addr, ai->ai_addrlen) < 0)
		rc = errno == EINPROGRESS ? finish_connect(fd, deadline_ns) : -errno;
	freeaddrinfo(ai);
	if (rc < 0 && fd >= 0)
		close(fd);
	return rc < 0 ? rc : fd;
}

static int send_request(int fd, const struct url *u, const char *path)
{
	char request[256];
	int len = snprintf(request, sizeof(request), "GET %s HTTP/1.0\r\nHost: %s\r\n\r\n", path,
		u->host);

	/* It fits into an empty socket buffer. */
	return send(fd, request, (size_t)len, MSG_NOSIGNAL) == len ? 0 : -EIO;
}

struct buffer { char *data; size_t size, len; };

static int make_room(struct buffer *b)
{
	char *more;

	if (b->size - b->len >= 2)
		return 0;
	if (b->size + CHUNK > REPLY_MAX)
		return -EFBIG;
	more = realloc(b->data, b->size + CHUNK);
	if (!more)
		return -ENOMEM;
	b->data = more;
	b->size += CHUNK;
	return 0;
}

/* 1: something came, or may come; 0: the server closed. */
static int read_some(int fd, int64_t deadline_ns, struct buffer *b)
{
	int rc = make_room(b);
	ssize_t n;

	if (rc < 0)
		return rc;
	n = recv(fd, b->data + b->len, b->size - b->len - 1, 0);
	if (n > 0)
		b->len += (size_t)n;
	if (n >= 0)
		return n > 0;
	if (errno != EAGAIN && errno != EINTR)
		return -errno;
	rc = await(fd, POLLIN, deadline_ns);
	return rc < 0 ? rc : 1;
}

/* All that comes until the server closes. */
static int read_reply(int fd, int64_t deadline_ns, struct buffer *b)
{
	int rc;

	do
		rc = read_some(fd, deadline_ns, b);
	while (rc > 0);
	return rc;
}

static int exchange(const struct url *u, const char *path, int64_t timeout_ns, struct buffer *reply)
{
	int64_t deadline_ns = nstime_add(nstime_mono(), timeout_ns);
	int fd = dial(u, deadline_ns), rc;

	if (fd < 0)
		return fd;
	rc = send_request(fd, u, path);
	if (rc >= 0)
		rc = read_reply(fd, deadline_ns, reply);
	close(fd);
	return rc;
}

int http_get(const struct url *u, const char *path, int64_t timeout_ns, char **body, size_t *len,
	struct err *e)
{
	struct buffer reply = { NULL, 0, 0 };
	const char *at;
	int status = 0, rc = exchange(u, path, timeout_ns, &reply);

	if (rc < 0) {
		err_set(e, rc, "no timesvcd at http://%s:%s: %s", u->host, u->port, strerror(-rc));
		goto fail;
	}
	rc = http_reply_parse(reply.data, reply.len, &status, &at, len);
	if (rc >= 0 && status != 200)
		rc = -ENOENT;
	if (rc < 0) {
		err_set(e, rc, "http://%s:%s is no timesvcd: it answered %s", u->host, u->port,
			rc == -ENOENT ? "with an error" : "what is no HTTP");
		goto fail;
	}
	memmove(reply.data, at, *len);
	reply.data[*len] = '\0';
	*body = reply.data;
	return 0;
fail:
	free(reply.data);
	return rc;
}
