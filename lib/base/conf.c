#include "conf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One block holds the structure and the words that it points to. */
struct box {
	struct conf conf;
	char text[];
};

struct line {
	char *start, *end;	/* end is NUL */
	int number;
};

static int column_of(const struct line *l, const char *p)
{
	return (int)(p - l->start) + 1;
}

static int is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static char *skip_blanks(char *p)
{
	while (is_blank(*p))
		p++;
	return p;
}

static char *skip_word(char *p)
{
	while (*p && !is_blank(*p))
		p++;
	return p;
}

static void trim_end(char *start, char *end)
{
	while (end > start && is_blank(end[-1]))
		end--;
	*end = '\0';
}

int conf_error(const struct conf *c, int line, int column, struct err *e, const char *fmt, ...)
{
	char what[sizeof(e->msg)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(e, -EINVAL, "%s:%d:%d: %s", c->file, line, column, what);
}

/* Room for one more in an array that grows at every power of two. */
static void *grow(void *array, size_t count, size_t size)
{
	if (count & (count - 1))
		return array;
	return reallocarray(array, count ? count * 2 : 1, size);
}

static int check_characters(const struct conf *c, const struct line *l, struct err *e)
{
	for (const char *p = l->start; p < l->end; p++) {
		unsigned char ch = (unsigned char)*p;

		if ((ch < ' ' && ch != '\t') || ch == 0x7f)
			return conf_error(c, l->number, column_of(l, p), e,
					  "control character 0x%02x", ch);
	}
	return 0;
}

static const struct conf_section *find_section(const struct conf *c, const char *kind,
					       const char *name)
{
	for (size_t i = 0; i < c->count; i++)
		if (strcmp(c->sections[i].kind, kind) == 0 && strcmp(c->sections[i].name, name) == 0)
			return &c->sections[i];
	return NULL;
}

static int add_section(struct conf *c, const struct line *l, int column, const char *kind,
		       const char *name, struct err *e)
{
	const struct conf_section *first = find_section(c, kind, name);
	struct conf_section *sections;

	if (first)
		return conf_error(c, l->number, column, e, "section [%s%s%s] again, first in line %d",
				  kind, *name ? " " : "", name, first->line);
	sections = grow(c->sections, c->count, sizeof(*sections));
	if (!sections)
		return err_set(e, -ENOMEM, "out of memory");
	c->sections = sections;
	c->sections[c->count++] = (struct conf_section){
		.kind = kind, .name = name, .line = l->number, .column = column,
	};
	return 0;
}

/* p is at the bracket. */
static int parse_section(struct conf *c, const struct line *l, char *p, struct err *e)
{
	int column = column_of(l, p);
	char *close = strchr(p, ']'), *kind, *name, *rest;

	if (!close)
		return conf_error(c, l->number, column, e, "\"[\" without \"]\"");
	rest = skip_blanks(close + 1);
	if (*rest)
		return conf_error(c, l->number, column_of(l, rest), e, "text after \"]\"");
	kind = skip_blanks(p + 1);
	trim_end(kind, close);
	if (!*kind)
		return conf_error(c, l->number, column, e, "a section without a name");
	name = skip_word(kind);
	if (*name) {
		*name++ = '\0';
		name = skip_blanks(name);
	}
	rest = skip_word(name);
	if (*rest)
		return conf_error(c, l->number, column_of(l, skip_blanks(rest)), e,
				  "a section has a kind and one name, no more");
	return add_section(c, l, column, kind, name, e);
}

static int add_entry(struct conf *c, struct conf_entry entry, struct err *e)
{
	struct conf_section *s = &c->sections[c->count - 1];
	struct conf_entry *entries;

	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->entries[i].key, entry.key) == 0)
			return conf_error(c, entry.line, entry.column, e, "%s again, first in line %d",
					  entry.key, s->entries[i].line);
	entries = grow(s->entries, s->count, sizeof(*entries));
	if (!entries)
		return err_set(e, -ENOMEM, "out of memory");
	s->entries = entries;
	s->entries[s->count++] = entry;
	return 0;
}

static int parse_entry(struct conf *c, const struct line *l, char *key, struct err *e)
{
	char *end = skip_word(key), *value = skip_blanks(end);

	if (c->count == 0)
		return conf_error(c, l->number, column_of(l, key), e, "%.*s stands before any section",
				  (int)(end - key), key);
	if (!*value)
		return conf_error(c, l->number, column_of(l, key), e, "%.*s has no value",
				  (int)(end - key), key);
	trim_end(value, l->end);
	*end = '\0';
	return add_entry(c, (struct conf_entry){
		.key = key, .value = value, .line = l->number,
		.column = column_of(l, key), .value_column = column_of(l, value),
	}, e);
}

static int parse_line(struct conf *c, const struct line *l, struct err *e)
{
	char *p = skip_blanks(l->start);
	int rc = check_characters(c, l, e);

	if (rc || !*p || *p == '#')
		return rc;
	return *p == '[' ? parse_section(c, l, p, e) : parse_entry(c, l, p, e);
}

static int parse_lines(struct conf *c, char *text, size_t len, struct err *e)
{
	struct line l = { .start = text };
	char *limit = text + len;
	int rc = 0;

	while (!rc && l.start < limit) {
		l.end = memchr(l.start, '\n', (size_t)(limit - l.start));
		if (!l.end)
			l.end = limit;
		*l.end = '\0';
		l.number++;
		rc = parse_line(c, &l, e);
		l.start = l.end + 1;
	}
	return rc;
}

int conf_parse(const char *file, const char *text, size_t len, struct conf **out, struct err *e)
{
	size_t file_size = strlen(file) + 1;
	struct box *box = calloc(1, sizeof(*box) + file_size + len + 1);
	int rc;

	if (!box)
		return err_set(e, -ENOMEM, "out of memory");
	memcpy(box->text, file, file_size);
	memcpy(box->text + file_size, text, len);
	box->conf.file = box->text;
	rc = parse_lines(&box->conf, box->text + file_size, len, e);
	if (rc) {
		conf_free(&box->conf);
		return rc;
	}
	*out = &box->conf;
	return 0;
}

/* conf is the first member of its box, so its address is the block's. */
void conf_free(struct conf *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->count; i++)
		free(c->sections[i].entries);
	free(c->sections);
	free(c);
}
