#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "nstime.h"
#include "rng.h"
#include "timesvc/clockline.h"
#include "timesvc/sources/sysclk.h"
#include "timesvc/timebase.h"

#define MS	NS_PER_MS
#define US	NS_PER_US
#define T0	(INT64_C(1700000000) * NS_PER_S)
#define HALF	26
#define EVERY	(50 * MS)

static struct clockline line;

/* A reading at `at` ns of a counter that counts nanoseconds, as CLOCK_MONOTONIC_RAW does. */
static enum clockline_verdict feed(int64_t at, int64_t time_ns)
{
	struct clock_reading r = { .tick = (uint64_t)at, .time_ns = T0 + time_ns, .half_width_ns = HALF };

	return clockline_feed(&line, &r);
}

static int64_t time_at(int64_t at)
{
	return clockline_time(&line, (uint64_t)at) - T0;
}

/* `n` readings of a clock that is `ppm` fast; returns when the last one was. */
static int64_t run(int n, double ppm)
{
	int64_t at = 0;

	clockline_init(&line, 1.0, &clockline_system);
	for (int i = 0; i < n; i++) {
		at = i * EVERY;
		assert_int_equal(feed(at, llround((double)at * (1 + ppm * 1e-6))), CLOCKLINE_OK);
	}
	return at;
}

static void starts_on_the_first_reading(void **state)
{
	(void)state;
	clockline_init(&line, 1.0, &clockline_system);
	assert_int_equal(line.have, 0);
	assert_int_equal(feed(7000, 500), CLOCKLINE_OK);
	assert_int_equal(line.have, 1);
	assert_int_equal(line.mult, UINT64_C(1) << 48);
	assert_int_equal(line.half_width_ns, HALF);
	assert_int_equal(line.unslewed_ns, 0);
	assert_int_equal(time_at(7000), 500);
	assert_int_equal(time_at(8000), 1500);
	assert_int_equal(time_at(6000), -500);
	assert_int_equal(clockline_rate_ppb(&line), 0);
}

static void follows_a_steady_clock(void **state)
{
	int64_t at = run(40, 0);

	(void)state;
	assert_int_equal(time_at(at), at);
	assert_int_equal(time_at(at + EVERY), at + EVERY);
	assert_int_equal(line.unslewed_ns, 0);
	assert_int_equal(clockline_rate_ppb(&line), 0);
	/* Two half widths over 31 intervals: 52 ns in 1.55 s. */
	assert_int_equal(line.rate_error_ppb, 34);
}

static void rate_is_unknown_at_first(void **state)
{
	(void)state;
	run(3, 0);
	assert_true(line.rate_error_ppb >= 600000);
	run(4, 0);
	assert_int_equal(line.rate_error_ppb, 347);
	/* Four readings that are too close tell nothing. */
	clockline_init(&line, 1.0, &clockline_system);
	for (int i = 0; i < 5; i++)
		feed(i * 10 * MS, i * 10 * MS);
	assert_true(line.rate_error_ppb >= 600000);
	feed(50 * MS, 50 * MS);
	assert_int_equal(line.rate_error_ppb, 1040);
}

/* An oscillator far from nominal is no reason to distrust it: its rate is what is to be learnt. */
static void learns_any_plausible_rate(void **state)
{
	static const double ppm[] = { -500, -200, -60, 60, 200, 500 };

	(void)state;
	for (size_t i = 0; i < sizeof(ppm) / sizeof(ppm[0]); i++) {
		int64_t at = run(80, ppm[i]);

		assert_in_range(clockline_rate_ppb(&line) - llround(ppm[i] * 1000) + 2, 0, 4);
		assert_in_range(line.unslewed_ns + 100, 0, 200);
		at += EVERY;
		assert_in_range(time_at(at) - llround((double)at * (1 + ppm[i] * 1e-6)) + 100, 0, 200);
	}
}

