/* num.h: numbers with units, read strictly and written for people.
 *
 * Parsers take the whole string: a missing number, trailing text, a unit that
 * does not fit or a value outside [min, max] is -EINVAL or -ERANGE with a
 * sentence that names the allowed range. *out is touched on success only. */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stddef.h>
#include <stdint.h>
#include "err.h"

/* Decimal or 0x hexadecimal. */
int num_parse_i64(const char *text, int64_t min, int64_t max, int64_t *out, struct err *e);

/* "30us" "1.5ms" "2s" "250ns" "1min" "2h"; a bare number is an error unless it is 0.
 * Fractions below 1 ns are an error, not rounded. */
int num_parse_duration_ns(const char *text, int64_t min, int64_t max, int64_t *out, struct err *e);

/* "500ppb" "1.5ppm" -> ppb. */
int num_parse_ppb(const char *text, int64_t min, int64_t max, int64_t *out, struct err *e);

/* "yes" "no" "on" "off" "true" "false" "1" "0" -> 0 or 1. */
int num_parse_bool(const char *text, int *out, struct err *e);

/* Three or four significant digits and the unit that fits: "35.2 us", "-120 us",
 * "1.70 us", "2.00 s", "0 ns". Returns buf. 24 bytes always suffice. */
char *num_format_ns(char *buf, size_t size, int64_t ns);

/* Exact, and parsed back by num_parse_duration_ns: "30us", "1500ns". */
char *num_format_duration(char *buf, size_t size, int64_t ns);

#endif
