/* timebase.h: the counter that the page runs on: the TSC where it is invariant (or assumed to be), else
 * CLOCK_MONOTONIC_RAW in nanoseconds. */
#ifndef TIMESVC_TIMEBASE_H
#define TIMESVC_TIMEBASE_H

#include <stdint.h>
#include "err.h"
#include "lib/page.h"
#include "settings.h"

struct timebase {
	enum tsv_timebase kind;
	int invariant, assumed;
	uint64_t hz;
	double ns_per_tick;
};

/* Measures for about 100 ms. */
int timebase_init(struct timebase *tb, enum tsc_policy policy, struct err *e);
uint64_t timebase_ticks(const struct timebase *tb);
uint64_t timebase_span(const struct timebase *tb, int64_t ns);	/* ns >= 0, in ticks */

#endif
