#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "nstime.h"
#include "probe/pace.h"
#include "rng.h"

#define US NS_PER_US
#define MS NS_PER_MS

static void test_sleep(void **state)
{
	struct pace p = { .hot_from_ns = 1000 * US, .sleep_max_ns = 50 * US };

	(void)state;
	assert_int_equal(pace_sleep_ns(&p, 0), 50 * US);
	assert_int_equal(pace_sleep_ns(&p, 970 * US), 30 * US);
	assert_int_equal(pace_sleep_ns(&p, 995 * US), 5 * US);
	assert_int_equal(pace_sleep_ns(&p, 995 * US + 1), 0);	/* too short to be worth it */
	assert_int_equal(pace_sleep_ns(&p, 1000 * US), 0);
	assert_int_equal(pace_sleep_ns(&p, 9000 * US), 0);
	p.hot_from_ns = INT64_MAX;
	assert_int_equal(pace_sleep_ns(&p, 9000 * US), 50 * US);
}

/* Probes every ms, seen `delay` later, by a clock that is 5 s ahead. */
static void arrive(struct pace_arrivals *a, uint32_t seq, int64_t delay_ns)
{
	pace_arrived(a, seq, (int64_t)seq * MS, (int64_t)seq * MS + 5 * NS_PER_S + delay_ns);
}

static void test_expectation(void **state)
{
	struct pace_arrivals a = { 0 };

	(void)state;
	assert_int_equal(pace_expected_ns(&a, 0), INT64_MAX);
	for (uint32_t seq = 1; seq <= 3; seq++)
		arrive(&a, seq, 10 * US);
	assert_int_equal(pace_expected_ns(&a, 5 * NS_PER_S), INT64_MAX);
	arrive(&a, 4, 300 * US);	/* its reader woke late: the phase stays */
	assert_int_equal(pace_expected_ns(&a, 5 * NS_PER_S + 4 * MS + 300 * US),
			 5 * NS_PER_S + 5 * MS + 10 * US);
}

static void test_lost_ones_are_skipped(void **state)
{
	struct pace_arrivals a = { 0 };
	int64_t due = 5 * NS_PER_S + 9 * MS;

	(void)state;
	for (uint32_t seq = 1; seq <= 8; seq++)
		arrive(&a, seq, 0);
	assert_int_equal(pace_expected_ns(&a, due + PACE_AFTER_NS), due);
	assert_int_equal(pace_expected_ns(&a, due + PACE_AFTER_NS + 1), due + MS);
	assert_int_equal(pace_expected_ns(&a, due + 17 * MS), due + 17 * MS);
	arrive(&a, 20, 0);		/* numbers tell the interval, not the count */
	assert_int_equal(pace_expected_ns(&a, due + 11 * MS), 5 * NS_PER_S + 21 * MS);
}

static void test_steadiness(void **state)
{
	struct pace_arrivals a = { 0 };
	uint32_t seq = 0;

	(void)state;
	while (seq < 4)
		arrive(&a, ++seq, 0);
	assert_int_equal(a.hits, 0);
	while (a.hits < PACE_STEADY)
		arrive(&a, ++seq, 20 * US);
	assert_int_equal(seq, 4 + PACE_STEADY);
	arrive(&a, ++seq, 151 * US);	/* a surprise */
	assert_int_equal(a.hits, 0);
}

static void test_new_session(void **state)
{
	struct pace_arrivals a = { 0 };

	(void)state;
	for (uint32_t seq = 1; seq <= 20; seq++)
		arrive(&a, seq, 0);
	arrive(&a, 1, 0);
	assert_int_equal(pace_expected_ns(&a, 5 * NS_PER_S), INT64_MAX);
	assert_int_equal(a.hits, 0);
}

/* Whatever a sender claims, the arithmetic holds and time does not run backwards by more than the window. */
static void test_any_claims(void **state)
{
	struct rng r = rng_seeded();
	struct pace_arrivals a = { 0 };
	int64_t now = 0;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		int64_t expected;

		now += (int64_t)rng_below(&r, 2 * MS);
		pace_arrived(&a, (uint32_t)(rng_below(&r, 100) ? (unsigned)i : rng_next(&r)),
			     rng_below(&r, 100) ? now : (int64_t)(rng_next(&r) >> 2), now);
		expected = pace_expected_ns(&a, now);
		assert_true(expected >= now - PACE_AFTER_NS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sleep),
		cmocka_unit_test(test_expectation),
		cmocka_unit_test(test_lost_ones_are_skipped),
		cmocka_unit_test(test_steadiness),
		cmocka_unit_test(test_new_session),
		cmocka_unit_test(test_any_claims),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
