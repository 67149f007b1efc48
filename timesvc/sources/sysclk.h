/* sysclk.h: CLOCK_REALTIME (or another of the kernel's clocks) read against the tick counter of the page,
 * and what the kernel says about who disciplines it. */
#ifndef TIMESVC_SYSCLK_H
#define TIMESVC_SYSCLK_H

#include <stdint.h>
#include <sys/timex.h>
#include <time.h>

/* At `tick` the clock showed time_ns, give or take half_width_ns: half the bracket that
 * holds the reading and the clock's resolution of 1 ns. */
struct clock_reading {
	uint64_t tick;
	int64_t time_ns;
	int64_t half_width_ns;
};

struct sysclk_ops {
	int (*read)(void *arg, struct clock_reading *out);	/* 0 or -errno */
};

/* Both take a struct sysclk * as arg: the narrowest of `tries` (1..32) brackets. */
struct sysclk {
	uint64_t tsc_hz;	/* used by sysclk_over_tsc only */
	int tries;
	clockid_t clock;	/* CLOCK_REALTIME unless set */
};
extern const struct sysclk_ops sysclk_over_tsc;	/* ticks of the TSC */
extern const struct sysclk_ops sysclk_over_raw;	/* ticks: nanoseconds of CLOCK_MONOTONIC_RAW */

/* How the kernel is told to run CLOCK_REALTIME. */
struct sysclk_controller {
	int64_t freq_ppb;	/* frequency correction, that of the tick length included */
	int status;		/* STA_… bits of adjtimex(2) */
	int64_t slew_ns;	/* offset that is still being worked off; 0: none */
};
int sysclk_controller(struct sysclk_controller *out);	/* 0 or -errno */

/* The pure part: what adjtimex with modes 0, and what adjtime's remainder in µs, mean. */
void sysclk_controller_from(const struct timex *tx, int64_t adjtime_us,
	struct sysclk_controller *out);

#endif
