#include "timesvc/sources/sysclk.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "nstime.h"
#include "tsc.h"

/* The clock read around a reading holds it, and so does the tick counter. */
static void check_readings(const struct sysclk_ops *ops, struct sysclk *c, uint64_t (*ticks)(void))
{
	struct clock_reading r, last = { 0 };

	for (int i = 0; i < 100; i++) {
		uint64_t tick_before = ticks();
		int64_t before = nstime_now(CLOCK_REALTIME);

		assert_int_equal(ops->read(c, &r), 0);
		assert_true(r.time_ns >= before && r.time_ns <= nstime_now(CLOCK_REALTIME));
		assert_true(r.tick >= tick_before && r.tick <= ticks());
		assert_in_range(r.half_width_ns, 2, 10 * NS_PER_MS);
		assert_true(r.tick >= last.tick);
		last = r;
	}
}

static uint64_t tsc_ticks(void)
{
	return tsc_read();
}

static uint64_t raw_ticks(void)
{
	return (uint64_t)nstime_now(CLOCK_MONOTONIC_RAW);
}

static void reads_over_tsc(void **state)
{
	struct sysclk c = { .tries = 8 };
	struct tsc_info info;

	(void)state;
	assert_int_equal(tsc_measure(2 * NS_PER_MS, &info, NULL), 0);
	c.tsc_hz = info.hz;
	check_readings(&sysclk_over_tsc, &c, tsc_ticks);
}

static void reads_over_raw(void **state)
{
	struct sysclk c = { .tries = 8 };

	(void)state;
	check_readings(&sysclk_over_raw, &c, raw_ticks);
}

static void widens_with_a_slow_counter(void **state)
{
	struct sysclk fast = { .tsc_hz = UINT64_C(1) << 62, .tries = 8 };
	struct sysclk slow = { .tsc_hz = 1, .tries = 8 };
	struct clock_reading r;

	(void)state;
	assert_int_equal(sysclk_over_tsc.read(&fast, &r), 0);
	assert_int_equal(r.half_width_ns, 2);		/* rounded up to 1, and 1 of resolution */
	assert_int_equal(sysclk_over_tsc.read(&slow, &r), 0);
	assert_true(r.half_width_ns >= NS_PER_S + 1);
}

static void refuses_unusable_arguments(void **state)
{
	struct sysclk c = { .tries = 1 };
	struct clock_reading r;

	(void)state;
	assert_int_equal(sysclk_over_tsc.read(&c, &r), -EINVAL);
	c.tries = 0;
	assert_int_equal(sysclk_over_raw.read(&c, &r), -EINVAL);
}

static void decodes_adjtimex(void **state)
{
	struct timex tx = { .tick = 10000, .freq = 65536, .status = STA_PLL | STA_NANO, .offset = -250 };
	struct sysclk_controller c;

	(void)state;
	sysclk_controller_from(&tx, 0, &c);
	assert_int_equal(c.freq_ppb, 1000);	/* 1 ppm */
	assert_int_equal(c.slew_ns, -250);
	assert_int_equal(c.status, STA_PLL | STA_NANO);
	tx.status = STA_UNSYNC;			/* microseconds */
	tx.freq = -32768;
	tx.tick = 9999;
	sysclk_controller_from(&tx, 0, &c);
	assert_int_equal(c.freq_ppb, -500 - 100000);
	assert_int_equal(c.slew_ns, -250000);
	tx.offset = 0;
	sysclk_controller_from(&tx, 12, &c);	/* adjtime(3) at work */
	assert_int_equal(c.slew_ns, 12000);
}

static void asks_the_kernel(void **state)
{
	struct sysclk_controller c;

	(void)state;
	assert_int_equal(sysclk_controller(&c), 0);
	assert_in_range(c.freq_ppb + 200000000, 0, 400000000);	/* the kernel allows no more */
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_over_tsc),
		cmocka_unit_test(reads_over_raw),
		cmocka_unit_test(widens_with_a_slow_counter),
		cmocka_unit_test(refuses_unusable_arguments),
		cmocka_unit_test(decodes_adjtimex),
		cmocka_unit_test(asks_the_kernel),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
