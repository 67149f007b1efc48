/* Any text is either read, with every word where it says it is, or refused with a place. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct text {
	const char *start;
	size_t size;
};

static void require(int truth)
{
	if (!truth)
		abort();
}

static void require_word(const struct text *t, int line, int column, const char *word)
{
	const char *p = t->start, *end = t->start + t->size;

	while (--line > 0) {
		p = memchr(p, '\n', (size_t)(end - p));
		require(p != NULL);
		p++;
	}
	p += column - 1;
	require(*word != '\0');
	require(strlen(word) <= (size_t)(end - p));
	require(memcmp(p, word, strlen(word)) == 0);
}

static void check_read(const struct text *t, const struct conf *c)
{
	int line = 0;

	for (size_t i = 0; i < c->count; i++) {
		const struct conf_section *s = &c->sections[i];

		require(s->line > line && *s->kind);
		require_word(t, s->line, s->column, "[");
		line = s->line;
		for (size_t k = 0; k < s->count; k++) {
			const struct conf_entry *entry = &s->entries[k];

			require(entry->line > line);
			require_word(t, entry->line, entry->column, entry->key);
			require_word(t, entry->line, entry->value_column, entry->value);
			line = entry->line;
		}
	}
}

static void check_refused(const struct text *t, const struct err *e)
{
	int line, column, used = 0;

	require(sscanf(e->msg, "input:%d:%d: %n", &line, &column, &used) == 2 && used > 0);
	require(line >= 1 && column >= 1 && (size_t)column <= t->size);
	require(e->msg[used] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text t = { (const char *)data, size };
	struct err e = { 0 };
	struct conf *c = NULL;

	if (conf_parse("input", t.start, size, &c, &e) == 0)
		check_read(&t, c);
	else
		check_refused(&t, &e);
	conf_free(c);
	return 0;
}
