#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "judge_fixture.h"
#include "rng.h"

static void starts_unknown(void **state)
{
	struct judge_verdict v;

	(void)state;
	judge_init(&s, T0);
	v = miss(T0, B(starting));
	assert_int_equal(v.from, TSV_UNKNOWN);
	assert_int_equal(v.to, TSV_UNKNOWN);
	assert_int_equal(v.reasons, B(starting));
	assert_int_equal(v.alarm_to, 0);
	assert_int_equal(v.epoch_rises, 0);
}

static void unknown_gives_up_after_the_hold_limit(void **state)
{
	struct judge_verdict v;

	(void)state;
	judge_init(&s, T0);
	assert_int_equal(miss(T0 + 5 * S, B(starting)).to, TSV_UNKNOWN);
	v = miss(T0 + 5 * S + 1, B(starting));
	assert_int_equal(v.to, TSV_LOCAL_RTT);
	assert_int_equal(v.reasons, B(starting) | B(hold_limit));
	assert_int_equal(v.epoch_rises, 0);
}

static void unknown_falls_on_contrary_evidence(void **state)
{
	struct judge_verdict v;

	(void)state;
	judge_init(&s, T0);
	v = contrary(T0, B(clock_rate));
	assert_int_equal(v.to, TSV_LOCAL_RTT);
	assert_int_equal(v.reasons, B(clock_rate));
}

static void settles_after_enough_syncs(void **state)
{
	struct judge_evidence e = good();
	struct judge_verdict v;

	(void)state;
	judge_init(&s, T0);
	e.good_syncs = 1;
	v = at(T0, e);
	assert_int_equal(v.to, TSV_SETTLING);
	assert_int_equal(v.reasons, B(settling));
	e.good_syncs = 15;
	assert_int_equal(at(T0 + S, e).to, TSV_SETTLING);
	e.good_syncs = 16;
	v = at(T0 + S, e);
	assert_int_equal(v.from, TSV_SETTLING);
	assert_int_equal(v.to, TSV_TRUSTED);
	assert_int_equal(v.reasons, 0);
	assert_int_equal(v.epoch_rises, 0);
}

static void settling_goes_back_on_missing_evidence(void **state)
{
	(void)state;
	judge_init(&s, T0);
	at(T0, good());
	assert_int_equal(miss(T0 + 3 * S, B(sync_missing)).to, TSV_UNKNOWN);
	/* The hold limit counts anew. */
	assert_int_equal(miss(T0 + 8 * S, B(sync_missing)).to, TSV_UNKNOWN);
	assert_int_equal(miss(T0 + 8 * S + 1, B(sync_missing)).to, TSV_LOCAL_RTT);
}

static void settling_falls(void **state)
{
	struct judge_verdict v;

	(void)state;
	judge_init(&s, T0);
	at(T0, good());
	assert_int_equal(contrary(T0, B(clock_rate)).reasons, B(clock_rate));
	assert_int_equal(s.state, TSV_LOCAL_RTT);
	judge_init(&s, T0);
	at(T0, good());
	v = bounded(T0, 100 * US + 1);
	assert_int_equal(v.to, TSV_LOCAL_RTT);
	assert_int_equal(v.reasons, B(bound));
	judge_init(&s, T0);
	at(T0, good());
	assert_int_equal(bounded(T0, -1).to, TSV_LOCAL_RTT);
	judge_init(&s, T0);
	at(T0, good());
	assert_int_equal(bounded(T0, 100 * US).to, TSV_TRUSTED);
}

static void trusted_stays_up_to_the_fallback_line(void **state)
{
	struct judge_verdict v;

	(void)state;
	trust();
	v = bounded(T0, 100 * US);
	assert_int_equal(v.to, TSV_TRUSTED);
	assert_int_equal(v.reasons, 0);
	v = bounded(T0, 100 * US + 1);
	assert_int_equal(v.to, TSV_LOCAL_RTT);
	assert_int_equal(v.reasons, B(bound));
	assert_int_equal(v.epoch_rises, 0);
	trust();
	assert_int_equal(bounded(T0, -1).to, TSV_LOCAL_RTT);
}

static void trusted_falls_on_contrary_evidence(void **state)
{
	struct judge_verdict v;

	(void)state;
	trust();
	v = contrary(T0, B(gm_changed) | B(timescale));
	assert_int_equal(v.from, TSV_TRUSTED);
	assert_int_equal(v.to, TSV_LOCAL_RTT);
	assert_int_equal(v.reasons, B(gm_changed) | B(timescale));
	assert_int_equal(v.epoch_rises, 0);
	/* The cause is told for as long as the state lasts. */
	v = miss(T0 + S, B(sync_missing));
	assert_int_equal(v.to, TSV_LOCAL_RTT);
	assert_int_equal(v.reasons, B(gm_changed) | B(timescale) | B(sync_missing));
}

static void contrary_beats_missing(void **state)
{
	struct judge_evidence e = good();

	(void)state;
	trust();
	e.missing = B(sync_missing);
	e.contrary = B(path_delay);
	assert_int_equal(at(T0, e).to, TSV_LOCAL_RTT);
}

