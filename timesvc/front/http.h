/* http.h: a few read-only pages over HTTP, inside the event loop.
 *
 * GET and HEAD only. Connections, memory and waiting are limited: a hostile client can hurt
 * nothing but this server. */
#ifndef FRONT_HTTP_H
#define FRONT_HTTP_H

#include <stddef.h>
#include "../loop.h"
#include "err.h"

struct http_page {
	const char *path;	/* "/metrics" */
	const char *type;	/* Content-Type */
	/* Makes the body, which the server frees; *status is 200 unless changed. NULL: 500. */
	char *(*make)(void *arg, size_t *len, unsigned *status);
};

struct http;
/* `pages` ends with a NULL path and outlives the server. `address` is numeric. */
int http_start(struct http **http, struct loop *l, const char *address, int port,
	const struct http_page *pages, void *arg, struct err *e);
void http_stop(struct http *http);	/* NULL is allowed */

#endif
