#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "pipeline_fixture.h"

static void a_new_grandmaster(void **state)
{
	(void)state;
	begin();
	r.parent.gm.id[7] = 2;
	run(POLL);
	assert_int_equal(out.verdict.to, TSV_LOCAL_RTT);
	assert_true(out.verdict.reasons & B(gm_changed));
	run(7 * S);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
	assert_int_equal(out.line.epoch, 2);
	/* While nobody relied on it, it was no news. */
	begin_as(ROLE_AUTO);
	start(0);
	run(500 * MS);
	r.parent.gm.id[7] = 2;
	run(3 * S);
	assert_false(saw(TSV_LOCAL_RTT));
}

static void a_new_timescale(void **state)
{
	(void)state;
	begin();
	r.properties.ptp_timescale = 1;
	run(POLL);
	assert_int_equal(out.verdict.to, TSV_LOCAL_RTT);
	assert_true(out.verdict.reasons & B(timescale));
}

static void a_path_delay_that_is_impossible(void **state)
{
	(void)state;
	begin();
	r.current.mean_path_delay_ns = -1;
	run(POLL);
	assert_int_equal(out.verdict.to, TSV_LOCAL_RTT);
	assert_true(out.verdict.reasons & B(path_delay));
	/* None at all is none yet. */
	begin_as(ROLE_AUTO);
	r.current.mean_path_delay_ns = 0;
	start(0);
	run(4 * S);
	assert_int_equal(out.verdict.to, TSV_UNKNOWN);
	assert_true(out.verdict.reasons & B(no_offset));
}

static void one_late_stamp_moves_nothing(void **state)
{
	int64_t good_until;

	(void)state;
	begin();
	good_until = out.line.good_until_ns;
	r.time_status.master_offset_ns = 44 * US;
	run(POLL);
	assert_true(out.verdict.reasons & B(unconfirmed));
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
	assert_int_equal(out.line.good_until_ns, good_until);
	assert_in_range(out.line.bound_ns, 2127, 2400);
	assert_true(pipeline_urgent(&p));
	r.time_status.master_offset_ns = 400;
	run(POLL);
	assert_int_equal(out.verdict.reasons, 0);
	assert_true(out.line.good_until_ns > good_until);
	assert_int_equal(p.snap.outliers, 1);
	assert_false(pipeline_urgent(&p));
}

static void a_shift_past_the_alarm_line(void **state)
{
	int64_t first;

	(void)state;
	begin();
	r.time_status.master_offset_ns = 35 * US;
	run(POLL);
	first = r.time_status.ingress_ns;
	run(POLL);
	assert_int_equal(out.verdict.alarm_to, 0);
	run(POLL);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
	assert_int_equal(out.verdict.alarm_to, 1);
	assert_int_equal(out.line.flags, TSV_SOFTWARE | TSV_ALARM);
	assert_true(reasons & B(offset));
	assert_int_equal(out.evidence_ns, first);
	/* 35 us were outside what had been claimed. */
	assert_true(reasons & B(disagrees));
	assert_int_equal(out.line.epoch, 2);
	assert_true(out.line.bound_ns > 35 * US);
}

static void a_shift_past_the_fallback_line(void **state)
{
	int64_t good_until;

	(void)state;
	begin();
	good_until = out.line.good_until_ns;
	r.time_status.master_offset_ns = -120 * US;
	run(3 * POLL);
	assert_int_equal(out.verdict.to, TSV_LOCAL_RTT);
	assert_true(out.verdict.reasons & B(bound));
	assert_int_equal(out.line.epoch, 2);
	assert_int_equal(out.line.good_until_ns, good_until);
	assert_true(out.line.bound_ns > 120 * US);
}

static void a_step_of_the_local_clock(void **state)
{
	(void)state;
	begin();
	wall += 8 * US;
	run(REFRESH);
	assert_int_equal(out.verdict.to, TSV_LOCAL_RTT);
	assert_true(out.verdict.reasons & B(clock_step));
	assert_int_equal(out.line.epoch, 2);
	assert_int_equal(out.line.ns, local_time());
	assert_int_equal(p.snap.clock_steps, 1);
	run(7 * S);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
	assert_int_equal(out.line.epoch, 3);
}

/* The offset that ptp4l goes on showing was measured before the step. */
static void a_sync_from_before_a_step_is_no_evidence(void **state)
{
	(void)state;
	begin_as(ROLE_AUTO);
	sync_every = 8 * S;
	start(0);
	run(160 * S);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
	while (next_sync - now < 7 * S + 500 * MS)
		run(REFRESH);
	wall += 80 * US;
	states = 0;
	run(7 * S);
	assert_false(saw(TSV_TRUSTED));
	assert_true(out.verdict.reasons & B(no_offset));
}

/* Sync, path delay, Sync: before that, a ptp4l that comes back shows an offset of the time before. */
static void an_offset_from_before_a_restart_is_no_evidence(void **state)
{
	(void)state;
	begin();
	pipeline_ptp4l(&p, 0);
	pipeline_ptp4l(&p, 1);
	memset(r.stats.rx, 0, sizeof(r.stats.rx));
	delays_on = 0;
	run(2 * S);
	expect_holdover(B(no_offset));
	assert_true(pipeline_urgent(&p));
	delays_on = 1;
	run(500 * MS);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
	assert_int_equal(out.line.epoch, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_grandmaster), cmocka_unit_test(a_new_timescale),
		cmocka_unit_test(a_path_delay_that_is_impossible),
		cmocka_unit_test(one_late_stamp_moves_nothing),
		cmocka_unit_test(a_shift_past_the_alarm_line),
		cmocka_unit_test(a_shift_past_the_fallback_line),
		cmocka_unit_test(a_step_of_the_local_clock),
		cmocka_unit_test(a_sync_from_before_a_step_is_no_evidence),
		cmocka_unit_test(an_offset_from_before_a_restart_is_no_evidence),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("pipeline faults", tests, NULL, NULL);
}
