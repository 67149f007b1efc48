#include "ends.h"

#include <string.h>
#include "timesvc.h"

void ends_to_trust(const struct clock_reading *r, struct stamp_trust *out)
{
	const struct gate_end *e = &r->end;

	*out = (struct stamp_trust){
		.state = (uint8_t)e->state, .flags = (uint8_t)e->flags, .domain = e->domain,
		.epoch_before = e->epoch, .epoch_after = e->epoch,
		.bound_parent_ns = e->bound_parent_ns, .bound_gm_ns = e->bound_gm_ns,
		.bound_utc_ns = e->bound_utc_ns, .port_budget_ns = e->port_budget_ns,
		.good_until_ns = e->good_until_ns, .page_ns = r->ns,
	};
	memcpy(out->parent, e->parent, 8);
	memcpy(out->gm, e->gm, 8);
}

void ends_from_trust(const struct stamp_trust *t, uint32_t epoch, struct gate_end *out)
{
	*out = (struct gate_end){
		.known = 1, .state = t->state, .flags = t->flags, .epoch = epoch, .domain = t->domain,
		.good_until_ns = t->good_until_ns,
		.bound_parent_ns = t->bound_parent_ns, .bound_gm_ns = t->bound_gm_ns,
		.bound_utc_ns = t->bound_utc_ns, .port_budget_ns = t->port_budget_ns,
	};
	memcpy(out->parent, t->parent, 8);
	memcpy(out->gm, t->gm, 8);
}

static int64_t best_bound(const struct gate_end *e)
{
	if (e->bound_utc_ns >= 0)
		return e->bound_utc_ns;
	return e->bound_gm_ns >= 0 ? e->bound_gm_ns : e->bound_parent_ns;
}

void ends_to_error(const struct clock_reading *r, struct stamp_error_estimate *out)
{
	out->synced = r->end.bound_utc_ns >= 0;
	out->ptp_format = !!(r->end.flags & TSV_PTP_SCALE);
	out->error_ns = best_bound(&r->end);
}

enum stamp_sync ends_sync(const struct clock_reading *r)
{
	return r->end.known ? STAMP_SYNC_PTP : STAMP_SYNC_LOCAL;
}