static void tells_an_implausible_rate(void **state)
{
	enum clockline_verdict v = CLOCKLINE_OK;

	(void)state;
	for (int sign = -1; sign <= 1; sign += 2) {
		clockline_init(&line, 1.0, &clockline_system);
		for (int i = 0; i < 40; i++) {
			double t = (double)(i * EVERY) * (1 + sign * 700e-6);

			v = feed(i * EVERY, llround(t));
			assert_int_not_equal(v, CLOCKLINE_STEP);
		}
		assert_int_equal(v, CLOCKLINE_RATE);
	}
}

/* 1 us, and 50 ppm of 50 ms, and both half widths (and 34 ppb of rate error). */
#define STEP_LIMIT (1000 + 2500 + 2 * HALF)

static void a_step_is_what_no_slew_explains(void **state)
{
	(void)state;
	for (int sign = -1; sign <= 1; sign += 2) {
		int64_t at = run(40, 0) + EVERY;

		assert_int_equal(feed(at, at + sign * STEP_LIMIT), CLOCKLINE_OK);
		assert_int_equal(line.unslewed_ns, sign * STEP_LIMIT);
		assert_int_equal(time_at(at), at);
		at = run(40, 0) + EVERY;
		assert_int_equal(feed(at, at + sign * (STEP_LIMIT + 2)), CLOCKLINE_STEP);
		assert_int_equal(line.unslewed_ns, 0);
		assert_int_equal(time_at(at), at + sign * (STEP_LIMIT + 2));
		assert_true(line.rate_error_ppb >= 600000);
	}
}

static void a_step_of_any_size_is_seen(void **state)
{
	static const int64_t size[] = {
		8 * US, 153 * US, 5660 * MS, INT64_C(1) << 32, 37 * NS_PER_S, T0,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++)
		for (int sign = -1; sign <= 1; sign += 2) {
			int64_t at = run(40, 12) + EVERY;
			int64_t shown = llround((double)at * (1 + 12e-6)) + sign * size[i];

			assert_int_equal(feed(at, shown), CLOCKLINE_STEP);
			assert_int_equal(time_at(at), shown);
			assert_int_equal(feed(at + EVERY, shown + EVERY + 600), CLOCKLINE_OK);
		}
}

static void a_gap_is_no_step(void **state)
{
	int64_t at = run(40, 20);

	(void)state;
	/* 20 s without a reading, at a rate that has changed by 30 ppm meanwhile. */
	assert_int_equal(feed(at + 20 * NS_PER_S, llround((double)at * (1 + 20e-6)) + 20 * NS_PER_S +
		1000 * US), CLOCKLINE_OK);
	assert_int_equal(time_at(at + 20 * NS_PER_S), line.t0_ns - T0);
}

static void corrections_are_slewed(void **state)
{
	int64_t at = run(40, 0) + EVERY;

	(void)state;
	feed(at, at + 2000);
	assert_int_equal(line.unslewed_ns, 2000);
	assert_int_equal(line.slew_ppb, 10000);
	assert_int_equal(time_at(at), at);
	/* 2 us over 200 ms are 10 ppm on the rate of 1.55 s that has 2 us more. */
	assert_in_range(time_at(at + 100 * MS) - at - 100 * MS, 1100, 1150);
	for (int i = 1; i <= 40; i++)
		feed(at + i * EVERY, at + i * EVERY + 2000);
	assert_in_range(line.unslewed_ns + 20, 0, 40);
}

static void slew_has_a_limit(void **state)
{
	struct clock_reading r = { .half_width_ns = 1 * MS };
	int64_t before;

	(void)state;
	clockline_init(&line, 1.0, &clockline_system);
	for (int i = 0; i < 40; i++) {
		r.tick = (uint64_t)(i * EVERY);
		r.time_ns = T0 + i * EVERY;
		assert_int_equal(clockline_feed(&line, &r), CLOCKLINE_OK);
	}
	r.tick += EVERY;
	r.time_ns += EVERY - MS / 2;
	before = clockline_time(&line, r.tick);
	assert_int_equal(clockline_feed(&line, &r), CLOCKLINE_OK);
	assert_int_equal(line.unslewed_ns, -MS / 2);
	assert_int_equal(line.slew_ppb, 100000);
	assert_int_equal(clockline_time(&line, r.tick), before);
	/* 100 ppm below the rate, which half a millisecond in 1.55 s has pulled down. */
	assert_in_range(clockline_time(&line, r.tick + EVERY) - before,
		llround(EVERY * (line.rate * (1 - 100e-6))) - 1, llround(EVERY * (line.rate * (1 - 100e-6))));
}

