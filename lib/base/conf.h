/* conf.h: the ptp4l.conf dialect, read with the place of every word.
 *
 *   # comment           full lines only
 *   [global]            a section: kind, then an optional name: [clock eth0]
 *   key  value words    the value runs to the end of the line, trimmed
 *
 * Pure: text in, structure out. Duplicate sections and duplicate keys within one
 * are errors, and so is a key before any section, an unclosed bracket, a key
 * without a value, a NUL or a control character. Errors read
 * "FILE:LINE:COLUMN: what is wrong". */
#ifndef BASE_CONF_H
#define BASE_CONF_H

#include <stddef.h>
#include "err.h"

struct conf_entry {
	const char *key;
	const char *value;
	int line, column;	/* of the key, from 1 */
	int value_column;
};

struct conf_section {
	const char *kind;	/* "global", "clock", … */
	const char *name;	/* "" when there is none */
	int line, column;
	struct conf_entry *entries;
	size_t count;
};

struct conf {
	const char *file;
	struct conf_section *sections;
	size_t count;
};

/* *out is owned by the caller until conf_free(). -EINVAL, -ENOMEM. */
int conf_parse(const char *file, const char *text, size_t len, struct conf **out, struct err *e);
void conf_free(struct conf *c);

/* Sets "FILE:LINE:COLUMN: …" and returns -EINVAL. */
int conf_error(const struct conf *c, int line, int column, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

#endif
