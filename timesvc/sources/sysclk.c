#include "sysclk.h"

#include <errno.h>
#include <unistd.h>

#include "nstime.h"
#include "tsc.h"

enum { RESOLUTION_NS = 1 };

/* Rounded up: a half width may only err on the wide side. */
static int64_t ticks_to_ns(uint64_t ticks, uint64_t hz)
{
	unsigned __int128 ns = ((unsigned __int128)ticks * NS_PER_S + hz - 1) / hz;

	return ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

static int read_over_tsc(void *arg, struct clock_reading *out)
{
	const struct sysclk *c = arg;
	struct tsc_bracket b;

	if (c->tsc_hz == 0)
		return -EINVAL;
	tsc_bracket(c->clock, c->tries, &b);
	*out = (struct clock_reading){
		.tick = b.mid_tsc,
		.time_ns = b.time_ns,
		.half_width_ns = nstime_add(ticks_to_ns(b.half_ticks, c->tsc_hz), RESOLUTION_NS),
	};
	return 0;
}

static int read_over_raw(void *arg, struct clock_reading *out)
{
	const struct sysclk *c = arg;
	int64_t best = INT64_MAX;

	for (int i = 0; i < c->tries; i++) {
		int64_t before = nstime_now(CLOCK_MONOTONIC_RAW);
		int64_t time_ns = nstime_now(c->clock);
		/* Ticks are cut to whole nanoseconds: the last one may not have been over yet. */
		int64_t width = nstime_now(CLOCK_MONOTONIC_RAW) + 1 - before;

		if (width >= best)
			continue;
		best = width;
		*out = (struct clock_reading){
			.tick = (uint64_t)(before + width / 2),
			.time_ns = time_ns,
			.half_width_ns = (width + 1) / 2 + RESOLUTION_NS,
		};
	}
	return best == INT64_MAX ? -EINVAL : 0;
}

const struct sysclk_ops sysclk_over_tsc = { read_over_tsc };
const struct sysclk_ops sysclk_over_raw = { read_over_raw };

void sysclk_controller_from(const struct timex *tx, int64_t adjtime_us,
	struct sysclk_controller *out)
{
	int64_t nominal_us = 1000000 / sysconf(_SC_CLK_TCK);
	int64_t unit_ns = tx->status & STA_NANO ? 1 : NS_PER_US;

	out->freq_ppb = tx->freq * 1000 / 65536 + (tx->tick - nominal_us) * NS_PER_S / nominal_us;
	out->status = tx->status;
	out->slew_ns = tx->offset * unit_ns + adjtime_us * NS_PER_US;
}

int sysclk_controller(struct sysclk_controller *out)
{
	struct timex tx = { .modes = 0 };
	struct timex slew = { .modes = ADJ_OFFSET_SS_READ };

	if (adjtimex(&tx) < 0 || adjtimex(&slew) < 0)
		return -errno;
	sysclk_controller_from(&tx, slew.offset, out);
	return 0;
}
