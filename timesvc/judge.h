/* judge.h: JUDGE: (state, evidence, policy, now) -> (state, reasons). Pure; nothing else decides trust.
 *
 * Fast down, slow up:
 *   UNKNOWN    no complete evidence yet                      -> SETTLING when it is complete
 *   SETTLING   complete, fewer than settle_syncs good Syncs  -> TRUSTED
 *   TRUSTED    bound <= fallback_bound; ALARM is a flag on it
 *   HOLDOVER   evidence missing, nothing contrary, bound still within policy
 *   LOCAL_RTT  bound past fallback_bound, evidence contrary, or missing past hold_limit;
 *              ends at bound <= recover_bound with all evidence for recover_time
 * Times are CLOCK_MONOTONIC. */
#ifndef TIMESVC_JUDGE_H
#define TIMESVC_JUDGE_H

#include <stdint.h>
#include "reason.h"
#include "settings.h"
#include "timesvc.h"

struct judge_evidence {
	uint64_t missing, contrary, notes;	/* reason bits */
	int64_t bound_ns;	/* grown to now; -1: there is none */
	int have_offset;
	int64_t offset_ns;	/* the last accepted one */
	int beyond_alarm;	/* that many accepted readings in a row are past the alarm line */
	uint64_t good_syncs;	/* since evidence became complete */
	int disagrees;		/* an accepted reading was outside the bound of its instant */
};

struct judge_state {
	enum tsv_state state;
	int alarm;
	uint64_t cause;		/* of LOCAL_RTT */
	int64_t since_ns;	/* when this state began */
	int64_t good_since_ns;	/* LOCAL_RTT: in limits since; 0: not */
	int64_t calm_since_ns;	/* alarm: under the clear line since; 0: not */
};

struct judge_verdict {
	enum tsv_state from, to;
	int alarm_from, alarm_to;
	int epoch_rises;	/* what was vouched for so far is separate from what follows */
	uint64_t reasons;
};

void judge_init(struct judge_state *s, int64_t now_ns);
struct judge_verdict judge(struct judge_state *s, const struct judge_evidence *e,
	const struct policy_settings *policy, int64_t now_ns);

#endif
