/* prom.h: lines of the Prometheus text exposition format 0.0.4. */
#ifndef FRONT_PROM_H
#define FRONT_PROM_H

#include <stdint.h>
#include <stdio.h>

/* "# HELP" and "# TYPE"; `type` is counter, gauge or histogram. */
void prom_family(FILE *out, const char *name, const char *type, const char *help);

/* Labels: pairs "key", value, …, NULL; a pair whose value is NULL is left out. Values are escaped */
void prom_name(FILE *out, const char *name, ...) __attribute__((sentinel));

/* The end of the line that prom_name() began. */
void prom_count(FILE *out, uint64_t value);
void prom_integer(FILE *out, int64_t value);
void prom_seconds(FILE *out, int64_t ns);	/* exact */

/* Exact decimal seconds, "0.0000352": a value, or the text of an `le` label. Returns buf. */
char *prom_seconds_text(char *buf, size_t size, int64_t ns);

#endif
