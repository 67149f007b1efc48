#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "probe/windows.h"

struct world {
	struct windows windows;
	struct hist_sum rtt;
	struct gate_sums sums;
	struct probe_window s1, s10;
};

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct world));
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

static void record(struct hist_sum *h, int64_t ns, int times)
{
	while (times--)
		hist_sum_record(h, ns);
}

static void turn(struct world *w)
{
	windows_turn(&w->windows, &w->rtt, &w->sums, &w->s1, &w->s10);
}

static void test_nothing(void **state)
{
	struct world *w = *state;

	turn(w);
	assert_int_equal(w->s1.rtt_count, 0);
	assert_int_equal(w->s10.ab_count, 0);
}

static void test_one_second(void **state)
{
	struct world *w = *state;

	record(&w->rtt, 100, 990);
	record(&w->rtt, 5000, 10);
	record(&w->sums.ab_trusted, -50, 3);
	record(&w->sums.ab_untrusted, 77, 9);	/* not shown */
	turn(w);
	assert_int_equal(w->s1.rtt_count, 1000);
	assert_int_equal(w->s1.rtt_p50_ns, 100);
	assert_int_equal(w->s1.rtt_p99_ns, 100);
	assert_int_equal(w->s1.ab_count, 3);
	assert_int_equal(w->s1.ab_p50_ns, -50);
	assert_int_equal(w->s1.ba_count, 0);
	turn(w);				/* a second without anything new */
	assert_int_equal(w->s1.rtt_count, 0);
	assert_int_equal(w->s10.rtt_count, 1000);
}

static void test_ten_seconds(void **state)
{
	struct world *w = *state;

	for (int second = 1; second <= 25; second++) {
		record(&w->rtt, second, 100);
		turn(w);
		assert_int_equal(w->s1.rtt_count, 100);
		assert_int_equal(w->s1.rtt_p50_ns, second);
		assert_int_equal(w->s10.rtt_count, second < 10 ? 100 * second : 1000);
	}
	assert_int_equal(w->s10.rtt_p50_ns, 20);	/* of 16 to 25 */
}

static void test_few(void **state)
{
	struct world *w = *state;

	record(&w->rtt, 40, 1);
	turn(w);
	assert_int_equal(w->s1.rtt_p50_ns, 40);
	record(&w->rtt, 60, 50);
	record(&w->rtt, 90, 1);
	turn(w);
	assert_int_equal(w->s1.rtt_p50_ns, 60);
	assert_int_equal(w->s1.rtt_p99_ns, 90);	/* too few for a p99: the largest */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_nothing), TEST(test_one_second), TEST(test_ten_seconds), TEST(test_few),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
