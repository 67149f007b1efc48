/* report.h: a probe's numbers for people (text) and for programs (JSON).
 *
 * The same object stands in `timesvc-probe --json`, in /status.json under "probes" and in
 * `timesvc status --json`: schema conf/schema/probe.json. A quantile that the sample cannot support
 * is null in JSON and "not resolvable" in text. Software stamps are called software. */
#ifndef PROBE_REPORT_H
#define PROBE_REPORT_H

#include <jansson.h>
#include <stdio.h>
#include "segment.h"

/* NULL: out of memory. */
json_t *report_json(const struct probe_data *d);
void report_text(FILE *out, const struct probe_data *d);

#endif
