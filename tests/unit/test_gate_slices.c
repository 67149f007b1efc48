#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gate_ends.h"

#define MS NS_PER_MS
#define US NS_PER_US

static struct gate_slice_result last;
static int results;

static void keep(void *arg, const struct gate_slice_result *r)
{
	(void)arg;
	last = *r;
	results++;
}

static int setup(void **state)
{
	results = 0;
	*state = gate_new(HOLD_LIMIT, keep, NULL);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	gate_free(*state);
	return 0;
}

static void assert_withdrawn(const struct gate *g, enum gate_reason reason, uint64_t count)
{
	assert_counts(g, 0, 0, count);
	assert_int_equal(gate_numbers(g)->refused[reason], count);
	assert_int_equal(gate_numbers(g)->withdrawn, count);
	assert_int_equal(gate_numbers(g)->slices_withdrawn, 1);
	assert_int_equal(last.verdict, reason);
	assert_int_equal(last.count, count);
}

/* Vouched for. */

static void test_admitted_when_both_have_vouched(void **state)
{
	struct gate *g = *state;

	assert_int_equal(add_at(g, 10 * MS), GATE_ADMITTED);
	assert_int_equal(add_at(g, 90 * MS), GATE_ADMITTED);
	near_says(g, TSV_TRUSTED, 90 * MS + 100 * US, 150 * MS);
	assert_counts(g, 0, 2, 0);
	far_says(g, TSV_TRUSTED, 90 * MS + 60 * US - 1, 150 * MS);	/* 1 ns short of t3 */
	assert_counts(g, 0, 2, 0);
	far_says(g, TSV_TRUSTED, 90 * MS + 60 * US, 151 * MS);
	assert_counts(g, 2, 0, 0);
	assert_int_equal(gate_numbers(g)->bound_max_ns, 6 * US);
	assert_int_equal(gate_numbers(g)->admitted_after_holdover, 0);
	assert_int_equal(gate_numbers(g)->slices_admitted, 1);
	assert_int_equal(results, 1);
	assert_int_equal(last.verdict, GATE_ADMITTED);
	assert_int_equal(last.start_ns, NEAR_PAGE + 10 * MS);
	assert_int_equal(last.end_ns, NEAR_PAGE + 90 * MS + 100 * US);
	assert_int_equal(last.near_epoch, 1);
	assert_int_equal(last.far_epoch, 7);
	assert_int_equal(last.count, 2);
	assert_int_equal(last.waited_holdover, 0);
	assert_int_equal(last.bound_ns, 6 * US);
	assert_int_equal(last.ab_p50_ns, 50 * US);
	assert_int_equal(last.ba_p50_ns, 40 * US);
}

static void test_near_must_pass_t4(void **state)
{
	struct gate *g = *state;

	add_at(g, 10 * MS);
	far_says(g, TSV_TRUSTED, 500 * MS, 120 * MS);
	near_says(g, TSV_TRUSTED, 10 * MS + 100 * US - 1, 120 * MS);
	assert_counts(g, 0, 1, 0);
	near_says(g, TSV_TRUSTED, 10 * MS + 100 * US, 120 * MS);
	assert_counts(g, 1, 0, 0);
	assert_int_equal(last.ab_p50_ns, 50 * US);	/* of one sample */
}

static void test_a_slice_is_decided_whole(void **state)
{
	struct gate *g = *state;

	add_at(g, 10 * MS);
	near_says(g, TSV_TRUSTED, 20 * MS, 99 * MS);
	far_says(g, TSV_TRUSTED, 20 * MS, 100 * MS - 1);
	assert_counts(g, 0, 1, 0);
	add_at(g, 60 * MS);			/* needs more than what was vouched for */
	near_says(g, TSV_TRUSTED, 20 * MS, 100 * MS);
	assert_counts(g, 0, 2, 0);
	near_says(g, TSV_TRUSTED, 70 * MS, 110 * MS);
	far_says(g, TSV_TRUSTED, 70 * MS, 110 * MS);
	assert_counts(g, 2, 0, 0);
	assert_int_equal(results, 1);
}

