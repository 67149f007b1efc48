#include "gate.h"

#include <stdlib.h>

#include "gate_check.h"
#include "gate_slices.h"
#include "timesvc.h"

#define STILL_WAITING	GATE_REASON_COUNT
#define TIMEOUT_SLACK_NS	NS_PER_S

struct gate {
	struct slices *slices;
	int64_t limit_ns;
	void (*resolved)(void *arg, const struct gate_slice_result *r);
	void *arg;
	struct gate_numbers numbers;
	struct gate_sums sums;
	struct hist_sum scratch;
};

struct gate *gate_new(int64_t hold_limit_ns,
	void (*resolved)(void *arg, const struct gate_slice_result *r), void *arg)
{
	struct gate *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->slices = slices_new();
	if (!g->slices) {
		free(g);
		return NULL;
	}
	g->limit_ns = nstime_add(hold_limit_ns, TIMEOUT_SLACK_NS);
	g->resolved = resolved;
	g->arg = arg;
	hist_sum_reset(&g->sums.ab_trusted);
	hist_sum_reset(&g->sums.ba_trusted);
	hist_sum_reset(&g->sums.ab_untrusted);
	hist_sum_reset(&g->sums.ba_untrusted);
	return g;
}

void gate_free(struct gate *g)
{
	if (!g)
		return;
	slices_free(g->slices);
	free(g);
}

/* Verdicts on whole slices. */

static int64_t median(struct gate *g, const struct hist *h)
{
	int64_t ns = h->min_ns;		/* of one record, which is too few for a quantile */

	hist_sum_reset(&g->scratch);
	hist_fold(&g->scratch, h);
	hist_quantile(&g->scratch, 1, 2, &ns);
	return ns;
}

static void tell(struct gate *g, const struct slice *slice, int verdict)
{
	struct gate_slice_result r = {
		.start_ns = slice->first_ns, .end_ns = slice->last_ns[GATE_NEAR],
		.near_epoch = slice->key.epoch[GATE_NEAR], .far_epoch = slice->key.epoch[GATE_FAR],
		.count = slice->count, .verdict = verdict,
		.waited_holdover = slice->waited_holdover, .bound_ns = slice->bound_ns,
	};

	if (!g->resolved)
		return;
	r.ab_p50_ns = median(g, slice->ab);
	r.ba_p50_ns = median(g, slice->ba);
	g->resolved(g->arg, &r);
}

static void admit(struct gate *g, const struct slice *slice)
{
	struct gate_numbers *n = &g->numbers;

	n->admitted += slice->count;
	n->slices_admitted++;
	if (slice->waited_holdover)
		n->admitted_after_holdover += slice->count;
	if (slice->bound_ns > n->bound_max_ns)
		n->bound_max_ns = slice->bound_ns;
	hist_fold(&g->sums.ab_trusted, slice->ab);
	hist_fold(&g->sums.ba_trusted, slice->ba);
}

static void withdraw(struct gate *g, const struct slice *slice, int reason)
{
	g->numbers.refused[reason] += slice->count;
	g->numbers.withdrawn += slice->count;
	g->numbers.slices_withdrawn++;
	hist_fold(&g->sums.ab_untrusted, slice->ab);
	hist_fold(&g->sums.ba_untrusted, slice->ba);
}

static void decide(struct gate *g, struct slice *slice, int verdict)
{
	if (slice->count == 0)
		return;
	if (verdict == GATE_ADMITTED)
		admit(g, slice);
	else
		withdraw(g, slice, verdict);
	g->numbers.waiting -= slice->count;
	tell(g, slice, verdict);
	slice->count = 0;
}

static int64_t slice_end(const struct slice *slice)
{
	return (slice->key.number + 1) * GATE_SLICE_NS;
}

static int vouched(const struct slice *slice, enum gate_side side)
{
	return slice->good_ns[side] >= slice->last_ns[side];
}

/* What one end's word means for a slice that waits for it. */
static int hear(struct slice *slice, enum gate_side side, const struct gate_end *e)
{
	static const int new_epoch[] = { GATE_withdrawn_near_epoch, GATE_withdrawn_far_epoch };
	static const int lost_trust[] = { GATE_withdrawn_near_state, GATE_withdrawn_far_state };

	if (e->epoch != slice->key.epoch[side])
		return new_epoch[side];
	if (e->good_until_ns > slice->good_ns[side])
		slice->good_ns[side] = e->good_until_ns;
	if (vouched(slice, side))
		return STILL_WAITING;
	switch (e->state) {
	case TSV_HOLDOVER:
		slice->waited_holdover = 1;
		return STILL_WAITING;
	case TSV_TRUSTED:
	case TSV_STALE:			/* its daemon may come back, in the same epoch */
		return STILL_WAITING;
	default:
		return lost_trust[side];
	}
}

