#include "timesvc/bound.h"

#include "nstime.h"
#include "timesvc/pipeline.h"

#define RESOLUTION_NS 1

int64_t bound_of_accuracy(uint8_t accuracy)
{
	/* From 0x17, 1 ps, to 0x30, 10 s. */
	static const int64_t ns[] = {
		1, 1, 1, 1, 1, 1, 1, 3, 10, 25, 100, 250, 1000, 2500, 10000, 25000, 100000, 250000,
		1000000, 2500000, 10000000, 25000000, 100000000, 250000000, 1000000000, 10000000000
	};

	if (accuracy < 0x17 || accuracy - 0x17 >= (int)(sizeof(ns) / sizeof(ns[0])))
		return -1;
	return ns[accuracy - 0x17];
}

static int64_t scale(int64_t span_ns, int64_t ppb)
{
	return span_ns <= 0 ? 0 : (int64_t)(((__int128)span_ns * ppb + NS_PER_S - 1) / NS_PER_S);
}

static void parent_bound(const struct pipeline *p, int64_t page_ns, struct bound *b)
{
	int64_t rate = 0;

	b->parent_ns = -1;
	b->read_ns = p->line.half_width_ns + nstime_abs(p->line.unslewed_ns) + RESOLUTION_NS;
	if (p->role == ROLE_FOLLOWER) {
		/* The window stands still in a silence: what was last seen stays counted. */
		offset_window(&p->offsets, p->sync_ns, &b->offset_ns, &b->path_ns);
		b->offset_ns += offset_jump(&p->offsets, p->sync_ns);
		/* A servo has already followed readings that we do not believe yet. */
		for (int i = 0; p->settings->mode != MODE_OBSERVE && i < p->offsets.pendings; i++)
			if (nstime_abs(p->offsets.pending[i].offset_ns) > b->offset_ns)
				b->offset_ns = nstime_abs(p->offsets.pending[i].offset_ns);
		rate = offset_rate_ppb(&p->offsets);
	}
	b->growth_ppb = p->policy->growth_ppb + p->line.rate_error_ppb + rate;
	b->growth_ns = scale(page_ns - p->sync_ns, b->growth_ppb);
	if (!p->line.have || p->sync_ns == 0 || p->role == ROLE_AUTO)
		return;
	if (p->role == ROLE_FOLLOWER && offset_last(&p->offsets) == NULL)
		return;
	b->parent_ns = b->offset_ns + b->path_ns + b->read_ns + b->growth_ns;
}

void bound_at(const struct pipeline *p, int64_t page_ns, struct bound *b)
{
	int64_t accuracy = bound_of_accuracy(p->last.parent.gm_accuracy);
	int hops = p->last.current.steps_removed;

	*b = (struct bound){ .gm_ns = -1, .utc_ns = -1 };
	parent_bound(p, page_ns, b);
	if (b->parent_ns >= 0 && hops <= 1)
		b->gm_ns = b->parent_ns;
	else if (b->parent_ns >= 0 && p->settings->upstream_budget_ns >= 0)
		b->gm_ns = b->parent_ns + p->settings->upstream_budget_ns;
	b->needs_budget = hops > 1 && p->settings->upstream_budget_ns < 0;
	if (b->gm_ns >= 0 && accuracy >= 0 && p->last.properties.ptp_timescale)
		b->utc_ns = b->gm_ns + accuracy;
	b->judged_ns = b->gm_ns >= 0 ? b->gm_ns : b->parent_ns;
}
