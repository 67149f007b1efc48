#include "clock_live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "log.h"
#include "nstime.h"
#include "timesvc.h"
#include "tsc.h"

#define MEASURE_NS	(100 * NS_PER_MS)
#define LOOK_NS		(200 * NS_PER_MS)	/* for a page that is not there */
#define WALL_NS		(20 * NS_PER_MS)	/* between two looks at the wall clock */
#define BRACKETS	4

struct clock_live {
	struct clock clock;
	uint64_t (*ticks)(void);
	const char *path, *name;
	struct tsv *page;		/* NULL: there is none */
	int other_counter;		/* said already that the page runs on another counter */
	int64_t look_due_ns, wall_due_ns;
	uint64_t wall_tick;
	int64_t wall_ns;
};

static uint64_t raw_ticks(void)
{
	return (uint64_t)nstime_now(CLOCK_MONOTONIC_RAW);
}

static const struct clock_live *live_of(const struct clock *c)
{
	return (const struct clock_live *)c;
}

static uint64_t live_ticks(const struct clock *c)
{
	return live_of(c)->ticks();
}

/* What no page vouches for. */
static void read_wall(const struct clock_live *l, uint64_t tick, struct clock_reading *out)
{
	*out = (struct clock_reading){
		.ns = l->wall_ns + clock_span_ns(&l->clock, l->wall_tick, tick),
		.end = { .state = TSV_UNKNOWN, .bound_parent_ns = -1, .bound_gm_ns = -1, .bound_utc_ns = -1,
			 .port_budget_ns = -1 },
	};
}

/* Bounds as of the last refresh, widened by what the page's bound has grown since. */
static int64_t widen(int64_t bound_ns, int64_t growth_ns)
{
	return bound_ns < 0 ? -1 : bound_ns + growth_ns;
}

static void fill_end(struct gate_end *e, const struct tsv_time *t, const struct tsv_info *i)
{
	int64_t base_ns = i->bound_gm_ns >= 0 ? i->bound_gm_ns : i->bound_parent_ns;
	int64_t growth_ns = t->bound_ns > base_ns ? t->bound_ns - base_ns : 0;
	int bounded = t->bound_ns != INT64_MAX;

	e->known = 1;
	e->state = t->state;
	e->flags = t->flags;
	e->epoch = t->epoch;
	e->good_until_ns = t->good_until_ns;
	e->bound_parent_ns = bounded ? widen(i->bound_parent_ns, growth_ns) : -1;
	e->bound_gm_ns = bounded ? widen(i->bound_gm_ns, growth_ns) : -1;
	e->bound_utc_ns = bounded ? widen(i->bound_utc_ns, growth_ns) : -1;
	e->port_budget_ns = i->port_budget_ns;
	e->domain = i->domain;
	memcpy(e->clock, i->clock_identity, 8);
	memcpy(e->parent, i->parent_identity, 8);
	memcpy(e->gm, i->gm_identity, 8);
}

static void live_read(const struct clock *c, uint64_t tick, struct clock_reading *out)
{
	const struct clock_live *l = live_of(c);
	struct tsv_time t;
	struct tsv_info i;

	read_wall(l, tick, out);
	if (!l->page || tsv_at(l->page, tick, &t) < 0 || tsv_info(l->page, &i))
		return;
	out->ns = t.ns;
	fill_end(&out->end, &t, &i);
}

static const struct clock_ops live_ops = { .ticks = live_ticks, .read = live_read };

static int runs_on(const struct tsv *page, uint64_t (*ticks)(void))
{
	uint64_t before = ticks(), between = tsv_ticks(page), after = ticks();

	return before <= between && between <= after;
}

static void look(struct clock_live *l)
{
	struct tsv *page;

	if (tsv_open(&page, l->path, l->name))
		return;
	if (runs_on(page, l->ticks)) {
		l->page = page;
		return;
	}
	tsv_close(page);
	if (!l->other_counter)
		log_warn("the trust page runs on another counter: not used before a restart");
	l->other_counter = 1;
}

static void choose_ticks(struct clock_live *l)
{
	struct tsv *page;

	l->ticks = tsc_invariant() ? tsc_read : raw_ticks;
	if (tsv_open(&page, l->path, l->name))
		return;
	l->ticks = runs_on(page, tsc_read) ? tsc_read : raw_ticks;
	tsv_close(page);
}

static int measure(struct clock_live *l, struct err *e)
{
	struct tsc_info info;
	int err;

	if (l->ticks == raw_ticks) {
		l->clock.mult = UINT64_C(1) << 48;
		return 0;
	}
	err = tsc_measure(MEASURE_NS, &info, e);
	if (err)
		return err;
	l->clock.mult = (uint64_t)(((unsigned __int128)NS_PER_S << 48) / info.hz);
	return 0;
}

/* The narrowest of a few: the process may be interrupted within one. */
static void follow_wall(struct clock_live *l)
{
	uint64_t narrowest = UINT64_MAX;

	for (int i = 0; i < BRACKETS; i++) {
		uint64_t before = l->ticks();
		int64_t ns = nstime_now(CLOCK_REALTIME);
		uint64_t width = l->ticks() - before;

		if (width >= narrowest)
			continue;
		narrowest = width;
		l->wall_tick = before + width / 2;
		l->wall_ns = ns;
	}
}

int clock_live_open(struct clock_live **live, const char *path, const char *name, struct err *e)
{
	struct clock_live *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return err_set(e, -ENOMEM, "out of memory");
	l->clock.ops = &live_ops;
	l->path = path;
	l->name = name;
	choose_ticks(l);
	err = measure(l, e);
	if (err) {
		free(l);
		return err;
	}
	l->clock.mono0_ns = nstime_mono();
	l->clock.tick0 = l->ticks();
	follow_wall(l);
	look(l);
	*live = l;
	return 0;
}

void clock_live_close(struct clock_live *live)
{
	if (!live)
		return;
	tsv_close(live->page);
	free(live);
}

struct clock *clock_live_clock(struct clock_live *live)
{
	return &live->clock;
}

int clock_live_has_page(const struct clock_live *live)
{
	return live->page != NULL;
}

uint64_t (*clock_live_ticks(const struct clock_live *live))(void)
{
	return live->ticks;
}

static int superseded(const struct clock_live *l)
{
	struct tsv_time t;

	return tsv_at(l->page, l->ticks(), &t) == -ESTALE;
}

void clock_live_work(struct clock_live *l, int64_t now_ns)
{
	if (now_ns >= l->wall_due_ns) {
		follow_wall(l);
		l->wall_due_ns = now_ns + WALL_NS;
	}
	if (now_ns < l->look_due_ns)
		return;
	l->look_due_ns = now_ns + LOOK_NS;
	if (l->page && superseded(l)) {
		tsv_close(l->page);
		l->page = NULL;
		log_info("the trust page was superseded");
	}
	if (l->page)
		return;
	look(l);
	if (l->page)
		log_info("trust page found");
}