/* A PCI register, read within half a microsecond, of a clock that changes its rate at the 40th reading. */
static enum clockline_verdict bent_by(double ppm, int readings)
{
	struct clock_reading r = { .half_width_ns = 500 };
	enum clockline_verdict v, worst = CLOCKLINE_OK;
	double shown = 0;

	clockline_init(&line, 1.0, &clockline_phc);
	for (int i = 0; i <= 40 + readings; i++) {
		r.tick = (uint64_t)(i * EVERY);
		r.time_ns = T0 + llround(shown);
		v = clockline_feed(&line, &r);
		if (v != CLOCKLINE_OK && worst == CLOCKLINE_OK)
			worst = v;
		shown += (double)EVERY * (1 + (i >= 40 ? ppm : 25) * 1e-6);
	}
	return worst;
}

static void a_bend_is_told_in_a_quarter_of_a_second(void **state)
{
	(void)state;
	assert_int_equal(bent_by(75, 1), CLOCKLINE_OK);		/* 2.5 us: a reading could be that wrong */
	assert_int_equal(bent_by(75, 4), CLOCKLINE_BEND);
	assert_int_equal(bent_by(-25, 4), CLOCKLINE_BEND);
	/* What a servo does that follows a few microseconds. */
	assert_int_equal(bent_by(35, 20), CLOCKLINE_OK);
	assert_int_equal(bent_by(15, 20), CLOCKLINE_OK);
	/* Its new rate is learnt: no second one. */
	bent_by(75, 40);
	assert_in_range(clockline_rate_ppb(&line), 74900, 75100);
	assert_true(line.rate_error_ppb < 2000);
}

static void limits_of_a_hardware_clock(void **state)
{
	/* 1 us, 30 ppm of 50 ms, and both half widths. */
	const int64_t limit = 1000 + 1500 + 2 * HALF;

	(void)state;
	for (int sign = -1; sign <= 1; sign += 2) {
		int64_t at;

		run(40, 0);
		line.limits = &clockline_phc;
		at = 40 * EVERY;
		assert_int_equal(feed(at, at + sign * limit), CLOCKLINE_OK);
		run(40, 0);
		line.limits = &clockline_phc;
		assert_int_equal(feed(at, at + sign * (limit + 3)), CLOCKLINE_STEP);
	}
}

/* A step is told from the last reading: what is still being slewed does not hide it. */
static void a_step_behind_a_slew(void **state)
{
	int64_t at = run(40, 0) + EVERY;

	(void)state;
	assert_int_equal(feed(at, at + 3000), CLOCKLINE_OK);
	assert_int_equal(line.unslewed_ns, 3000);
	assert_int_equal(feed(at + EVERY, at + EVERY + 3000 + 5000), CLOCKLINE_STEP);
}

static void corrections_are_added_up(void **state)
{
	int64_t at = run(40, 0) + EVERY;

	(void)state;
	assert_int_equal(line.slewed_ns, 0);
	feed(at, at + 2000);
	assert_int_equal(line.slewed_ns, 0);
	/* A quarter of it until the next reading, and so on, but for what the rate took over. */
	feed(at + EVERY, at + EVERY + 2000);
	assert_in_range(line.slewed_ns, 499, 501);
	for (int i = 2; i <= 6; i++)
		feed(at + i * EVERY, at + i * EVERY + 2000);
	assert_in_range(line.slewed_ns, 1100, 1650);
}

