/* gate.h: which one-way samples count, decided afterwards.
 *
 * Pure: it is given samples, what both ends' pages said, and the time. Every sample ends exactly
 * once, admitted or in refused[] under one reason; until then it waits. Nothing is dropped, clamped
 * or mixed: the delays of what is not admitted go into sums of their own.
 *
 * At once: a sample is refused unless both ends were TRUSTED (ALARM allowed) or in HOLDOVER, in one
 * epoch of their own before and after it, with the same timescale, the same domain and a common
 * reference. The bound of a sample: same parent, the sum of both bound_parent (+ both port budgets
 * when the parent is neither end); same grandmaster only, the sum of bound_gm; else the sum of
 * bound_utc, or refused; the widest of what the pages said before and after. A delay below -bound,
 * or above the round trip + bound, is a contradiction.
 *
 * Afterwards: samples wait in slices of 100 ms and one pair of epochs, decided whole.
 *   - An end has vouched for a slice once its page, in the slice's epoch, shows a good_until that
 *     has passed every stamp of that end. A page moves good_until only while TRUSTED, so what the
 *     state is by then, or becomes, does not matter.
 *   - Admitted: both ends have vouched and the 100 ms are over.
 *   - Withdrawn: an end's epoch is another one, vouched or not; an end that has not vouched is in
 *     LOCAL_RTT, SETTLING or UNKNOWN; nobody vouched for hold limit + 1 s; a sample that belongs to
 *     it is a contradiction (those of its samples that come later are refused as withdrawn too).
 *   - HOLDOVER and STALE of an end that has not vouched wait: evidence, or the daemon, may return.
 * A sample that arrives after its slice was decided waits in a new one.
 *
 * Memory is fixed: GATE_SLICES slices; when all are in use the oldest is withdrawn as timed out
 * (with hold limits over 11 s that comes first). Thread rule: one thread. */
#ifndef PROBE_GATE_H
#define PROBE_GATE_H

#include <stdint.h>
#include "hist.h"

#define GATE_SLICE_NS	(100 * NS_PER_MS)
#define GATE_SLICES	128

/*    name                 sentence */
#define GATE_REASONS(X) \
	X(near_state,          "this end was not trusted") \
	X(far_state,           "the far end was not trusted") \
	X(near_epoch,          "this end's clock was discontinuous during the sample") \
	X(far_epoch,           "the far end's clock was discontinuous during the sample") \
	X(timescale,           "the ends run on different timescales") \
	X(domain,              "the ends are in different PTP domains") \
	X(reference,           "the ends share no reference and no bound against UTC") \
	X(no_trust,            "the far end sends no trust TLV") \
	X(no_stamp,            "a stamp of the sample is missing") \
	X(contradiction,       "the delay is impossible within the bound") \
	X(withdrawn_near_epoch, "this end's clock turned out to be bad: new epoch") \
	X(withdrawn_far_epoch,  "the far end's clock turned out to be bad: new epoch") \
	X(withdrawn_near_state, "this end fell out of trust before the sample was vouched for") \
	X(withdrawn_far_state,  "the far end fell out of trust before the sample was vouched for") \
	X(withdrawn_contradiction, "another sample of the slice was impossible within the bound") \
	X(withdrawn_timeout,   "nobody vouched for the sample in time") \
	X(withdrawn_end,       "the run ended before the sample was vouched for")

#define GATE_ENUM(name, text) GATE_##name,
enum gate_reason { GATE_REASONS(GATE_ENUM) GATE_REASON_COUNT, GATE_ADMITTED = -1 };
#undef GATE_ENUM
/* "admitted" for GATE_ADMITTED, NULL for what is no reason. */
const char *gate_reason_name(int reason);
const char *gate_reason_text(int reason);

/* What one end's page said. */
struct gate_end {
	int state;			/* enum tsv_state */
	uint32_t flags, epoch;		/* TSV_… flags */
	int64_t good_until_ns;
	int64_t bound_parent_ns, bound_gm_ns, bound_utc_ns, port_budget_ns;	/* -1: none */
	uint8_t clock[8], parent[8], gm[8];	/* clock: all 0 when not known */
	uint8_t domain;
	uint8_t known;			/* 0: this end has said nothing */
};

struct gate_sample {
	int64_t mono_ns;		/* when it was sent, CLOCK_MONOTONIC of this end */
	int64_t t1_ns, t4_ns;		/* this end's page time */
	int64_t t2_ns, t3_ns;		/* the far end's page time */
	int64_t rtt_ns;
	int has_stamps;
	struct gate_end near_before, near_after, far_before, far_after;
};

/* A slice when it is decided, for the slice log. */
struct gate_slice_result {
	int64_t start_ns;		/* this end's page time of the first t1 */
	int64_t end_ns;			/* of the last t4 */
	uint32_t near_epoch, far_epoch;
	uint64_t count;
	int verdict;			/* enum gate_reason, GATE_ADMITTED */
	int waited_holdover;		/* an end was in HOLDOVER while it had to vouch */
	int64_t bound_ns;		/* largest of its samples */
	int64_t ab_p50_ns, ba_p50_ns;
};

struct gate_numbers {
	uint64_t admitted, admitted_after_holdover;
	uint64_t waiting;		/* in quarantine now */
	uint64_t withdrawn;		/* of refused[], the ones that had been waiting */
	uint64_t contradictions;
	uint64_t refused[GATE_REASON_COUNT];
	int64_t bound_max_ns;		/* over admitted samples; 0 when none */
	uint64_t slices_admitted, slices_withdrawn;
};

struct gate_sums { struct hist_sum ab_trusted, ba_trusted, ab_untrusted, ba_untrusted; };

struct gate;
/* `resolved` (may be NULL) is told every decided slice. NULL: out of memory. */
struct gate *gate_new(int64_t hold_limit_ns,
	void (*resolved)(void *arg, const struct gate_slice_result *r), void *arg);
void gate_free(struct gate *g);

/* Returns GATE_ADMITTED when the sample waits in a slice (it is not admitted yet), else why it was
 * refused. */
int gate_add(struct gate *g, const struct gate_sample *s);
/* What either page says now: commits and withdraws. Call on every reply and at least every 50 ms.
 * An end that is not known only lets time pass. */
void gate_near(struct gate *g, const struct gate_end *near, int64_t now_mono_ns);
void gate_far(struct gate *g, const struct gate_end *far, int64_t now_mono_ns);
/* Withdraws what nobody will vouch for any more; the end of a run. */
void gate_finish(struct gate *g);

const struct gate_numbers *gate_numbers(const struct gate *g);
const struct gate_sums *gate_sums(const struct gate *g);

/* The bound of one sample, -1 when there is no common reference. Pure; for tests. */
int64_t gate_bound(const struct gate_end *near, const struct gate_end *far);

#endif
