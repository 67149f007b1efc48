/* metrics.h: /metrics, in the Prometheus text format 0.0.4. Pure.
 *
 * A value that is not known now has no line: it is never 0, never the last one. */
#ifndef FRONT_METRICS_H
#define FRONT_METRICS_H

#include <stdio.h>
#include "view.h"

/* free() it; NULL: out of memory. *len may be NULL. */
char *metrics_text(const struct view *v, size_t *len);

/* The parts. */
void metrics_clocks(FILE *out, const struct view *v);
void metrics_children(FILE *out, const struct view *v);

#endif