/* Counters of any rate, clocks that wander, readings anywhere in their brackets and at any distance. */
static void never_backwards(void **state)
{
	struct rng rng = rng_seeded();

	(void)state;
	for (int round = 0; round < 300; round++) {
		double per_tick = 0.2 + (double)rng_below(&rng, 1000) / 500, ppm = 0, shown = 0;
		uint64_t tick = rng_next(&rng) >> 1;
		int64_t last = INT64_MIN;

		clockline_init(&line, per_tick, round % 2 ? &clockline_phc : &clockline_system);
		for (int i = 0; i < 200; i++) {
			uint64_t step = 1 + rng_below(&rng, 3 * (uint64_t)EVERY);
			int64_t error = (int64_t)rng_below(&rng, 2 * HALF - 1) - HALF + 1;
			struct clock_reading r = { .half_width_ns = HALF };

			ppm = fmin(fmax(ppm + (double)rng_below(&rng, 9) - 4, -400), 400);
			shown += (double)step * per_tick * (1 + ppm * 1e-6);
			for (int k = 1; k <= 4 && line.have; k++) {
				int64_t now = clockline_time(&line, tick + step * (uint64_t)k / 4);

				assert_true(now >= last);
				last = now;
			}
			tick += step;
			r.tick = tick;
			r.time_ns = T0 + llround(shown) + error;
			if (clockline_feed(&line, &r) == CLOCKLINE_STEP)
				last = INT64_MIN;
			assert_true(clockline_time(&line, tick) >= last);
			assert_int_equal(r.time_ns - clockline_time(&line, tick), line.unslewed_ns);
		}
	}
}

static void timebase_of_the_raw_clock(void **state)
{
	struct timebase tb;
	uint64_t before;
	struct err e;

	(void)state;
	assert_int_equal(timebase_init(&tb, TSC_NEVER, &e), 0);
	assert_int_equal(tb.kind, TSV_TIMEBASE_RAW);
	assert_int_equal(tb.hz, NS_PER_S);
	assert_true(tb.ns_per_tick == 1);
	assert_int_equal(tb.assumed, 0);
	assert_int_equal(timebase_span(&tb, 250 * MS), 250 * MS);
	assert_int_equal(timebase_span(&tb, 0), 0);
	before = (uint64_t)nstime_now(CLOCK_MONOTONIC_RAW);
	assert_in_range(timebase_ticks(&tb) - before, 0, NS_PER_S);
}

static void timebase_of_the_tsc(void **state)
{
	struct timebase tb;
	uint64_t before;
	struct err e;

	(void)state;
	assert_int_equal(timebase_init(&tb, TSC_ASSUME, &e), 0);
	assert_int_equal(tb.kind, TSV_TIMEBASE_TSC);
	assert_int_equal(tb.assumed, !tb.invariant);
	assert_true(fabs(tb.ns_per_tick * (double)tb.hz - 1e9) < 1);
	assert_in_range(timebase_span(&tb, NS_PER_S), tb.hz - 1, tb.hz + 1);
	before = timebase_ticks(&tb);
	assert_true(timebase_ticks(&tb) >= before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_on_the_first_reading),
		cmocka_unit_test(follows_a_steady_clock),
		cmocka_unit_test(rate_is_unknown_at_first),
		cmocka_unit_test(learns_any_plausible_rate),
		cmocka_unit_test(tells_an_implausible_rate),
		cmocka_unit_test(a_step_is_what_no_slew_explains),
		cmocka_unit_test(a_step_of_any_size_is_seen), cmocka_unit_test(a_gap_is_no_step),
		cmocka_unit_test(corrections_are_slewed), cmocka_unit_test(slew_has_a_limit),
		cmocka_unit_test(a_bend_is_told_in_a_quarter_of_a_second),
		cmocka_unit_test(limits_of_a_hardware_clock),
		cmocka_unit_test(a_step_behind_a_slew),
		cmocka_unit_test(corrections_are_added_up),
		cmocka_unit_test(never_backwards), cmocka_unit_test(timebase_of_the_raw_clock),
		cmocka_unit_test(timebase_of_the_tsc),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("clockline", tests, NULL, NULL);
}
