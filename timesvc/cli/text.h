/* text.h: the small change of show.h: cells, ages, wrapped lists. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TEXT_WIDTH 80
#define TEXT_CELL 32

/* "" when there is no such text. */
const char *text_get(const json_t *object, const char *key);
uint64_t text_count(const json_t *object, const char *key);
/* 1 and *ns when the value is a number, or a decimal string. */
int text_ns(const json_t *object, const char *key, int64_t *ns);

/* "35.2 us", or "-" when it is not known. Returns buf, which holds TEXT_CELL bytes. */
char *text_span(char *buf, const json_t *object, const char *key);
/* "12 s" "5 min" "3 h 5 min" "2 d 4 h"; "-" for a negative age. */
char *text_age(char *buf, int64_t ns);
/* "2023-11-14T22:13:20.000Z" */
char *text_instant(char *buf, int64_t ns);

/* A line that is broken between items: text_begin(), then items, then text_end(). Without an item
 * nothing is printed. `lead` must last until the first one. */
struct text_line { FILE *out; const char *lead; int column, indent, items; };
void text_begin(struct text_line *l, FILE *out, int indent, const char *lead);
void text_item(struct text_line *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_end(struct text_line *l);

#endif
