#include "timesvc/system.h"

#include <math.h>

#include "nstime.h"
#include "timesvc/sources/sysclk.h"

#define RESOLUTION_NS 1

/* What lies between the hardware clock and the system clock. */
struct gap {
	int64_t offset_ns, read_ns;
	int64_t growth_ppb;
};

void system_init(struct system_track *t, const struct policy_settings *policy, double ns_per_tick,
	uint32_t epoch, int64_t now_mono)
{
	*t = (struct system_track){ .policy = policy, .epoch = epoch + 1 };
	clockline_init(&t->line, ns_per_tick, &clockline_system);
	judge_init(&t->judge, now_mono);
}

void system_clock(struct system_track *t, const struct clock_reading *r)
{
	t->read_ok = r != NULL;
	if (r == NULL)
		return;
	if (clockline_feed(&t->line, r) != CLOCKLINE_STEP)
		return;
	t->contrary |= TSV_BIT(clock_step);
	t->clock_steps++;
}

static int64_t parent_time(const struct pipeline_output *p, uint64_t tick)
{
	__int128 span = (int64_t)(tick - p->line.tsc);

	return p->line.ns + (int64_t)(span * (__int128)p->mult >> 48);
}

static void measure(const struct system_track *t, const struct system_parent *p, uint64_t tick,
	struct gap *g)
{
	const struct clockline *l = &t->line;
	int64_t utc = p->utc_known ? p->utc_offset * NS_PER_S : 0;
	double apart = (double)l->mult / (double)p->out->mult - 1;

	g->offset_ns = nstime_sub(clockline_time(l, tick), nstime_sub(parent_time(p->out, tick), utc));
	g->read_ns = l->half_width_ns + nstime_abs(l->unslewed_ns) + RESOLUTION_NS;
	g->growth_ppb = l->rate_error_ppb + l->slew_ppb + t->policy->growth_ppb +
		(int64_t)ceil(fmin(fabs(apart), 0.5) * 1e9);
}

/* INT64_MAX - 1 seconds apart is no bound either. */
static int64_t widen(int64_t parent_ns, const struct gap *g)
{
	int64_t bound = parent_ns < 0 ? -1 :
		nstime_add(nstime_add(parent_ns, nstime_abs(g->offset_ns)), g->read_ns);

	return bound > UINT32_MAX ? -1 : bound;
}

static void gather(struct system_track *t, const struct system_parent *p, int64_t bound,
	struct judge_evidence *e)
{
	*e = (struct judge_evidence){
		.missing = (t->read_ok ? 0 : TSV_BIT(clock_read)) | (p->utc_known ? 0 : TSV_BIT(utc_offset)),
		.contrary = t->contrary, .bound_ns = bound, .good_syncs = UINT32_MAX,
	};
	t->contrary = 0;
}

static int relied_on(enum tsv_state state)
{
	return state == TSV_TRUSTED || state == TSV_HOLDOVER;
}

/* The worse of the two. Nothing of its own is judged while the hardware clock is not relied on, so that it
 * comes back with it. */
static void decide(struct system_track *t, const struct system_parent *p,
	const struct judge_evidence *e, int64_t now_mono, struct judge_verdict *v)
{
	const struct judge_verdict *theirs = &p->out->verdict;

	if (!relied_on(theirs->to)) {
		judge_init(&t->judge, now_mono);
		*v = *theirs;
		v->reasons |= e->missing | e->contrary;
		v->epoch_rises = (e->contrary & TSV_BIT(clock_step)) != 0;
		return;
	}
	*v = judge(&t->judge, e, t->policy, now_mono);
	v->alarm_to = theirs->alarm_to;
	if (v->to == TSV_TRUSTED) {
		v->to = theirs->to;
		v->reasons |= theirs->reasons;
	}
}

static int raises_epoch(struct system_track *t, const struct system_parent *p,
	const struct judge_verdict *v)
{
	int rises = v->epoch_rises || p->out->line.epoch != t->parent_epoch;

	t->parent_epoch = p->out->line.epoch;
	return rises;
}

static void fill_line(struct system_track *t, const struct system_parent *p, uint64_t tick,
	int64_t bound, const struct gap *g, struct pipeline_output *out)
{
	const struct tsv_time *theirs = &p->out->line;
	int64_t growth = (((int64_t)p->out->growth * NS_PER_S) >> 32) + 1 + g->growth_ppb;

	if (growth >= NS_PER_S)
		growth = NS_PER_S - 1;
	out->have_line = 1;
	out->mult = t->line.mult;
	out->growth = (uint32_t)((growth * (INT64_C(1) << 32) + NS_PER_S - 1) / NS_PER_S);
	out->line = (struct tsv_time){
		.ns = clockline_time(&t->line, tick), .bound_ns = bound, .tsc = tick, .epoch = t->epoch,
		.flags = theirs->flags & ~(TSV_PTP_SCALE | TSV_REFERENCE), .state = out->verdict.to,
	};
	/* As far back as the hardware clock's evidence. */
	if (out->verdict.to == TSV_TRUSTED)
		t->good_until_ns = nstime_sub(out->line.ns,
			nstime_sub(parent_time(p->out, tick), theirs->good_until_ns));
	out->line.good_until_ns = t->good_until_ns;
}

void system_judge(struct system_track *t, const struct system_parent *p, int64_t now_mono,
	uint64_t now_tick, struct pipeline_output *out, struct system_snapshot *snap)
{
	int both = t->line.have && p->out->have_line;
	struct gap g = { 0 };
	struct judge_evidence e;
	int64_t bound;

	if (both)
		measure(t, p, now_tick, &g);
	bound = both && p->utc_known ? widen(p->out->line.bound_ns, &g) : -1;
	gather(t, p, bound, &e);
	decide(t, p, &e, now_mono, &out->verdict);
	out->epoch_rose = raises_epoch(t, p, &out->verdict);
	t->epoch += (uint32_t)out->epoch_rose;
	out->have_line = 0;
	if (both)
		fill_line(t, p, now_tick, bound, &g, out);
	*snap = (struct system_snapshot){
		.known = 1, .state = (uint8_t)out->verdict.to, .have_offset = both && p->utc_known,
		.epoch = t->epoch, .reasons = out->verdict.reasons,
		.offset_ns = g.offset_ns, .bound_ns = bound,
		.utc_offset = p->utc_offset, .read_ns = (int32_t)t->line.half_width_ns,
		.clock_steps = t->clock_steps,
	};
}
