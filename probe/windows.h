/* windows.h: what a running distribution gained in the last whole second and the last whole ten. */
#ifndef PROBE_WINDOWS_H
#define PROBE_WINDOWS_H

#include "gate.h"
#include "hist.h"
#include "segment.h"

#define WINDOWS_KEPT 11

struct windows_series {
	struct hist_sum kept[WINDOWS_KEPT];	/* a ring; what has not been written yet is empty */
};

/* All zero to begin with. */
struct windows {
	unsigned turns;
	struct windows_series rtt, ab, ba;
	struct hist_sum scratch;
};

/* Once a second: the distributions as they stand. Fills both windows; a p99 of fewer than 100 records is the
 * largest of them. */
void windows_turn(struct windows *w, const struct hist_sum *rtt, const struct gate_sums *sums,
	struct probe_window *s1, struct probe_window *s10);

#endif
