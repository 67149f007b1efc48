#include "timesvc/systemclock.h"

#include <string.h>

struct clock *systemclock_parent(struct clock *clocks, int count)
{
	struct clock *first = NULL;

	for (int i = 0; i < count; i++) {
		if (!clocks[i].hardware)
			continue;
		if (clocks[i].own->mode == MODE_STEER)
			return &clocks[i];
		if (first == NULL)
			first = &clocks[i];
	}
	return first;
}

int systemclock_init(struct systemclock *s, struct clock *parent, int64_t now_mono, struct err *e)
{
	const struct timebase *tb;

	*s = (struct systemclock){ .parent = parent };
	if (parent == NULL)
		return 0;
	tb = parent->timebase;
	s->sysclk = (struct sysclk){ .tsc_hz = tb->hz, .tries = CLOCK_READ_TRIES };
	s->page_index = page_clock(parent->page, SYSTEM_RECORD);
	if (s->page_index < 0)
		return err_set(e, s->page_index, "no room on the page for the record %s", SYSTEM_RECORD);
	system_init(&s->track, &parent->settings->policy, tb->ns_per_tick,
		page_epoch(parent->page, s->page_index), now_mono);
	return 0;
}

void systemclock_sample(struct systemclock *s)
{
	struct clock_reading r;

	if (s->parent != NULL)
		system_clock(&s->track, clock_read_system(s->parent->timebase, &s->sysclk, &r) == 0 ?
			&r : NULL);
}

/* ARB time is UTC by convention, or nobody knows; PTP time is ahead of it. */
static void find_utc(const struct clock *c, struct system_parent *p)
{
	const struct clock_snapshot *s = &c->pipeline.snap;

	p->utc_known = 1;
	if (c->own->utc_offset >= 0)
		p->utc_offset = c->own->utc_offset;
	else if (!s->ptp_timescale)
		p->utc_offset = 0;
	else if (s->utc_offset_valid)
		p->utc_offset = s->utc_offset;
	else
		p->utc_known = 0;
}

static int64_t beside(int64_t theirs, int64_t gap)
{
	return theirs < 0 || gap < 0 ? -1 : theirs + gap;
}

static void publish_info(const struct systemclock *s, const struct system_snapshot *snap, int64_t gap)
{
	struct tsv_info info;

	clock_info(s->parent, &info);
	memset(info.name, 0, sizeof(info.name));
	memcpy(info.name, SYSTEM_RECORD, sizeof(SYSTEM_RECORD));
	info.reasons = snap->reasons;
	info.has_offset = info.has_offset && snap->have_offset;
	info.offset_ns += snap->offset_ns;
	info.bound_parent_ns = beside(info.bound_parent_ns, gap);
	info.bound_gm_ns = beside(info.bound_gm_ns, gap);
	info.bound_utc_ns = beside(info.bound_utc_ns, gap);
	page_publish_info(s->parent->page, s->page_index, &info);
}

void systemclock_judge(struct systemclock *s, int64_t now_mono)
{
	struct pipeline_output out = { .have_line = 0 };
	struct system_snapshot *snap;
	struct system_parent p;
	int64_t theirs;

	if (s->parent == NULL)
		return;
	p = (struct system_parent){ .out = &s->parent->out };
	find_utc(s->parent, &p);
	snap = &s->parent->system;
	system_judge(&s->track, &p, now_mono, timebase_ticks(s->parent->timebase), &out, snap);
	if (out.have_line)
		clock_publish_line(s->parent, s->page_index, &out);
	theirs = p.out->line.bound_ns;
	publish_info(s, snap, snap->bound_ns < 0 || theirs < 0 ? -1 : snap->bound_ns - theirs);
}
