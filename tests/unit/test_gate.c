#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gate_ends.h"

#define US NS_PER_US

static int setup(void **state)
{
	*state = gate_new(HOLD_LIMIT, NULL, NULL);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	gate_free(*state);
	return 0;
}

/* Names and bounds. */

static void test_reasons_have_names(void **state)
{
	(void)state;
	for (int i = GATE_ADMITTED; i < GATE_REASON_COUNT; i++) {
		assert_non_null(gate_reason_name(i));
		assert_non_null(gate_reason_text(i));
	}
	assert_string_equal(gate_reason_name(GATE_withdrawn_timeout), "withdrawn_timeout");
	assert_string_equal(gate_reason_text(GATE_domain), "the ends are in different PTP domains");
	assert_null(gate_reason_name(GATE_REASON_COUNT));
	assert_null(gate_reason_name(-2));
	assert_null(gate_reason_text(GATE_REASON_COUNT));
}

static void test_bound_of_a_common_parent(void **state)
{
	struct gate_end a = end_of(1, 1, 1000), b = end_of(2, 1, 5000);

	(void)state;
	a.port_budget_ns = b.port_budget_ns = 300;
	assert_int_equal(gate_bound(&a, &b), 6000);	/* one of them is the parent */
	a = end_of(3, 1, 1000);
	a.port_budget_ns = 200;
	assert_int_equal(gate_bound(&a, &b), 6500);	/* two ports of a third */
	assert_int_equal(gate_bound(&b, &a), 6500);
	b = end_of(0, 1, 5000);				/* identity unknown, but the reference */
	b.flags = TSV_REFERENCE;
	assert_int_equal(gate_bound(&a, &b), 6000);
}

static void test_bound_falls_back_to_grandmaster_and_utc(void **state)
{
	struct gate_end a = end_of(2, 9, 1000), b = end_of(3, 8, 5000);

	(void)state;
	a.bound_gm_ns = 10000;
	b.bound_gm_ns = 20000;
	assert_int_equal(gate_bound(&a, &b), -1);	/* other parents, other grandmasters */
	b.gm[7] = 9;
	assert_int_equal(gate_bound(&a, &b), 30000);
	b.bound_gm_ns = -1;
	assert_int_equal(gate_bound(&a, &b), -1);
	a.bound_utc_ns = 100;
	assert_int_equal(gate_bound(&a, &b), -1);
	b.bound_utc_ns = 200;
	assert_int_equal(gate_bound(&a, &b), 300);
	b.bound_gm_ns = 0;
	assert_int_equal(gate_bound(&a, &b), 10000);
	b.parent[7] = 9;				/* a boundary clock without a budget */
	b.port_budget_ns = -1;
	assert_int_equal(gate_bound(&a, &b), 10000);
	b.port_budget_ns = 0;
	assert_int_equal(gate_bound(&a, &b), 6000);
}

static void test_unknown_identities_are_not_the_same(void **state)
{
	struct gate_end a = end_of(0, 0, 1000), b = end_of(0, 0, 1000);

	(void)state;
	a.bound_gm_ns = b.bound_gm_ns = 1000;
	assert_int_equal(gate_bound(&a, &b), -1);
}

/* Refused at once. */

static void refuse(struct gate *g, const struct gate_sample *s, enum gate_reason reason)
{
	uint64_t before = gate_numbers(g)->refused[reason];

	assert_int_equal(gate_add(g, s), reason);
	assert_int_equal(gate_numbers(g)->refused[reason], before + 1);
	assert_int_equal(gate_numbers(g)->waiting, 0);
	assert_int_equal(gate_numbers(g)->withdrawn, 0);
}

static void test_states_refused_at_once(void **state)
{
	static const int bad[] = { TSV_UNKNOWN, TSV_SETTLING, TSV_LOCAL_RTT, TSV_STALE, -1, 99 };
	struct gate *g = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct gate_sample s = sample_at(0);

		s.near_before.state = bad[i];
		refuse(g, &s, GATE_near_state);
		s = sample_at(0);
		s.near_after.state = bad[i];
		refuse(g, &s, GATE_near_state);
		s = sample_at(0);
		s.far_before.state = bad[i];
		refuse(g, &s, GATE_far_state);
		s = sample_at(0);
		s.far_after.state = bad[i];
		refuse(g, &s, GATE_far_state);
	}
	assert_counts(g, 0, 0, 24);
}

static void test_pairs_refused_at_once(void **state)
{
	struct gate *g = *state;
	struct gate_sample s = sample_at(0);

	s.near_after.epoch++;
	refuse(g, &s, GATE_near_epoch);
	s = sample_at(0);
	s.far_after.epoch++;
	refuse(g, &s, GATE_far_epoch);
	s = sample_at(0);
	s.far_after.flags |= TSV_PTP_SCALE;
	refuse(g, &s, GATE_timescale);
	s = sample_at(0);
	s.far_before.domain = 1;
	refuse(g, &s, GATE_domain);
	s = sample_at(0);
	s.far_after.parent[7] = s.far_after.gm[7] = 2;
	refuse(g, &s, GATE_reference);
	s = sample_at(0);
	s.far_before.bound_parent_ns = -1;
	refuse(g, &s, GATE_reference);
	s = sample_at(0);
	s.near_before.known = 0;
	refuse(g, &s, GATE_near_state);
	s = sample_at(0);
	s.far_before.known = s.far_after.known = 0;
	refuse(g, &s, GATE_no_trust);
	assert_counts(g, 0, 0, 8);
}

static void test_missing_stamps_leave_no_delay(void **state)
{
	struct gate *g = *state;
	struct gate_sample s = sample_at(0);

	s.has_stamps = 0;
	refuse(g, &s, GATE_no_stamp);
	assert_int_equal(gate_sums(g)->ab_untrusted.count, 0);
	assert_int_equal(gate_sums(g)->ba_untrusted.count, 0);
}

static void test_refused_delays_are_kept_apart(void **state)
{
	struct gate *g = *state;
	struct gate_sample s = sample_at(0);

	s.near_before.state = TSV_LOCAL_RTT;
	s.t2_ns = s.t1_ns - 70 * US;
	s.t3_ns = s.t2_ns + 10 * US;
	refuse(g, &s, GATE_near_state);
	assert_int_equal(gate_sums(g)->ab_untrusted.min_ns, -70 * US);
	assert_int_equal(gate_sums(g)->ba_untrusted.max_ns, 160 * US);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reasons_have_names),
		cmocka_unit_test(test_bound_of_a_common_parent),
		cmocka_unit_test(test_bound_falls_back_to_grandmaster_and_utc),
		cmocka_unit_test(test_unknown_identities_are_not_the_same),
		TEST(test_states_refused_at_once),
		TEST(test_pairs_refused_at_once),
		TEST(test_missing_stamps_leave_no_delay),
		TEST(test_refused_delays_are_kept_apart),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