static int judge(struct slice *slice, enum gate_side side, const struct gate_end *e)
{
	if (slice->poisoned || !e->known)
		return STILL_WAITING;
	return hear(slice, side, e);
}

/* A slice is decided whole: not before its 100 ms are over. */
static int judge_age(const struct gate *g, const struct slice *slice, int64_t now_mono_ns)
{
	int64_t age_ns = nstime_sub(now_mono_ns, slice_end(slice));

	if (age_ns >= 0 && !slice->poisoned &&
	    vouched(slice, GATE_NEAR) && vouched(slice, GATE_FAR))
		return GATE_ADMITTED;
	return age_ns > g->limit_ns ? GATE_withdrawn_timeout : STILL_WAITING;
}

static void settle(struct gate *g, enum gate_side side, const struct gate_end *e,
	int64_t now_mono_ns)
{
	for (int i = 0; i < slices_used(g->slices);) {
		struct slice *slice = slices_at(g->slices, i);
		int verdict = judge(slice, side, e);

		if (verdict == STILL_WAITING)
			verdict = judge_age(g, slice, now_mono_ns);
		if (verdict == STILL_WAITING) {
			i++;
			continue;
		}
		decide(g, slice, verdict);
		slices_close(g->slices, i);
	}
}

void gate_near(struct gate *g, const struct gate_end *near, int64_t now_mono_ns)
{
	settle(g, GATE_NEAR, near, now_mono_ns);
}

void gate_far(struct gate *g, const struct gate_end *far, int64_t now_mono_ns)
{
	settle(g, GATE_FAR, far, now_mono_ns);
}

void gate_finish(struct gate *g)
{
	while (slices_used(g->slices) > 0) {
		decide(g, slices_at(g->slices, 0), GATE_withdrawn_end);
		slices_close(g->slices, 0);
	}
}

/* Samples. */

static struct slice *slice_of(struct gate *g, const struct gate_sample *s)
{
	struct slice_key key = {
		.number = s->mono_ns / GATE_SLICE_NS,
		.epoch = { s->near_before.epoch, s->far_before.epoch },
	};
	struct slice *slice = slices_find(g->slices, &key);

	if (slice)
		return slice;
	if (slices_used(g->slices) == GATE_SLICES) {
		decide(g, slices_at(g->slices, 0), GATE_withdrawn_timeout);
		slices_close(g->slices, 0);
	}
	return slices_open(g->slices, &key);
}

static int refuse(struct gate *g, const struct gate_sample *s, int reason)
{
	g->numbers.refused[reason]++;
	if (reason == GATE_no_stamp)
		return reason;
	hist_sum_record(&g->sums.ab_untrusted, gate_delay_ab(s));
	hist_sum_record(&g->sums.ba_untrusted, gate_delay_ba(s));
	return reason;
}

static int contradict(struct gate *g, const struct gate_sample *s)
{
	struct slice *slice = slice_of(g, s);

	decide(g, slice, GATE_withdrawn_contradiction);
	slice->poisoned = 1;
	g->numbers.contradictions++;
	return refuse(g, s, GATE_contradiction);
}

static int64_t later(int64_t a_ns, int64_t b_ns)
{
	return a_ns > b_ns ? a_ns : b_ns;
}

static void quarantine(struct gate *g, struct slice *slice, const struct gate_sample *s,
	int64_t bound_ns)
{
	int64_t *last = slice->last_ns;

	if (s->t1_ns < slice->first_ns)
		slice->first_ns = s->t1_ns;
	last[GATE_NEAR] = later(last[GATE_NEAR], later(s->t1_ns, s->t4_ns));
	last[GATE_FAR] = later(last[GATE_FAR], later(s->t2_ns, s->t3_ns));
	slice->bound_ns = later(slice->bound_ns, bound_ns);
	slice->waited_holdover |= gate_in_holdover(s);
	slice->count++;
	hist_record(slice->ab, gate_delay_ab(s));
	hist_record(slice->ba, gate_delay_ba(s));
	g->numbers.waiting++;
}

int gate_add(struct gate *g, const struct gate_sample *s)
{
	int64_t bound_ns = -1;
	int reason = gate_check(s, &bound_ns);
	struct slice *slice;

	if (reason == GATE_contradiction)
		return contradict(g, s);
	if (reason != GATE_ADMITTED)
		return refuse(g, s, reason);
	slice = slice_of(g, s);
	if (slice->poisoned)
		return refuse(g, s, GATE_withdrawn_contradiction);
	quarantine(g, slice, s, bound_ns);
	return GATE_ADMITTED;
}

const struct gate_numbers *gate_numbers(const struct gate *g) { return &g->numbers; }
const struct gate_sums *gate_sums(const struct gate *g) { return &g->sums; }
