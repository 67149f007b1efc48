#include "text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <time.h>
#include "nstime.h"
#include "num.h"

const char *text_get(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

uint64_t text_count(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

int text_ns(const json_t *object, const char *key, int64_t *ns)
{
	const json_t *value = json_object_get(object, key);
	const char *text = json_string_value(value);

	if (json_is_integer(value))
		*ns = json_integer_value(value);
	else if (!text || num_parse_i64(text, INT64_MIN, INT64_MAX, ns, NULL) < 0)
		return 0;
	return 1;
}

char *text_span(char *buf, const json_t *object, const char *key)
{
	int64_t ns;

	if (text_ns(object, key, &ns))
		return num_format_ns(buf, TEXT_CELL, ns);
	snprintf(buf, TEXT_CELL, "-");
	return buf;
}

char *text_age(char *buf, int64_t ns)
{
	int64_t s = ns / NS_PER_S;

	if (ns < 0)
		snprintf(buf, TEXT_CELL, "-");
	else if (s < 120)
		snprintf(buf, TEXT_CELL, "%" PRId64 " s", s);
	else if (s < 7200)
		snprintf(buf, TEXT_CELL, "%" PRId64 " min", s / 60);
	else if (s < 48 * 3600)
		snprintf(buf, TEXT_CELL, "%" PRId64 " h %" PRId64 " min", s / 3600, s / 60 % 60);
	else
		snprintf(buf, TEXT_CELL, "%" PRId64 " d %" PRId64 " h", s / 86400, s / 3600 % 24);
	return buf;
}

char *text_instant(char *buf, int64_t ns)
{
	struct timespec ts = nstime_to_timespec(ns);
	struct tm tm;
	size_t len = 0;

	if (gmtime_r(&ts.tv_sec, &tm))
		len = strftime(buf, TEXT_CELL, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf + len, TEXT_CELL - len, ".%03dZ", (int)(ts.tv_nsec / NS_PER_MS));
	return buf;
}

void text_begin(struct text_line *l, FILE *out, int indent, const char *lead)
{
	*l = (struct text_line){ .out = out, .lead = lead, .indent = indent };
}

void text_item(struct text_line *l, const char *fmt, ...)
{
	char item[160];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(item, sizeof(item), fmt, ap);
	va_end(ap);
	if (len >= (int)sizeof(item))
		len = sizeof(item) - 1;
	/* A comma stays with the item before it, hence one column less. */
	if (!l->items)
		l->column = fprintf(l->out, "%s", l->lead);
	else if (l->column + 2 + len > TEXT_WIDTH - 1)
		l->column = fprintf(l->out, ",\n%*s", l->indent, "") - 2;
	else
		l->column += fprintf(l->out, ", ");
	l->column += fprintf(l->out, "%s", item);
	l->items++;
}

void text_end(struct text_line *l)
{
	if (l->items)
		fputc('\n', l->out);
}
