#define _GNU_SOURCE 1	/* memmem() */

#include "get.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

static int digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "HTTP/1.1 200 …" */
static int parse_status(const char *reply, size_t len, int *status)
{
	if (len < 12 || memcmp(reply, "HTTP/1.", 7) || !digit(reply[7]) || reply[8] != ' ')
		return -EBADMSG;
	if (!digit(reply[9]) || !digit(reply[10]) || !digit(reply[11]))
		return -EBADMSG;
	*status = (reply[9] - '0') * 100 + (reply[10] - '0') * 10 + (reply[11] - '0');
	return 0;
}

/* The digits of a Content-Length; -EBADMSG when it is no number that could be a size here. */
static int parse_length(const char *line, const char *end, size_t *length)
{
	size_t value = 0;

	while (line < end && *line == ' ')
		line++;
	if (line == end)
		return -EBADMSG;
	for (; line < end; line++) {
		if (!digit(*line) || value > ((size_t)1 << 40))
			return -EBADMSG;
		value = value * 10 + (size_t)(*line - '0');
	}
	*length = value;
	return 0;
}

int http_reply_parse(const char *reply, size_t len, int *status, const char **body,
	size_t *body_len)
{
	static const char field[] = "Content-Length:";
	const char *line = reply, *limit = reply + len, *end;
	size_t length = 0;
	int have_length = 0;

	if (parse_status(reply, len, status))
		return -EBADMSG;
	for (;; line = end + 2) {
		end = memmem(line, (size_t)(limit - line), "\r\n", 2);
		if (!end)
			return -EBADMSG;
		if (end == line)
			break;
		if ((size_t)(end - line) >= sizeof(field) &&
		    !strncasecmp(line, field, sizeof(field) - 1)) {
			if (parse_length(line + sizeof(field) - 1, end, &length))
				return -EBADMSG;
			have_length = 1;
		}
	}
	*body = end + 2;
	*body_len = (size_t)(limit - *body);
	if (!have_length)
		return 0;
	if (*body_len < length)
		return -EBADMSG;
	*body_len = length;
	return 0;
}
