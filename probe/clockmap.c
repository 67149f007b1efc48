#include "clockmap.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define LINE_MIN	3		/* readings, and */
#define SPAN_MIN_NS	4e6		/* their span, before there is a line */
#define WIDE_FACTOR	8		/* wider than so many times the narrowest one is too wide, */
#define WIDE_AGE_NS	1e9		/* unless nothing better came for so long */
#define RATE_MAX	1e-3		/* no two clocks are further apart */

#define REASON_NAME(name, text) #name,
#define REASON_TEXT(name, text) text,
static const char *const names[] = { CLOCKMAP_REASONS(REASON_NAME) };
static const char *const texts[] = { CLOCKMAP_REASONS(REASON_TEXT) };

const char *clockmap_reason_name(int reason)
{
	return reason >= 0 && reason < CLOCKMAP_REASON_COUNT ? names[reason] : NULL;
}

const char *clockmap_reason_text(int reason)
{
	return reason >= 0 && reason < CLOCKMAP_REASON_COUNT ? texts[reason] : NULL;
}

void clockmap_init(struct clockmap *m, const struct clockmap_config *config)
{
	memset(m, 0, sizeof(*m));
	m->config = *config;
}

static double ticks_between(uint64_t from, uint64_t to)
{
	return (double)(int64_t)(to - from);
}

static const struct port_clock_reading *newest(const struct clockmap *m)
{
	return &m->reading[m->count - 1];
}

/* The line, relative to the newest reading. */

struct line {
	double slope, rest;	/* tick = newest tick + rest + slope * (nic - newest nic) */
};

static void fit(const struct port_clock_reading *r, int n, struct line *out)
{
	const struct port_clock_reading *last = &r[n - 1];
	double mean_x = 0, mean_y = 0, xx = 0, xy = 0;

	for (int i = 0; i < n; i++) {
		mean_x += (double)(r[i].nic_ns - last->nic_ns) / n;
		mean_y += ticks_between(last->tick, r[i].tick) / n;
	}
	for (int i = 0; i < n; i++) {
		double x = (double)(r[i].nic_ns - last->nic_ns) - mean_x;

		xx += x * x;
		xy += x * (ticks_between(last->tick, r[i].tick) - mean_y);
	}
	out->slope = xx > 0 ? xy / xx : 0;
	out->rest = mean_y - out->slope * mean_x;
}

static double residual(const struct port_clock_reading *r, const struct port_clock_reading *last,
	const struct line *l)
{
	return fabs(ticks_between(last->tick, r->tick) - l->rest -
		    l->slope * (double)(r->nic_ns - last->nic_ns));
}

/* How far the truth may be from the line at a reading. */
static double reach(const struct port_clock_reading *r, const struct port_clock_reading *last,
	const struct line *l)
{
	return (double)r->half_ticks + residual(r, last, l);
}

/* Readings of one straight line leave residuals of twice the widest half at most, but for rare patterns. */
static int is_line(const struct clockmap *m, const struct port_clock_reading *r, int n, const struct line *l)
{
	double widest = 0;

	for (int i = 0; i < n; i++)
		widest = fmax(widest, (double)r[i].half_ticks);
	widest += (double)m->config.resolution_ns / m->config.ns_per_tick + 1;
	for (int i = 0; i < n; i++)
		if (residual(&r[i], &r[n - 1], l) > 2 * widest)
			return 0;
	return 1;
}

static void bound(struct clockmap *m, const struct port_clock_reading *r, int n, const struct line *l)
{
	const struct port_clock_reading *last = &r[n - 1];
	double span = ticks_between(r[0].tick, last->tick);

	m->rate_error = m->config.wander_ppb * 1e-9 + (reach(&r[0], last, l) + reach(last, last, l)) / span;
	m->base_ticks = reach(last, last, l);
	for (int i = 0; i < n; i++) {
		double ticks = reach(&r[i], last, l) + m->rate_error * ticks_between(r[i].tick, last->tick);

		m->base_ticks = fmin(m->base_ticks, ticks);
	}
}

static int shorter(int n)
{
	return n > LINE_MIN && n * 3 / 4 < LINE_MIN ? LINE_MIN : n * 3 / 4;
}

/* Over as many of the newest readings as lie on one line. */
static void draw(struct clockmap *m)
{
	struct line l;

	m->window = 0;
	for (int n = m->count; n >= LINE_MIN; n = shorter(n)) {
		const struct port_clock_reading *r = m->reading + m->count - n;

		if (ticks_between(r[0].tick, r[n - 1].tick) * m->config.ns_per_tick < SPAN_MIN_NS)
			return;
		fit(r, n, &l);
		if (!is_line(m, r, n, &l))
			continue;
		m->window = n;
		m->tick0 = r[n - 1].tick;
		m->nic0_ns = r[n - 1].nic_ns;
		m->slope = l.slope;
		m->rest = l.rest;
		bound(m, r, n, &l);
		return;
	}
}

/* Readings. */

