#include "http.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "log.h"
#include "nstime.h"

#define CONNECTIONS_MAX	16u
#define CONNECTION_MEMORY ((size_t)16 * 1024)
#define IDLE_TIMEOUT_S	3u

struct http {
	struct MHD_Daemon *daemon;
	struct loop_event *readable, *timer;
	const struct http_page *pages;
	void *arg;
};

static enum MHD_Result answer(struct MHD_Connection *c, unsigned status, const char *type,
	char *body, size_t len, enum MHD_ResponseMemoryMode mode)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(len, body, mode);
	enum MHD_Result rc;

	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	MHD_add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	rc = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return rc;
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned status, const char *sentence)
{
	char text[80];
	int n = snprintf(text, sizeof(text), "%s\n", sentence);

	return answer(c, status, "text/plain; charset=utf-8", text, (size_t)n,
		MHD_RESPMEM_MUST_COPY);
}

static enum MHD_Result serve(struct http *h, struct MHD_Connection *c, const struct http_page *page)
{
	unsigned status = MHD_HTTP_OK;
	size_t len = 0;
	char *body = page->make(h->arg, &len, &status);

	if (!body)
		return refuse(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory");
	return answer(c, status, page->type, body, len, MHD_RESPMEM_MUST_FREE);
}

static enum MHD_Result handle(void *arg, struct MHD_Connection *c, const char *url,
	const char *method, const char *version, const char *upload, size_t *upload_size,
	void **state)
{
	struct http *h = arg;

	(void)version;
	(void)upload;
	(void)upload_size;
	(void)state;
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD are served here");
	for (const struct http_page *p = h->pages; p->path; p++)
		if (!strcmp(url, p->path))
			return serve(h, c, p);
	return refuse(c, MHD_HTTP_NOT_FOUND, "no such page");
}

static int full(struct http *h)
{
	const union MHD_DaemonInfo *info =
		MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);

	return info && info->num_connections >= CONNECTIONS_MAX;
}

static void run(struct http *h)
{
	MHD_UNSIGNED_LONG_LONG wait_ms;
	int was_full = full(h);

	MHD_run(h->daemon);
	/* A full server does not listen, and sees only when it is run that it may listen again. */
	if (was_full && !full(h))
		MHD_run(h->daemon);
	if (MHD_get_timeout(h->daemon, &wait_ms) == MHD_YES)
		loop_arm(h->timer, (int64_t)wait_ms * NS_PER_MS);
	else
		loop_disarm(h->timer);
}

static void on_readable(void *arg, int fd)
{
	(void)fd;
	run(arg);
}

static void on_timer(void *arg)
{
	run(arg);
}

/* The library's own complaints are about single clients: worth a look, no more. */
__attribute__((format(printf, 2, 0)))
static void complain(void *arg, const char *fmt, va_list ap)
{
	char text[256];

	(void)arg;
	vsnprintf(text, sizeof(text), fmt, ap);
	text[strcspn(text, "\n")] = '\0';
	log_debug("http: %s", text);
}

/* Pages have plain names: what is escaped is none of them. */
static size_t leave_escaped(void *arg, struct MHD_Connection *c, char *text)
{
	(void)arg;
	(void)c;
	return strlen(text);
}

static int resolve(const char *address, int port, struct addrinfo **ai, struct err *e)
{
	static const struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
		.ai_socktype = SOCK_STREAM,
	};
	char service[12];

	snprintf(service, sizeof(service), "%d", port);
	if (getaddrinfo(address, service, &hints, ai))
		return err_set(e, -EINVAL, "http_address %s is not a numeric address", address);
	return 0;
}

static int start_daemon(struct http *h, const struct addrinfo *ai, int port)
{
	unsigned flags = MHD_USE_EPOLL | MHD_USE_ERROR_LOG;

	if (ai->ai_family == AF_INET6)
		flags |= MHD_USE_IPv6;
	errno = 0;
	h->daemon = MHD_start_daemon(flags, (uint16_t)port, NULL, NULL, handle, h,
		MHD_OPTION_EXTERNAL_LOGGER, complain, NULL,
		MHD_OPTION_SOCK_ADDR, ai->ai_addr,
		MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, NULL,
		MHD_OPTION_STRICT_FOR_CLIENT, 1,
		MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY,
		MHD_OPTION_CONNECTION_TIMEOUT, IDLE_TIMEOUT_S,
		MHD_OPTION_END);
	if (!h->daemon)
		return errno ? -errno : -EIO;
	return 0;
}

static int attach(struct http *h, struct loop *l)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD);

	if (!info)
		return -EIO;
	h->readable = loop_read(l, info->epoll_fd, on_readable, h);
	h->timer = loop_timer(l, on_timer, h);
	return h->readable && h->timer ? 0 : -ENOMEM;
}

int http_start(struct http **http, struct loop *l, const char *address, int port,
	const struct http_page *pages, void *arg, struct err *e)
{
	struct http *h = calloc(1, sizeof(*h));
	struct addrinfo *ai = NULL;
	int rc;

	if (!h)
		return err_set(e, -ENOMEM, "out of memory");
	h->pages = pages;
	h->arg = arg;
	rc = resolve(address, port, &ai, e);
	if (rc < 0)
		goto fail;
	rc = start_daemon(h, ai, port);
	freeaddrinfo(ai);
	if (rc >= 0)
		rc = attach(h, l);
	if (rc < 0) {
		err_set(e, rc, "cannot serve HTTP on %s port %d: %s", address, port, strerror(-rc));
		goto fail;
	}
	*http = h;
	return 0;
fail:
	http_stop(h);
	return rc;
}

void http_stop(struct http *h)
{
	if (!h)
		return;
	loop_event_free(h->readable);
	loop_event_free(h->timer);
	if (h->daemon)
		MHD_stop_daemon(h->daemon);
	free(h);
}
