#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "nstime.h"

static void assert_same_ts(struct timespec ts, time_t s, long ns)
{
	assert_int_equal(ts.tv_sec, s);
	assert_int_equal(ts.tv_nsec, ns);
}

static void timespec_is_floored(void **state)
{
	(void)state;
	assert_same_ts(nstime_to_timespec(0), 0, 0);
	assert_same_ts(nstime_to_timespec(1), 0, 1);
	assert_same_ts(nstime_to_timespec(-1), -1, 999999999);
	assert_same_ts(nstime_to_timespec(-NS_PER_S), -1, 0);
	assert_same_ts(nstime_to_timespec(INT64_MAX), 9223372036, 854775807);
	assert_same_ts(nstime_to_timespec(INT64_MIN), -9223372037, 145224192);
}

static void timespec_round_trip(void **state)
{
	static const int64_t values[] = {
		0, 1, -1, NS_PER_S, -NS_PER_S, NS_PER_S - 1, 1 - NS_PER_S, -NS_PER_S - 1,
		INT64_MAX, INT64_MAX - 1, INT64_MIN, INT64_MIN + 1, 1700000000 * NS_PER_S + 37,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_int_equal(nstime_from_timespec(nstime_to_timespec(values[i])), values[i]);
}

static void timespec_saturates(void **state)
{
	(void)state;
	assert_int_equal(nstime_from_timespec((struct timespec){ 9223372036, 854775808 }),
			 INT64_MAX);
	assert_int_equal(nstime_from_timespec((struct timespec){ 10000000000, 0 }), INT64_MAX);
	assert_int_equal(nstime_from_timespec((struct timespec){ -9223372037, 145224191 }),
			 INT64_MIN);
	assert_int_equal(nstime_from_timespec((struct timespec){ -10000000000, 5 }), INT64_MIN);
	assert_int_equal(nstime_from_timespec((struct timespec){ INT64_MIN, 0 }), INT64_MIN);
}

static void sums_saturate(void **state)
{
	(void)state;
	assert_int_equal(nstime_add(2, 3), 5);
	assert_int_equal(nstime_add(INT64_MAX, 1), INT64_MAX);
	assert_int_equal(nstime_add(1, INT64_MAX), INT64_MAX);
	assert_int_equal(nstime_add(INT64_MIN, -1), INT64_MIN);
	assert_int_equal(nstime_add(INT64_MIN, INT64_MAX), -1);
	assert_int_equal(nstime_sub(2, 3), -1);
	assert_int_equal(nstime_sub(INT64_MAX, -1), INT64_MAX);
	assert_int_equal(nstime_sub(0, INT64_MIN), INT64_MAX);
	assert_int_equal(nstime_sub(-1, INT64_MIN), INT64_MAX);
	assert_int_equal(nstime_sub(INT64_MIN, 1), INT64_MIN);
	assert_int_equal(nstime_sub(-2, INT64_MAX), INT64_MIN);
}

static void log_intervals(void **state)
{
	(void)state;
	assert_int_equal(nstime_log_interval(0), NS_PER_S);
	assert_int_equal(nstime_log_interval(1), 2 * NS_PER_S);
	assert_int_equal(nstime_log_interval(-4), 62500000);
	assert_int_equal(nstime_log_interval(-7), 7812500);
	assert_int_equal(nstime_log_interval(20), 1048576 * NS_PER_S);
	assert_int_equal(nstime_log_interval(127), 1048576 * NS_PER_S);
	assert_int_equal(nstime_log_interval(-20), 953);
	assert_int_equal(nstime_log_interval(-128), 953);
}

static void absolute_values(void **state)
{
	(void)state;
	assert_int_equal(nstime_abs(0), 0);
	assert_int_equal(nstime_abs(-7), 7);
	assert_int_equal(nstime_abs(7), 7);
	assert_int_equal(nstime_abs(INT64_MIN), INT64_MAX);
	assert_int_equal(nstime_abs(INT64_MIN + 1), INT64_MAX);
}

static void now_is_the_clock(void **state)
{
	int64_t a = nstime_mono(), b = nstime_now(CLOCK_MONOTONIC), c = nstime_mono();

	(void)state;
	assert_true(a <= b && b <= c);
	assert_true(nstime_now(CLOCK_REALTIME) / NS_PER_S - time(NULL) <= 0);
	assert_true(nstime_now(CLOCK_REALTIME) / NS_PER_S - time(NULL) >= -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timespec_is_floored),
		cmocka_unit_test(timespec_round_trip),
		cmocka_unit_test(timespec_saturates),
		cmocka_unit_test(sums_saturate),
		cmocka_unit_test(log_intervals),
		cmocka_unit_test(absolute_values),
		cmocka_unit_test(now_is_the_clock),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
