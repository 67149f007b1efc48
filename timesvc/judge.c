#include "timesvc/judge.h"

#include "nstime.h"

/* One late stamp must not raise the alarm, a real step must: that many readings in a row. */
#define ALARM_READINGS 3

void judge_init(struct judge_state *s, int64_t now_ns)
{
	*s = (struct judge_state){ .state = TSV_UNKNOWN, .since_ns = now_ns };
}

static int past_fallback(const struct judge_evidence *e, const struct policy_settings *p)
{
	return e->bound_ns < 0 || e->bound_ns > p->fallback_bound_ns;
}

static void enter(struct judge_state *s, enum tsv_state to, uint64_t cause, int64_t now)
{
	s->state = to;
	s->cause = cause;
	s->since_ns = now;
	s->good_since_ns = 0;
}

static void fall(struct judge_state *s, uint64_t cause, int64_t now)
{
	enter(s, TSV_LOCAL_RTT, cause, now);
}

static void judge_unknown(struct judge_state *s, const struct judge_evidence *e,
	const struct policy_settings *p, int64_t now)
{
	if (e->contrary)
		fall(s, e->contrary, now);
	else if (!e->missing)
		enter(s, TSV_SETTLING, 0, now);
	else if (now - s->since_ns > p->hold_limit_ns)
		fall(s, e->missing | TSV_BIT(hold_limit), now);
}

static void judge_settling(struct judge_state *s, const struct judge_evidence *e,
	const struct policy_settings *p, int64_t now)
{
	if (e->contrary)
		fall(s, e->contrary, now);
	else if (e->missing)
		enter(s, TSV_UNKNOWN, 0, now);
	else if (e->good_syncs < (uint64_t)p->settle_syncs)
		return;
	else if (past_fallback(e, p))
		fall(s, TSV_BIT(bound), now);
	else
		enter(s, TSV_TRUSTED, 0, now);
}

static void judge_trusted(struct judge_state *s, const struct judge_evidence *e,
	const struct policy_settings *p, int64_t now)
{
	if (e->contrary)
		fall(s, e->contrary, now);
	else if (past_fallback(e, p))
		fall(s, e->missing | TSV_BIT(bound), now);
	else if (e->missing)
		enter(s, TSV_HOLDOVER, 0, now);
}

static void judge_holdover(struct judge_state *s, const struct judge_evidence *e,
	const struct policy_settings *p, int64_t now)
{
	if (e->contrary)
		fall(s, e->contrary, now);
	else if (past_fallback(e, p))
		fall(s, e->missing | TSV_BIT(bound), now);
	else if (!e->missing)
		enter(s, TSV_TRUSTED, 0, now);
	else if (now - s->since_ns > p->hold_limit_ns)
		fall(s, e->missing | TSV_BIT(hold_limit), now);
}

static void judge_local_rtt(struct judge_state *s, const struct judge_evidence *e,
	const struct policy_settings *p, int64_t now)
{
	if (e->contrary || e->missing || e->bound_ns < 0 || e->bound_ns > p->recover_bound_ns)
		s->good_since_ns = 0;
	else if (s->good_since_ns == 0)
		s->good_since_ns = now;
	else if (now - s->good_since_ns >= p->recover_time_ns)
		enter(s, TSV_TRUSTED, 0, now);
}

static void judge_alarm(struct judge_state *s, const struct judge_evidence *e,
	const struct policy_settings *p, int64_t now)
{
	if (s->state != TSV_TRUSTED) {
		if (s->state != TSV_HOLDOVER)
			s->alarm = 0;
		s->calm_since_ns = 0;
		return;
	}
	if (!s->alarm) {
		s->alarm = e->beyond_alarm >= ALARM_READINGS;
		s->calm_since_ns = 0;
		return;
	}
	if (!e->have_offset || nstime_abs(e->offset_ns) > p->alarm_clear_ns)
		s->calm_since_ns = 0;
	else if (s->calm_since_ns == 0)
		s->calm_since_ns = now;
	else if (now - s->calm_since_ns >= p->alarm_clear_time_ns)
		s->alarm = 0;
}

static uint64_t reasons_of(const struct judge_state *s, const struct judge_evidence *e)
{
	uint64_t reasons = e->missing | e->contrary | e->notes | s->cause;

	if (e->disagrees)
		reasons |= TSV_BIT(disagrees);
	if (s->alarm)
		reasons |= TSV_BIT(offset);
	if (s->state == TSV_SETTLING)
		reasons |= TSV_BIT(settling);
	if (s->state == TSV_LOCAL_RTT && s->good_since_ns)
		reasons |= TSV_BIT(recovering);
	return reasons;
}

struct judge_verdict judge(struct judge_state *s, const struct judge_evidence *e,
	const struct policy_settings *policy, int64_t now_ns)
{
	struct judge_verdict v = { .from = s->state, .alarm_from = s->alarm };

	switch (s->state) {
	case TSV_UNKNOWN: judge_unknown(s, e, policy, now_ns); break;
	case TSV_SETTLING: judge_settling(s, e, policy, now_ns); break;
	case TSV_TRUSTED: judge_trusted(s, e, policy, now_ns); break;
	case TSV_HOLDOVER: judge_holdover(s, e, policy, now_ns); break;
	default: judge_local_rtt(s, e, policy, now_ns); break;
	}
	judge_alarm(s, e, policy, now_ns);
	v.to = s->state;
	v.alarm_to = s->alarm;
	v.epoch_rises = e->disagrees || (e->contrary & TSV_BIT(clock_step)) ||
		(v.from == TSV_LOCAL_RTT && v.to == TSV_TRUSTED);
	v.reasons = reasons_of(s, e);
	return v;
}
