/* bound.h: how wrong the page time can be: three layers, every term published. Pure.
 *
 *   parent  largest |offset| over the memory of ptp4l's delay filter (+ a jump that is still inside it)
 *           + largest mean path delay over the same memory (what a two-way exchange can prove)
 *           + half width of the clock reading, what the line has not slewed yet, and what it was slewed by
 *             since the evidence (the clock may have jumped by so little that nothing else shows it)
 *           + growth since the evidence
 *   gm      parent + the operator's budget for the hops above it (none: no bound when there are such hops)
 *   utc     gm + the grandmaster's clockAccuracy, on the PTP timescale only */
#ifndef TIMESVC_BOUND_H
#define TIMESVC_BOUND_H

#include <stdint.h>
#include "clockline.h"
#include "offset.h"
#include "settings.h"

struct bound_input {
	const struct clockline *line;
	const struct offset_track *offsets;
	const struct clock_settings *settings;
	int64_t growth_ppb;		/* of policy */
	int64_t slewed_ns;		/* line->slewed_ns at the evidence */
	enum clock_role role;
	int64_t evidence_ns;		/* page time of the last Sync that counts; 0: there was none */
	uint16_t steps_removed;
	uint8_t gm_accuracy;
	int ptp_timescale;
};

struct bound {
	int64_t parent_ns, gm_ns, utc_ns;	/* -1: there is none */
	int64_t offset_ns, path_ns, read_ns, growth_ns;	/* terms of parent */
	int64_t growth_ppb;
	int64_t judged_ns;	/* gm where it exists, else parent */
	int needs_budget;
};

/* The bound at a page time. */
void bound_at(const struct bound_input *in, int64_t page_ns, struct bound *out);

/* clockAccuracy (IEEE 1588-2019 Table 5) in ns, rounded up; -1 when it says nothing. */
int64_t bound_of_accuracy(uint8_t clock_accuracy);

#endif