static void test_late_sample_waits_in_a_new_slice(void **state)
{
	struct gate *g = *state;

	add_at(g, 10 * MS);
	near_says(g, TSV_TRUSTED, 50 * MS, 100 * MS);
	far_says(g, TSV_TRUSTED, 50 * MS, 100 * MS);
	assert_counts(g, 1, 0, 0);
	add_at(g, 99 * MS);
	assert_counts(g, 1, 1, 0);
	near_says(g, TSV_TRUSTED, 150 * MS, 160 * MS);
	far_says(g, TSV_TRUSTED, 150 * MS, 160 * MS);
	assert_counts(g, 2, 0, 0);
	assert_int_equal(results, 2);
}

static void test_alarm_is_trusted(void **state)
{
	struct gate *g = *state;
	struct gate_sample s = sample_at(0);
	struct gate_end e = far_end();

	s.far_before.flags = s.far_after.flags = TSV_ALARM;
	s.far_after.bound_parent_ns = 40 * US;		/* the wider of the two */
	assert_int_equal(gate_add(g, &s), GATE_ADMITTED);
	near_says(g, TSV_TRUSTED, 200 * MS, 210 * MS);
	e.flags = TSV_ALARM;
	e.good_until_ns = FAR_PAGE + 200 * MS;
	gate_far(g, &e, 210 * MS);
	assert_counts(g, 1, 0, 0);
	assert_int_equal(gate_numbers(g)->bound_max_ns, 41 * US);
}

static const int not_trusted[] = {
	TSV_LOCAL_RTT, TSV_HOLDOVER, TSV_SETTLING, TSV_UNKNOWN, TSV_STALE
};

static void test_vouched_is_vouched(void **state)
{
	struct gate *g = *state;

	for (int i = 0; i < 5; i++) {
		int64_t t = i * 200 * MS;

		add_at(g, t);
		near_says(g, TSV_TRUSTED, t + 50 * MS, t + 60 * MS);
		near_says(g, not_trusted[i], t + 50 * MS, t + 110 * MS);
		assert_counts(g, (uint64_t)i, 1, 0);
		far_says(g, TSV_TRUSTED, t + 50 * MS, t + 120 * MS);
		assert_counts(g, (uint64_t)i + 1, 0, 0);
	}
	assert_int_equal(gate_numbers(g)->admitted_after_holdover, 0);
}

/* Nobody was there to see it while it was TRUSTED: good_until tells. */
static void test_vouched_unseen(void **state)
{
	struct gate *g = *state;

	for (int i = 0; i < 5; i++) {
		int64_t t = i * 200 * MS;

		add_at(g, t);
		near_says(g, not_trusted[i], t + 100 * US, t + 110 * MS);
		far_says(g, not_trusted[i], t + 60 * US, t + 110 * MS);
		assert_counts(g, (uint64_t)i + 1, 0, 0);
	}
	assert_int_equal(gate_numbers(g)->admitted_after_holdover, 0);
}

/* Silence. */

static void test_holdover_waits_and_is_marked(void **state)
{
	struct gate *g = *state;

	add_at(g, 10 * MS);
	near_says(g, TSV_TRUSTED, 200 * MS, 200 * MS);
	far_says(g, TSV_HOLDOVER, 5 * MS, 200 * MS);
	far_says(g, TSV_HOLDOVER, 5 * MS, 4000 * MS);
	assert_counts(g, 0, 1, 0);
	far_says(g, TSV_TRUSTED, 4000 * MS, 4010 * MS);
	assert_counts(g, 1, 0, 0);
	assert_int_equal(gate_numbers(g)->admitted_after_holdover, 1);
	assert_int_equal(last.waited_holdover, 1);
}

static void test_sample_in_holdover_waits(void **state)
{
	struct gate *g = *state;
	struct gate_sample s = sample_at(10 * MS);

	s.near_after.state = TSV_HOLDOVER;
	assert_int_equal(gate_add(g, &s), GATE_ADMITTED);
	far_says(g, TSV_TRUSTED, 200 * MS, 200 * MS);
	near_says(g, TSV_HOLDOVER, 5 * MS, 500 * MS);
	assert_counts(g, 0, 1, 0);
	near_says(g, TSV_TRUSTED, 500 * MS, 510 * MS);
	assert_counts(g, 1, 0, 0);
	assert_int_equal(gate_numbers(g)->admitted_after_holdover, 1);
}

static void test_hold_limit_withdraws(void **state)
{
	struct gate *g = *state;

	add_at(g, 10 * MS);
	near_says(g, TSV_HOLDOVER, 5 * MS, 200 * MS);
	near_says(g, TSV_LOCAL_RTT, 5 * MS, 5200 * MS);
	assert_withdrawn(g, GATE_withdrawn_near_state, 1);
	assert_int_equal(last.waited_holdover, 1);
}