static void every_contrary_bit_falls_and_every_missing_bit_holds(void **state)
{
	(void)state;
	for (int bit = 0; bit < TSV_REASON_COUNT; bit++) {
		trust();
		if (tsv_reason_kind(bit) == TSV_KIND_CONTRARY)
			assert_int_equal(contrary(T0, UINT64_C(1) << bit).to, TSV_LOCAL_RTT);
		else if (tsv_reason_kind(bit) == TSV_KIND_MISSING)
			assert_int_equal(miss(T0, UINT64_C(1) << bit).to, TSV_HOLDOVER);
	}
}

static void notes_are_told_and_not_judged(void **state)
{
	struct judge_evidence e = good();
	struct judge_verdict v;

	(void)state;
	trust();
	e.notes = B(crash_loop) | B(upstream_budget) | B(unconfirmed);
	v = at(T0, e);
	assert_int_equal(v.to, TSV_TRUSTED);
	assert_int_equal(v.reasons, e.notes);
}

static void holdover_ends_when_evidence_returns(void **state)
{
	struct judge_verdict v;

	(void)state;
	hold();
	v = miss(T0 + S, B(sync_missing) | B(rx_stalled));
	assert_int_equal(v.to, TSV_HOLDOVER);
	assert_int_equal(v.reasons, B(sync_missing) | B(rx_stalled));
	v = at(T0 + 2 * S, good());
	assert_int_equal(v.from, TSV_HOLDOVER);
	assert_int_equal(v.to, TSV_TRUSTED);
	assert_int_equal(v.epoch_rises, 0);
	assert_int_equal(v.reasons, 0);
	/* The next silence has its own limit. */
	assert_int_equal(miss(T0 + 4 * S, B(sync_missing)).to, TSV_HOLDOVER);
	assert_int_equal(miss(T0 + 9 * S, B(sync_missing)).to, TSV_HOLDOVER);
	assert_int_equal(miss(T0 + 9 * S + 1, B(sync_missing)).to, TSV_LOCAL_RTT);
}

static void holdover_ends_at_the_hold_limit(void **state)
{
	struct judge_verdict v;

	(void)state;
	hold();
	assert_int_equal(miss(T0 + 5 * S, B(sync_missing)).to, TSV_HOLDOVER);
	v = miss(T0 + 5 * S + 1, B(sync_missing));
	assert_int_equal(v.to, TSV_LOCAL_RTT);
	assert_int_equal(v.reasons, B(sync_missing) | B(hold_limit));
	/* Evidence at the last instant saves it. */
	hold();
	assert_int_equal(at(T0 + 6 * S, good()).to, TSV_TRUSTED);
}

static void holdover_ends_when_the_bound_outgrows_it(void **state)
{
	struct judge_evidence e = good();
	struct judge_verdict v;

	(void)state;
	hold();
	e.missing = B(ptp4l_no_reply);
	e.bound_ns = 100 * US;
	assert_int_equal(at(T0 + S, e).to, TSV_HOLDOVER);
	e.bound_ns++;
	v = at(T0 + S, e);
	assert_int_equal(v.to, TSV_LOCAL_RTT);
	assert_int_equal(v.reasons, B(ptp4l_no_reply) | B(bound));
	hold();
	assert_int_equal(contrary(T0 + S, B(clock_step)).to, TSV_LOCAL_RTT);
}

static void evidence_that_disagrees_raises_the_epoch(void **state)
{
	struct judge_evidence e = good();
	struct judge_verdict v;

	(void)state;
	hold();
	e.disagrees = 1;
	e.bound_ns = 40 * US;
	v = at(T0 + S, e);
	assert_int_equal(v.to, TSV_TRUSTED);
	assert_int_equal(v.epoch_rises, 1);
	assert_int_equal(v.reasons, B(disagrees));
	hold();
	e.bound_ns = 130 * US;
	v = at(T0 + S, e);
	assert_int_equal(v.to, TSV_LOCAL_RTT);
	assert_int_equal(v.epoch_rises, 1);
	assert_int_equal(v.reasons, B(disagrees) | B(bound));
}

static void a_step_raises_the_epoch_in_any_state(void **state)
{
	(void)state;
	judge_init(&s, T0);
	assert_int_equal(contrary(T0, B(clock_step)).epoch_rises, 1);
	assert_int_equal(contrary(T0, B(clock_step)).epoch_rises, 1);
	trust();
	assert_int_equal(contrary(T0, B(clock_step)).epoch_rises, 1);
	hold();
	assert_int_equal(contrary(T0, B(clock_step)).epoch_rises, 1);
	trust();
	assert_int_equal(contrary(T0, B(clock_rate)).epoch_rises, 0);
}

