#include "timesvc/bound.h"

#include "nstime.h"

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

/* A servo has already followed readings that the filter does not believe yet. */
static int64_t unconfirmed(const struct bound_input *in)
{
	int64_t worst = 0;

	if (in->settings->mode == MODE_OBSERVE)
		return 0;
	for (int i = 0; i < in->offsets->pendings; i++) {
		int64_t offset = nstime_abs(in->offsets->pending[i].offset_ns);

		worst = offset > worst ? offset : worst;
	}
	return worst;
}

/* The window ends at the evidence, so in a silence it stands still: what was last seen stays counted. */
static void follower_terms(const struct bound_input *in, struct bound *b)
{
	int64_t pending = unconfirmed(in);

	offset_window(in->offsets, in->evidence_ns, &b->offset_ns, &b->path_ns);
	b->offset_ns += offset_jump(in->offsets, in->evidence_ns);
	if (pending > b->offset_ns)
		b->offset_ns = pending;
	b->growth_ppb += offset_rate_ppb(in->offsets);
}

static void parent_bound(const struct bound_input *in, int64_t page_ns, struct bound *b)
{
	b->growth_ppb = in->growth_ppb + in->line->rate_error_ppb + in->line->slew_ppb;
	b->read_ns = in->line->half_width_ns + nstime_abs(in->line->unslewed_ns) + RESOLUTION_NS +
		nstime_abs(in->line->slewed_ns - in->slewed_ns);
	if (in->role == ROLE_FOLLOWER)
		follower_terms(in, b);
	/* The page has no room for a whole second per second. */
	if (b->growth_ppb >= NS_PER_S)
		b->growth_ppb = NS_PER_S - 1;
	b->growth_ns = scale(page_ns - in->evidence_ns, b->growth_ppb);
	if (!in->line->have || in->evidence_ns == 0 || in->role == ROLE_AUTO)
		return;
	if (in->role == ROLE_FOLLOWER && offset_last(in->offsets) == NULL)
		return;
	b->parent_ns = b->offset_ns + b->path_ns + b->read_ns + b->growth_ns;
}

void bound_at(const struct bound_input *in, int64_t page_ns, struct bound *b)
{
	int64_t accuracy = bound_of_accuracy(in->gm_accuracy);
	int64_t budget = in->settings->upstream_budget_ns;

	*b = (struct bound){ .parent_ns = -1, .gm_ns = -1, .utc_ns = -1 };
	parent_bound(in, page_ns, b);
	b->needs_budget = in->steps_removed > 1 && budget < 0;
	if (b->parent_ns >= 0 && !b->needs_budget)
		b->gm_ns = b->parent_ns + (in->steps_removed > 1 ? budget : 0);
	if (b->gm_ns >= 0 && accuracy >= 0 && in->ptp_timescale)
		b->utc_ns = b->gm_ns + accuracy;
	b->judged_ns = b->gm_ns >= 0 ? b->gm_ns : b->parent_ns;
}
