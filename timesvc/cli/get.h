/* get.h: one page over HTTP from a server on this host. */
#ifndef CLI_GET_H
#define CLI_GET_H

#include <stddef.h>
#include <stdint.h>
#include "err.h"

struct url { char host[64], port[8]; };

/* "http://HOST[:PORT][/]", HOST a numeric address or localhost, IPv6 in brackets. -EINVAL. */
int url_parse(const char *text, struct url *u, struct err *e);

/* The body of a 200 answer, NUL-terminated, in *body: free() it. Waits for at most `timeout_ns`
 * in all. -ECONNREFUSED and the like, -ETIMEDOUT, -EBADMSG, -EFBIG, -ENOENT for another answer. */
int http_get(const struct url *u, const char *path, int64_t timeout_ns, char **body, size_t *len,
	struct err *e);

/* Pure. Finds the body in a whole reply: 0, or -EBADMSG for what is none or is cut short. */
int http_reply_parse(const char *reply, size_t len, int *status, const char **body,
	size_t *body_len);

#endif