static void test_stale_waits_for_the_daemon(void **state)
{
	struct gate *g = *state;

	add_at(g, 10 * MS);
	far_says(g, TSV_TRUSTED, 200 * MS, 200 * MS);
	near_says(g, TSV_STALE, 5 * MS, 300 * MS);
	assert_counts(g, 0, 1, 0);
	near_says(g, TSV_TRUSTED, 3000 * MS, 3000 * MS);
	assert_counts(g, 1, 0, 0);
	assert_int_equal(gate_numbers(g)->admitted_after_holdover, 0);
}

static void test_timeout(void **state)
{
	struct gate *g = *state;
	const int64_t limit = 100 * MS + HOLD_LIMIT + NS_PER_S;
	struct gate_end nobody = { 0 };

	add_at(g, 10 * MS);
	near_says(g, TSV_STALE, 0, limit);
	assert_counts(g, 0, 1, 0);
	gate_far(g, &nobody, limit);		/* one that has said nothing */
	assert_counts(g, 0, 1, 0);
	gate_far(g, &nobody, limit + 1);
	assert_withdrawn(g, GATE_withdrawn_timeout, 1);
}

static void test_end_of_run(void **state)
{
	struct gate *g = *state;

	add_at(g, 10 * MS);
	add_at(g, 20 * MS);
	gate_finish(g);
	assert_withdrawn(g, GATE_withdrawn_end, 2);
	gate_finish(g);
	assert_withdrawn(g, GATE_withdrawn_end, 2);
}

/* Trust broken. */

static void test_lost_trust_withdraws(void **state)
{
	static const int bad[] = { TSV_UNKNOWN, TSV_SETTLING, TSV_LOCAL_RTT };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct gate *g = gate_new(HOLD_LIMIT, keep, NULL);

		add_at(g, 10 * MS);
		add_at(g, 20 * MS);
		near_says(g, TSV_TRUSTED, 15 * MS, 30 * MS);
		near_says(g, bad[i], 20 * MS + 100 * US - 1, 40 * MS);
		assert_withdrawn(g, GATE_withdrawn_near_state, 2);
		gate_free(g);
		g = gate_new(HOLD_LIMIT, keep, NULL);
		add_at(g, 10 * MS);
		far_says(g, bad[i], 10 * MS + 60 * US - 1, 600 * MS);
		assert_withdrawn(g, GATE_withdrawn_far_state, 1);
		gate_free(g);
	}
}

static void test_new_epoch_withdraws(void **state)
{
	struct gate *g = *state;
	struct gate_end e = near_end();

	add_at(g, 10 * MS);
	near_says(g, TSV_TRUSTED, 200 * MS, 200 * MS);
	e.epoch = 2;
	e.good_until_ns = NEAR_PAGE + 250 * MS;
	gate_near(g, &e, 250 * MS);		/* before the far end has vouched */
	assert_withdrawn(g, GATE_withdrawn_near_epoch, 1);
	far_says(g, TSV_TRUSTED, 300 * MS, 300 * MS);
	assert_counts(g, 0, 0, 1);
}

static void test_far_epoch_withdraws_its_own_slices_only(void **state)
{
	struct gate *g = *state;
	struct gate_sample s = sample_at(20 * MS);
	struct gate_end e = far_end();

	add_at(g, 10 * MS);
	s.far_before.epoch = s.far_after.epoch = 8;
	assert_int_equal(gate_add(g, &s), GATE_ADMITTED);
	e.epoch = 8;
	e.good_until_ns = FAR_PAGE + 150 * MS;
	gate_far(g, &e, 150 * MS);
	assert_int_equal(gate_numbers(g)->refused[GATE_withdrawn_far_epoch], 1);
	assert_counts(g, 0, 1, 1);
	near_says(g, TSV_TRUSTED, 150 * MS, 150 * MS);
	assert_counts(g, 1, 0, 1);
}

/* Contradictions. */

/* A delay of ab_ns there within a round trip of 90 us. */
static struct gate_sample skewed(int64_t mono_ns, int64_t ab_ns)
{
	struct gate_sample s = sample_at(mono_ns);

	s.t2_ns = s.t1_ns + ab_ns;
	s.t3_ns = s.t2_ns + 10 * US;
	return s;
}