static void keep(struct clockmap *m, const struct port_clock_reading *r)
{
	if (m->count == CLOCKMAP_READINGS) {
		memmove(m->reading, m->reading + 1, sizeof(*r) * (CLOCKMAP_READINGS - 1));
		m->count--;
	}
	m->reading[m->count++] = *r;
}

static int too_wide(const struct clockmap *m, const struct port_clock_reading *r)
{
	uint64_t narrowest = UINT64_MAX;

	for (int i = 0; i < m->count; i++)
		if (m->reading[i].half_ticks < narrowest)
			narrowest = m->reading[i].half_ticks;
	return m->count && r->half_ticks / WIDE_FACTOR > narrowest &&
	       ticks_between(newest(m)->tick, r->tick) * m->config.ns_per_tick < WIDE_AGE_NS;
}

/* The two can belong to one clock that runs at a plausible rate, give or take `slack` of it. */
static int same_run(const struct clockmap *m, const struct port_clock_reading *a,
	const struct port_clock_reading *b, double slack)
{
	double ticks = ticks_between(a->tick, b->tick);
	double apart = (double)(b->nic_ns - a->nic_ns) / m->config.ns_per_tick - ticks;

	return fabs(apart) <= slack * ticks + (double)(a->half_ticks + b->half_ticks) +
				      (double)m->config.resolution_ns / m->config.ns_per_tick + 1;
}

static int explained(const struct clockmap *m, const struct port_clock_reading *r)
{
	double ticks = ticks_between(m->tick0, r->tick);
	double apart = ticks - m->rest - m->slope * (double)(r->nic_ns - m->nic0_ns);

	if (!m->window)
		return same_run(m, newest(m), r, RATE_MAX);
	return fabs(apart) <= m->base_ticks + m->rate_error * fabs(ticks) + (double)r->half_ticks +
				      (double)m->config.resolution_ns / m->config.ns_per_tick + 1;
}

static int note(struct clockmap *m, enum clockmap_reason reason)
{
	m->noted[reason]++;
	return (int)reason;
}

static void begin_anew(struct clockmap *m)
{
	m->count = m->window = 0;
	m->has_suspect = 0;
	m->epoch++;
}

void clockmap_restart(struct clockmap *m)
{
	begin_anew(m);
}

/* A second reading that the line does not explain: they agree on something new, or the first was torn. */
static int judge_suspect(struct clockmap *m, const struct port_clock_reading *r)
{
	struct port_clock_reading first = m->suspect, last = *newest(m);
	enum clockmap_reason reason;

	if (r->nic_ns == first.nic_ns || !same_run(m, &first, r, RATE_MAX)) {
		m->suspect = *r;
		return note(m, r->nic_ns == first.nic_ns ? CLOCKMAP_frozen : CLOCKMAP_torn);
	}
	reason = same_run(m, &last, &first, RATE_MAX) ? CLOCKMAP_rate : CLOCKMAP_step;
	begin_anew(m);
	keep(m, &first);
	keep(m, r);
	return note(m, reason);
}

int clockmap_add(struct clockmap *m, const struct port_clock_reading *r)
{
	m->readings++;
	if (m->count && (int64_t)(r->tick - newest(m)->tick) <= 0)
		return note(m, CLOCKMAP_backwards);
	if (too_wide(m, r))
		return note(m, CLOCKMAP_wide);
	if (m->count && !explained(m, r)) {
		if (m->has_suspect)
			return judge_suspect(m, r);
		m->suspect = *r;
		m->has_suspect = 1;
		return CLOCKMAP_USED;
	}
	if (m->has_suspect)
		note(m, CLOCKMAP_torn);
	m->has_suspect = 0;
	keep(m, r);
	draw(m);
	return CLOCKMAP_USED;
}

/* Use. */

int clockmap_ready(const struct clockmap *m)
{
	return m->window && !m->has_suspect;
}

int clockmap_point(const struct clockmap *m, int64_t nic_ns, struct clockmap_point *out)
{
	double ticks, half;

	if (!clockmap_ready(m))
		return -EAGAIN;
	ticks = m->rest + m->slope * (double)(nic_ns - m->nic0_ns);
	half = m->base_ticks + m->rate_error * fabs(ticks) + 1;
	out->tick = m->tick0 + (uint64_t)llrint(ticks);
	out->half_ns = (int64_t)ceil(half * m->config.ns_per_tick) + m->config.resolution_ns;
	out->epoch = m->epoch;
	return 0;
}

int clockmap_predict(const struct clockmap *m, uint64_t tick, int64_t *nic_ns)
{
	if (!m->window || m->slope <= 0)
		return -EAGAIN;
	*nic_ns = m->nic0_ns + llrint((ticks_between(m->tick0, tick) - m->rest) / m->slope);
	return 0;
}

double clockmap_span_ticks(const struct clockmap *m, int64_t from_ns, int64_t to_ns)
{
	return m->window ? m->slope * (double)(to_ns - from_ns) : 0;
}