static void local_rtt_ends_after_the_recover_time(void **state)
{
	struct judge_verdict v;

	(void)state;
	fall();
	v = bounded(T0 + S, 50 * US);
	assert_int_equal(v.to, TSV_LOCAL_RTT);
	assert_int_equal(v.reasons, B(path_delay) | B(recovering));
	assert_int_equal(bounded(T0 + 6 * S - 1, 50 * US).to, TSV_LOCAL_RTT);
	v = bounded(T0 + 6 * S, 50 * US);
	assert_int_equal(v.to, TSV_TRUSTED);
	assert_int_equal(v.epoch_rises, 1);
	assert_int_equal(v.reasons, 0);
	/* Told once. */
	assert_int_equal(bounded(T0 + 7 * S, 50 * US).epoch_rises, 0);
}

/* Whatever interrupts the recovery, it starts over. */
static void expect_interrupted(struct judge_evidence e)
{
	fall();
	at(T0, good());
	at(T0 + 4 * S, e);
	assert_int_equal(s.state, TSV_LOCAL_RTT);
	assert_int_equal(at(T0 + 5 * S, good()).to, TSV_LOCAL_RTT);
	assert_int_equal(at(T0 + 10 * S - 1, good()).to, TSV_LOCAL_RTT);
	assert_int_equal(at(T0 + 10 * S, good()).to, TSV_TRUSTED);
}

static void recovery_starts_over(void **state)
{
	struct judge_evidence e = good();

	(void)state;
	e.bound_ns = 50 * US + 1;
	expect_interrupted(e);
	e.bound_ns = -1;
	expect_interrupted(e);
	e = good();
	e.missing = B(rx_stalled);
	expect_interrupted(e);
	e = good();
	e.contrary = B(path_delay);
	expect_interrupted(e);
}

static void between_the_lines_local_rtt_stays(void **state)
{
	(void)state;
	fall();
	for (int i = 0; i < 100; i++)
		assert_int_equal(bounded(T0 + i * S, 60 * US).to, TSV_LOCAL_RTT);
	trust();
	for (int i = 0; i < 100; i++)
		assert_int_equal(bounded(T0 + i * S, 60 * US).to, TSV_TRUSTED);
}

static struct judge_evidence random_evidence(struct rng *r)
{
	struct judge_evidence e = good();

	if (rng_below(r, 4) == 0)
		e.missing = rng_next(r) & tsv_reasons_of(TSV_KIND_MISSING);
	if (rng_below(r, 16) == 0)
		e.contrary = rng_next(r) & tsv_reasons_of(TSV_KIND_CONTRARY);
	e.bound_ns = (int64_t)rng_below(r, 130 * US) - 1;
	e.offset_ns = (int64_t)rng_below(r, 80 * US) - 40 * US;
	e.beyond_alarm = (int)rng_below(r, 5);
	e.disagrees = rng_below(r, 32) == 0;
	return e;
}

/* What must hold for any evidence in any order. */
static void never_trusts_without_evidence(void **state)
{
	struct rng r = rng_seeded();
	int64_t now = T0;

	(void)state;
	judge_init(&s, now);
	for (int i = 0; i < 200000; i++) {
		struct judge_evidence e = random_evidence(&r);
		struct judge_verdict v = at(now += (int64_t)rng_below(&r, S), e);

		if (v.to == TSV_TRUSTED || v.to == TSV_HOLDOVER) {
			assert_int_equal(e.contrary, 0);
			assert_in_range(e.bound_ns, 0, policy.fallback_bound_ns);
		}
		if (v.to == TSV_TRUSTED)
			assert_int_equal(e.missing, 0);
		if (v.alarm_to)
			assert_true(v.to == TSV_TRUSTED || v.to == TSV_HOLDOVER);
		if (v.to == TSV_LOCAL_RTT)
			assert_true(v.reasons != 0);
		if (v.from == TSV_LOCAL_RTT && v.to != TSV_LOCAL_RTT)
			assert_true(v.epoch_rises);
		assert_int_equal((e.missing | e.contrary | e.notes) & ~v.reasons, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_unknown),
		cmocka_unit_test(unknown_gives_up_after_the_hold_limit),
		cmocka_unit_test(unknown_falls_on_contrary_evidence),
		cmocka_unit_test(settles_after_enough_syncs),
		cmocka_unit_test(settling_goes_back_on_missing_evidence),
		cmocka_unit_test(settling_falls),
		cmocka_unit_test(trusted_stays_up_to_the_fallback_line),
		cmocka_unit_test(trusted_falls_on_contrary_evidence),
		cmocka_unit_test(contrary_beats_missing),
		cmocka_unit_test(every_contrary_bit_falls_and_every_missing_bit_holds),
		cmocka_unit_test(notes_are_told_and_not_judged),
		cmocka_unit_test(holdover_ends_when_evidence_returns),
		cmocka_unit_test(holdover_ends_at_the_hold_limit),
		cmocka_unit_test(holdover_ends_when_the_bound_outgrows_it),
		cmocka_unit_test(evidence_that_disagrees_raises_the_epoch),
		cmocka_unit_test(a_step_raises_the_epoch_in_any_state),
		cmocka_unit_test(local_rtt_ends_after_the_recover_time),
		cmocka_unit_test(recovery_starts_over),
		cmocka_unit_test(between_the_lines_local_rtt_stays),
		cmocka_unit_test(never_trusts_without_evidence),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}