static void test_contradiction_boundaries(void **state)
{
	struct gate *g = *state;
	struct gate_sample s = skewed(0, -6 * US);		/* the bound is 6 us */

	assert_int_equal(gate_add(g, &s), GATE_ADMITTED);
	s = skewed(100 * MS, 96 * US);
	assert_int_equal(gate_add(g, &s), GATE_ADMITTED);
	s = skewed(200 * MS, -6 * US - 1);
	assert_int_equal(gate_add(g, &s), GATE_contradiction);
	s = skewed(300 * MS, 96 * US + 1);
	assert_int_equal(gate_add(g, &s), GATE_contradiction);
	assert_int_equal(gate_numbers(g)->contradictions, 2);
	assert_counts(g, 0, 2, 2);
	assert_int_equal(gate_sums(g)->ab_untrusted.min_ns, -6 * US - 1);
	near_says(g, TSV_TRUSTED, 500 * MS, 510 * MS);
	far_says(g, TSV_TRUSTED, 500 * MS, 510 * MS);
	assert_counts(g, 2, 0, 2);
	assert_int_equal(gate_sums(g)->ab_trusted.min_ns, -6 * US);	/* shown as it is */
}

static void test_contradiction_takes_its_slice_along(void **state)
{
	struct gate *g = *state;
	struct gate_sample s = skewed(30 * MS, 200 * US);

	add_at(g, 10 * MS);
	add_at(g, 110 * MS);
	assert_int_equal(gate_add(g, &s), GATE_contradiction);
	assert_int_equal(last.verdict, GATE_withdrawn_contradiction);
	assert_int_equal(add_at(g, 40 * MS), GATE_withdrawn_contradiction);
	assert_int_equal(gate_add(g, &s), GATE_contradiction);
	assert_int_equal(results, 1);
	assert_counts(g, 0, 1, 4);
	assert_int_equal(gate_numbers(g)->refused[GATE_withdrawn_contradiction], 2);
	assert_int_equal(gate_numbers(g)->withdrawn, 1);
	near_says(g, TSV_TRUSTED, 500 * MS, 510 * MS);
	far_says(g, TSV_TRUSTED, 500 * MS, 510 * MS);
	assert_counts(g, 1, 0, 4);			/* its neighbour is not touched */
	gate_finish(g);
	assert_counts(g, 1, 0, 4);
}

/* Memory. */

static void test_full_store_gives_up_the_oldest(void **state)
{
	struct gate *g = gate_new(60 * NS_PER_S, keep, NULL);

	(void)state;
	for (int i = 0; i < GATE_SLICES; i++)
		add_at(g, i * 100 * MS);
	assert_counts(g, 0, GATE_SLICES, 0);
	add_at(g, GATE_SLICES * 100 * MS);
	assert_counts(g, 0, GATE_SLICES, 1);
	assert_int_equal(gate_numbers(g)->refused[GATE_withdrawn_timeout], 1);
	assert_int_equal(last.start_ns, NEAR_PAGE);
	near_says(g, TSV_TRUSTED, 60 * NS_PER_S, 13 * NS_PER_S);
	far_says(g, TSV_TRUSTED, 6400 * MS, 13 * NS_PER_S);	/* slices 1 to 63 */
	assert_counts(g, 63, GATE_SLICES - 63, 1);
	far_says(g, TSV_TRUSTED, 60 * NS_PER_S, 13 * NS_PER_S);
	assert_counts(g, GATE_SLICES, 0, 1);
	gate_free(g);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_admitted_when_both_have_vouched),
		TEST(test_near_must_pass_t4),
		TEST(test_a_slice_is_decided_whole),
		TEST(test_late_sample_waits_in_a_new_slice),
		TEST(test_alarm_is_trusted),
		TEST(test_vouched_is_vouched),
		TEST(test_vouched_unseen),
		TEST(test_holdover_waits_and_is_marked),
		TEST(test_sample_in_holdover_waits),
		TEST(test_hold_limit_withdraws),
		TEST(test_stale_waits_for_the_daemon),
		TEST(test_timeout),
		TEST(test_end_of_run),
		cmocka_unit_test(test_lost_trust_withdraws),
		TEST(test_new_epoch_withdraws),
		TEST(test_far_epoch_withdraws_its_own_slices_only),
		TEST(test_contradiction_boundaries),
		TEST(test_contradiction_takes_its_slice_along),
		cmocka_unit_test(test_full_store_gives_up_the_oldest),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
