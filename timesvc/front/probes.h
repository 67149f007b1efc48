/* probes.h: the segments in which the daemon's probes publish. Built without the probe, there
 * is never anything in them. */
#ifndef FRONT_PROBES_H
#define FRONT_PROBES_H

#include <jansson.h>
#include <stdio.h>
#include "view.h"

struct probes;
struct probes *probes_new(const struct settings *s);	/* NULL: out of memory */
void probes_free(struct probes *p);			/* NULL is allowed */
/* Reads what was published since; a segment that is not there yet is tried again. */
void probes_refresh(struct probes *p, int64_t now_mono_ns);
/* NULL: nothing was published yet. Valid until the next refresh. */
const struct probe_data *probes_data(const struct probes *p, int probe);

/* A new reference; NULL when there is nothing to say. */
json_t *probes_report(const struct probe_data *d);
/* The distributions and counts of all probes in the Prometheus text format. */
void probes_metrics(FILE *out, const struct view *v);

#endif
