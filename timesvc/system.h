/* system.h: CLOCK_REALTIME beside a hardware clock: how far apart they are, and what that makes of its
 * trust. Pure.
 *
 * Its state is that of the hardware clock, unless it does worse itself: a step of its own, or a bound
 * past the fallback line, is LOCAL_RTT by the same rules (judge.h). Its bound is the hardware clock's and
 * what lies between the two: the measured difference, both readings, and growth. */
#ifndef TIMESVC_SYSTEM_H
#define TIMESVC_SYSTEM_H

#include "clockline.h"
#include "judge.h"
#include "pipeline.h"
#include "snapshot.h"

struct system_track {
	const struct policy_settings *policy;
	struct clockline line;
	struct judge_state judge;
	uint32_t epoch, parent_epoch;
	int read_ok;
	uint64_t contrary;	/* seen since the last judgement */
	uint64_t clock_steps;
	int64_t good_until_ns;
};

/* The hardware clock, just judged. */
struct system_parent {
	const struct pipeline_output *out;
	int utc_known;
	int utc_offset;		/* seconds by which its time is ahead of UTC */
};

/* `epoch`: the last one ever published for the record. */
void system_init(struct system_track *t, const struct policy_settings *policy, double ns_per_tick,
	uint32_t epoch, int64_t now_mono);
/* A reading of CLOCK_REALTIME; NULL: it could not be read. */
void system_clock(struct system_track *t, const struct clock_reading *r);
void system_judge(struct system_track *t, const struct system_parent *p, int64_t now_mono,
	uint64_t now_tick, struct pipeline_output *out, struct system_snapshot *snap);

#endif
