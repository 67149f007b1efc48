/* clock.h: what a tick of the host's counter means: a span, an instant of this end, how far it is trusted.
 *
 * Behind ops so that tests run in virtual time. Spans use one fixed rate, measured at start against
 * CLOCK_MONOTONIC_RAW: they have no steps, whatever happens to the page. */
#ifndef PROBE_CLOCK_H
#define PROBE_CLOCK_H

#include <stdint.h>
#include "gate.h"

struct clock_reading {
	int64_t ns;
	struct gate_end end;	/* known = 0: no page vouches, ns is the host's wall clock */
};

struct clock;
struct clock_ops {
	uint64_t (*ticks)(const struct clock *c);
	void (*read)(const struct clock *c, uint64_t tick, struct clock_reading *out);
};

struct clock {
	const struct clock_ops *ops;
	uint64_t mult;		/* nanoseconds per tick, 2^-48 */
	uint64_t tick0;		/* at CLOCK_MONOTONIC mono0_ns */
	int64_t mono0_ns;
};

/* From one tick to another, negative when `to` is the earlier. */
static inline int64_t clock_span_ns(const struct clock *c, uint64_t from, uint64_t to)
{
	return (int64_t)((__int128)(int64_t)(to - from) * (__int128)c->mult >> 48);
}

/* CLOCK_MONOTONIC at a tick, but for what the two rates differ since the start. */
static inline int64_t clock_mono_ns(const struct clock *c, uint64_t tick)
{
	return c->mono0_ns + clock_span_ns(c, c->tick0, tick);
}

#endif
