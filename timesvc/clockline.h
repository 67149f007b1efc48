/* clockline.h: ESTIMATE, first half: the local clock as a line over the counter.
 *
 * Fed with bracketed readings, it gives time = t0 + (tick - tick0) * mult / 2^48. Each line starts on its
 * predecessor and slews towards the clock, so that time never goes backwards; what is not yet slewed is
 * said, and belongs into the bound. A reading that no slew can explain is a step: the line then starts
 * anew on the reading. Pure. */
#ifndef TIMESVC_CLOCKLINE_H
#define TIMESVC_CLOCKLINE_H

#include <stdint.h>

#define CLOCKLINE_READINGS 32

struct clock_reading;		/* sources/sysclk.h */

/* What a clock of its kind does without being stepped or broken. */
struct clockline_limits {
	int64_t step_ns;	/* a jump between two readings beyond this (and their widths) is a step */
	double slack;		/* by so much its rate may change from one reading to the next */
	double bend;		/* a change of rate that lasts and is beyond this is told; 0: none is */
};
/* Whoever steers CLOCK_REALTIME does so by tens of ppm and more. */
extern const struct clockline_limits clockline_system;
/* A servo that is locked on hardware stamps moves a clock by a few ppm at most. */
extern const struct clockline_limits clockline_phc;

struct clockline {
	const struct clockline_limits *limits;
	int have;		/* a line exists */
	uint64_t tick0, mult;
	int64_t t0_ns;
	int64_t half_width_ns;	/* of the last reading */
	int64_t unslewed_ns;	/* how far the line's start is from the reading */
	int64_t slew_ppb;	/* |correction| on the rate; goes too far when no reading follows */
	double slew;		/* the same with its sign, ns per ns */
	int64_t slewed_ns;	/* all corrections so far */
	int64_t rate_error_ppb;	/* half width of the rate */
	double nominal;		/* ns per tick */
	double rate;		/* ns per tick, measured */
	struct { uint64_t tick; int64_t time_ns, half_width_ns; } ring[CLOCKLINE_READINGS];
	unsigned count, next;
};

/* RATE: no clock has such a rate. BEND: a plausible rate, but not the one it had. */
enum clockline_verdict { CLOCKLINE_OK, CLOCKLINE_STEP, CLOCKLINE_RATE, CLOCKLINE_BEND };

void clockline_init(struct clockline *c, double ns_per_tick, const struct clockline_limits *limits);
/* Readings come in order of their ticks. */
enum clockline_verdict clockline_feed(struct clockline *c, const struct clock_reading *r);
/* Needs have. */
int64_t clockline_time(const struct clockline *c, uint64_t tick);
/* The clock's rate against the nominal counter, ppb. */
int64_t clockline_rate_ppb(const struct clockline *c);

#endif
