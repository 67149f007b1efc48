#include "view.h"

#include <stdio.h>
#include <string.h>
#include "timesvc.h"

int64_t view_age_ns(const struct view *v)
{
	return store_age_ns(v->store, v->now_mono_ns, v->now_wall_ns);
}

/* The engine follows a reload at once: what it said last counts. */
static int64_t void_after_ns(const struct view *v)
{
	return v->store->have ? v->store->last.void_after_ns : v->settings->void_after_ns;
}

int view_stale(const struct view *v)
{
	return view_age_ns(v) > void_after_ns(v) + VIEW_MARGIN_NS;
}

int view_clocks(const struct view *v)
{
	return v->store->have ? (int)v->store->last.clocks : v->settings->clock_count;
}

static void blank_from_settings(const struct clock_settings *cs, struct clock_snapshot *c)
{
	snprintf(c->name, sizeof(c->name), "%s", cs->name);
	snprintf(c->interface, sizeof(c->interface), "%s", cs->interface);
	c->mode = (uint8_t)cs->mode;
}

static void blank_from_last(const struct clock_snapshot *last, int64_t after_ns,
	struct clock_snapshot *c)
{
	memcpy(c->name, last->name, sizeof(c->name));
	memcpy(c->interface, last->interface, sizeof(c->interface));
	c->mode = last->mode;
	if (last->wall_ns > 0)
		c->since_wall_ns = last->wall_ns + after_ns;
}

int view_clock(const struct view *v, int clock, struct clock_snapshot *c)
{
	int stale = view_stale(v);

	if (v->store->have && !stale) {
		*c = v->store->last.clock[clock];
		return 1;
	}
	memset(c, 0, sizeof(*c));
	c->bound_parent_ns = c->bound_gm_ns = c->bound_utc_ns = -1;
	c->state = stale ? TSV_STALE : TSV_UNKNOWN;
	if (v->store->have)
		blank_from_last(&v->store->last.clock[clock], void_after_ns(v), c);
	else
		blank_from_settings(&v->settings->clocks[clock], c);
	return 0;
}

const struct child_status *view_probe_child(const struct view *v, int probe)
{
	if (!v->store->have || view_stale(v) || probe >= (int)v->store->last.probes)
		return NULL;
	return &v->store->last.probe[probe];
}

int view_probe_current(const struct view *v, const struct probe_data *d)
{
	return !d->finished && nstime_sub(v->now_mono_ns,
		d->published_mono_ns) <= VIEW_PROBE_LATE_NS;
}
