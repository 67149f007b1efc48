#include "gate_check.h"

#include <string.h>

#include "timesvc.h"

static int same_identity(const uint8_t a[8], const uint8_t b[8])
{
	static const uint8_t unknown[8];

	return memcmp(a, b, 8) == 0 && memcmp(a, unknown, 8) != 0;
}

static int64_t sum(int64_t a_ns, int64_t b_ns)
{
	return a_ns < 0 || b_ns < 0 ? -1 : nstime_add(a_ns, b_ns);
}

/* The far end's identity does not travel with its trust: a reference is its own parent. */
static int is_parent(const struct gate_end *e)
{
	return (e->flags & TSV_REFERENCE) || same_identity(e->clock, e->parent);
}

static int64_t bound_parent(const struct gate_end *near, const struct gate_end *far)
{
	int64_t bound_ns = sum(near->bound_parent_ns, far->bound_parent_ns);

	if (is_parent(near) || is_parent(far) || bound_ns < 0)
		return bound_ns;
	return sum(bound_ns, sum(near->port_budget_ns, far->port_budget_ns));
}

int64_t gate_bound(const struct gate_end *near, const struct gate_end *far)
{
	int64_t bound_ns = -1;

	if (same_identity(near->parent, far->parent))
		bound_ns = bound_parent(near, far);
	if (bound_ns < 0 && same_identity(near->gm, far->gm))
		bound_ns = sum(near->bound_gm_ns, far->bound_gm_ns);
	if (bound_ns < 0)
		bound_ns = sum(near->bound_utc_ns, far->bound_utc_ns);
	return bound_ns;
}

static int64_t widest(int64_t a_ns, int64_t b_ns)
{
	if (a_ns < 0 || b_ns < 0)
		return -1;
	return a_ns > b_ns ? a_ns : b_ns;
}

/* Every pairing must have a bound: which page was read first says nothing about which holds. */
static int64_t sample_bound(const struct gate_sample *s)
{
	return widest(widest(gate_bound(&s->near_before, &s->far_before),
			     gate_bound(&s->near_after, &s->far_after)),
		      widest(gate_bound(&s->near_before, &s->far_after),
			     gate_bound(&s->near_after, &s->far_before)));
}

/* What refuses a sample at once. */

static int may_wait(const struct gate_end *before, const struct gate_end *after)
{
	return before->known && after->known &&
	       (before->state == TSV_TRUSTED || before->state == TSV_HOLDOVER) &&
	       (after->state == TSV_TRUSTED || after->state == TSV_HOLDOVER);
}

int gate_in_holdover(const struct gate_sample *s)
{
	return s->near_before.state == TSV_HOLDOVER || s->near_after.state == TSV_HOLDOVER ||
	       s->far_before.state == TSV_HOLDOVER || s->far_after.state == TSV_HOLDOVER;
}

static int same_timescale(const struct gate_end *a, const struct gate_end *b)
{
	return ((a->flags ^ b->flags) & TSV_PTP_SCALE) == 0;
}

static int check_ends(const struct gate_sample *s)
{
	const struct gate_end *nb = &s->near_before, *na = &s->near_after;
	const struct gate_end *fb = &s->far_before, *fa = &s->far_after;

	if (!s->has_stamps)
		return GATE_no_stamp;
	if (!fb->known || !fa->known)
		return GATE_no_trust;
	if (!may_wait(nb, na))
		return GATE_near_state;
	if (!may_wait(fb, fa))
		return GATE_far_state;
	if (nb->epoch != na->epoch)
		return GATE_near_epoch;
	if (fb->epoch != fa->epoch)
		return GATE_far_epoch;
	if (!same_timescale(nb, na) || !same_timescale(nb, fb) || !same_timescale(nb, fa))
		return GATE_timescale;
	if (nb->domain != na->domain || nb->domain != fb->domain || nb->domain != fa->domain)
		return GATE_domain;
	return GATE_ADMITTED;
}

static int impossible(int64_t delay_ns, int64_t rtt_ns, int64_t bound_ns)
{
	return delay_ns < -bound_ns || delay_ns > nstime_add(rtt_ns, bound_ns);
}

int gate_check(const struct gate_sample *s, int64_t *bound_ns)
{
	int reason = check_ends(s);

	if (reason != GATE_ADMITTED)
		return reason;
	*bound_ns = sample_bound(s);
	if (*bound_ns < 0)
		return GATE_reference;
	if (impossible(gate_delay_ab(s), s->rtt_ns, *bound_ns) ||
	    impossible(gate_delay_ba(s), s->rtt_ns, *bound_ns))
		return GATE_contradiction;
	return GATE_ADMITTED;
}
