#include "timesvc/clockline.h"

#include <math.h>

#include "nstime.h"
#include "timesvc/sources/sysclk.h"

/* The kernel adjusts CLOCK_REALTIME by at most 500 ppm; a PHC that is further off is broken. */
#define RATE_MAX	600e-6
/* Before a rate is measured it may be any that is plausible, and some, to be told as implausible. */
#define RATE_UNKNOWN_PPB 1200000
/* Corrections are spread over this long, and never faster than SLEW_MAX. */
#define SLEW_NS		200e6
#define SLEW_MAX	100e-6

/* A change of rate is looked for over so many of the last readings, against those before. */
static const unsigned bend_windows[] = { 2, 4, 8 };
#define BEND_BEFORE	8

const struct clockline_limits clockline_system = { .step_ns = 1000, .slack = 50e-6 };
const struct clockline_limits clockline_phc = { .step_ns = 1000, .slack = 30e-6, .bend = 30e-6 };

void clockline_init(struct clockline *c, double ns_per_tick, const struct clockline_limits *limits)
{
	*c = (struct clockline){ .limits = limits, .nominal = ns_per_tick, .rate = ns_per_tick };
}

int64_t clockline_time(const struct clockline *c, uint64_t tick)
{
	__int128 span = (int64_t)(tick - c->tick0);

	return c->t0_ns + (int64_t)(span * (__int128)c->mult >> 48);
}

int64_t clockline_rate_ppb(const struct clockline *c)
{
	return llround((c->rate / c->nominal - 1) * 1e9);
}

static uint64_t to_mult(double ns_per_tick)
{
	return (uint64_t)llround(ns_per_tick * 0x1p48);
}

static void start(struct clockline *c, const struct clock_reading *r)
{
	c->have = 1;
	c->tick0 = r->tick;
	c->t0_ns = r->time_ns;
	c->mult = to_mult(c->rate);
	c->unslewed_ns = c->slew_ppb = c->slewed_ns = 0;
	c->slew = 0;
	c->count = c->next = 0;
}

static void remember(struct clockline *c, const struct clock_reading *r)
{
	c->ring[c->next].tick = r->tick;
	c->ring[c->next].time_ns = r->time_ns;
	c->ring[c->next].half_width_ns = r->half_width_ns;
	c->next = (c->next + 1) % CLOCKLINE_READINGS;
	if (c->count < CLOCKLINE_READINGS)
		c->count++;
	c->half_width_ns = r->half_width_ns;
}

/* Rate over the whole ring: its ends are the furthest apart, so their widths weigh least. */
static void measure_rate(struct clockline *c)
{
	unsigned new = (c->next + CLOCKLINE_READINGS - 1) % CLOCKLINE_READINGS;
	unsigned old = c->count < CLOCKLINE_READINGS ? 0 : c->next;
	double span = (double)(c->ring[new].time_ns - c->ring[old].time_ns);
	double widths = (double)(c->ring[new].half_width_ns + c->ring[old].half_width_ns);

	if (c->count < 4 || span < 50e6) {
		c->rate_error_ppb = RATE_UNKNOWN_PPB;
		return;
	}
	c->rate = span / (double)(c->ring[new].tick - c->ring[old].tick);
	c->rate_error_ppb = (int64_t)ceil(widths / span * 1e9);
}

/* The i-th last reading, 0 the newest. */
static unsigned place(const struct clockline *c, unsigned i)
{
	return (c->next + 2 * CLOCKLINE_READINGS - 1 - i) % CLOCKLINE_READINGS;
}

/* Against the last reading, not the line: what is still being slewed is no jump. */
static int is_step(const struct clockline *c, const struct clock_reading *r)
{
	unsigned last = place(c, 0);
	double ticks = (double)(r->tick - c->ring[last].tick);
	double jump = (double)nstime_sub(r->time_ns, c->ring[last].time_ns) - ticks * c->rate;
	double slack = c->limits->slack + (double)c->rate_error_ppb * 1e-9;

	return fabs(jump) > (double)c->limits->step_ns + slack * ticks * c->nominal +
		(double)r->half_width_ns + (double)c->ring[last].half_width_ns;
}

/* The rate between two readings, new and old by place; *error is how far their widths allow it to be off. */
static double rate_between(const struct clockline *c, unsigned new, unsigned old, double *error)
{
	double span = (double)(c->ring[new].time_ns - c->ring[old].time_ns);

	*error = (double)(c->ring[new].half_width_ns + c->ring[old].half_width_ns) / span;
	return span / (double)(c->ring[new].tick - c->ring[old].tick);
}

static int is_bent(const struct clockline *c)
{
	for (size_t i = 0; i < sizeof(bend_windows) / sizeof(bend_windows[0]); i++) {
		unsigned n = bend_windows[i];
		double now_error, before_error, now, before;

		if (c->limits->bend == 0 || c->count < n + BEND_BEFORE + 1)
			return 0;
		now = rate_between(c, place(c, 0), place(c, n), &now_error);
		before = rate_between(c, place(c, n), place(c, c->count - 1), &before_error);
		if (fabs(now - before) / c->nominal - now_error - before_error > c->limits->bend)
			return 1;
	}
	return 0;
}

/* What is older than the bend says nothing of the rate now. The line goes on. */
static void forget_rate(struct clockline *c)
{
	unsigned last = place(c, 0);
	double error;

	c->rate = rate_between(c, last, place(c, bend_windows[0]), &error);
	c->rate_error_ppb = RATE_UNKNOWN_PPB;
	c->ring[0] = c->ring[last];
	c->count = c->next = 1;
}

static void bend(struct clockline *c, const struct clock_reading *r, int64_t here, int64_t diff)
{
	double slew = fmin(fmax((double)diff / SLEW_NS, -SLEW_MAX), SLEW_MAX);

	c->slewed_ns += llround((double)(r->tick - c->tick0) * c->nominal * c->slew);
	c->slew = slew;
	c->tick0 = r->tick;
	c->t0_ns = here;
	c->mult = to_mult(c->rate * (1 + slew));
	c->unslewed_ns = diff;
	c->slew_ppb = (int64_t)ceil(fabs(slew) * 1e9);
}

enum clockline_verdict clockline_feed(struct clockline *c, const struct clock_reading *r)
{
	int64_t here, diff;
	int bent;

	if (!c->have) {
		start(c, r);
		remember(c, r);
		measure_rate(c);
		return CLOCKLINE_OK;
	}
	here = clockline_time(c, r->tick);
	diff = nstime_sub(r->time_ns, here);
	if (is_step(c, r)) {
		start(c, r);
		remember(c, r);
		measure_rate(c);
		return CLOCKLINE_STEP;
	}
	remember(c, r);
	bent = is_bent(c);
	if (bent)
		forget_rate(c);
	else
		measure_rate(c);
	bend(c, r, here, diff);
	if (bent)
		return CLOCKLINE_BEND;
	return fabs(c->rate / c->nominal - 1) - (double)c->rate_error_ppb * 1e-9 > RATE_MAX ?
		CLOCKLINE_RATE : CLOCKLINE_OK;
}
