#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "nstime.h"
#include "tsc.h"

#define ROUNDS 2000

static void ticks_advance(void **state)
{
	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t a = tsc_read(), b = tsc_read();

		assert_true(b >= a);
	}
}

static void a_bracket_is_inside_the_reads_around_it(void **state)
{
	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		struct tsc_bracket b;
		uint64_t before = tsc_read(), after;
		int64_t ns_before = nstime_now(CLOCK_MONOTONIC_RAW);

		tsc_bracket(CLOCK_MONOTONIC_RAW, 1 + i % 4, &b);
		after = tsc_read();
		assert_in_range(b.mid_tsc, before, after);
		assert_true(b.half_ticks > 0);
		assert_true(b.half_ticks <= (after - before) / 2 + 1);
		assert_in_range(b.time_ns, ns_before, nstime_now(CLOCK_MONOTONIC_RAW));
	}
}

static void brackets_are_monotonic(void **state)
{
	struct tsc_bracket last, b;

	(void)state;
	tsc_bracket(CLOCK_MONOTONIC_RAW, 1, &last);
	for (int i = 0; i < ROUNDS; i++) {
		tsc_bracket(CLOCK_MONOTONIC_RAW, 3, &b);
		assert_true(b.mid_tsc > last.mid_tsc);
		assert_true(b.time_ns >= last.time_ns);
		last = b;
	}
}

/* Asking for none or for too many still gives one reading. */
static void counts_are_clamped(void **state)
{
	static const int counts[] = { -1, 0, 1, 32, 33, 1000000000 };
	struct tsc_bracket b;

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		int64_t before = nstime_now(CLOCK_REALTIME);

		memset(&b, 0, sizeof(b));
		tsc_bracket(CLOCK_REALTIME, counts[i], &b);
		assert_true(b.time_ns >= before);
		assert_true(b.mid_tsc > 0);
	}
}

static void too_short_a_measurement(void **state)
{
	struct tsc_info info = { .hz = 4711 };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(tsc_measure(NS_PER_MS - 1, &info, &e), -EINVAL);
	assert_string_equal(e.msg, "measuring the time stamp counter takes at least 1 ms");
	assert_int_equal(tsc_measure(-1, &info, NULL), -EINVAL);
	assert_int_equal(info.hz, 4711);
}

/* Two measurements of one rate differ by no more than what both admit. */
static void measurements_agree_within_their_error(void **state)
{
	struct tsc_info quick, slow;
	struct err e = { 0 };
	int64_t before = nstime_mono();
	double apart_ppb, drift_ppb;

	(void)state;
	assert_int_equal(tsc_measure(2 * NS_PER_MS, &quick, &e), 0);
	assert_int_equal(tsc_measure(50 * NS_PER_MS, &slow, &e), 0);
	assert_true(nstime_mono() - before >= 52 * NS_PER_MS);
	assert_in_range(slow.hz, 1000000, UINT64_C(20000000000));
	assert_true(quick.hz_error_ppb > 0 && slow.hz_error_ppb > 0);
	apart_ppb = ((double)quick.hz - (double)slow.hz) / (double)slow.hz * 1e9;
	if (apart_ppb < 0)
		apart_ppb = -apart_ppb;
	/* Where the clock runs on a counter of its own, the two drift apart. */
	drift_ppb = slow.kernel_uses_it ? 1 : 200000;
	assert_true(apart_ppb <= (double)(quick.hz_error_ppb + slow.hz_error_ppb) + drift_ppb);
	assert_int_equal(slow.invariant, tsc_invariant());
	assert_true(slow.kernel_uses_it == 0 || slow.kernel_uses_it == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks_advance),
		cmocka_unit_test(a_bracket_is_inside_the_reads_around_it),
		cmocka_unit_test(brackets_are_monotonic),
		cmocka_unit_test(counts_are_clamped),
		cmocka_unit_test(too_short_a_measurement),
		cmocka_unit_test(measurements_agree_within_their_error),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
