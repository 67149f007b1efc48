#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "pipeline_fixture.h"

static void nothing_is_known_at_first(void **state)
{
	(void)state;
	begin_as(ROLE_AUTO);
	start(0);
	judge_now();
	assert_int_equal(out.have_line, 0);
	assert_int_equal(out.verdict.to, TSV_UNKNOWN);
	assert_int_equal(out.verdict.reasons, B(starting) | B(clock_read));
	assert_int_equal(out.line.bound_ns, -1);
	assert_int_equal(p.snap.have_offset, 0);
}

static void a_follower_comes_to_be_trusted(void **state)
{
	(void)state;
	begin_as(ROLE_AUTO);
	start(7);
	run(800 * MS);
	assert_true(saw(TSV_SETTLING));
	assert_false(saw(TSV_TRUSTED));
	run(1200 * MS);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
	assert_int_equal(out.verdict.reasons, 0);
	assert_false(saw(TSV_LOCAL_RTT));
	assert_int_equal(out.have_line, 1);
	assert_int_equal(out.line.ns, local_time());
	assert_int_equal(out.line.tsc, now);
	assert_int_equal(out.mult, UINT64_C(1) << 48);
	assert_int_equal(out.line.epoch, 8);
	assert_int_equal(out.line.flags, TSV_SOFTWARE);
	assert_int_equal(out.line.state, TSV_TRUSTED);
	/* No evidence is younger than the last Sync. */
	assert_int_equal(out.line.good_until_ns, r.time_status.ingress_ns);
	/* 400 + 1700 + 26 + 1 and some growth of 1 ppm. */
	assert_in_range(out.line.bound_ns, 2127, 2130);
	assert_int_equal(out.growth, (p.snap.growth_ppb * 4294967296 + 999999999) / 1000000000);
}

/* Its counters say that a million Syncs came before anybody looked. */
static void a_ptp4l_that_ran_before_us_is_settled_like_any_other(void **state)
{
	(void)state;
	begin_as(ROLE_AUTO);
	r.stats.rx[PTP_MSG_SYNC] = 1000000;
	start(0);
	run(800 * MS);
	assert_true(saw(TSV_SETTLING));
	assert_false(saw(TSV_TRUSTED));
	run(1200 * MS);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
}

static void hardware_and_ptp_scale_are_flags(void **state)
{
	(void)state;
	begin_as(ROLE_FOLLOWER);
	strcpy(settings.time_stamping, "hardware");
	r.properties.ptp_timescale = 1;
	r.parent.gm_accuracy = 0x21;
	start(0);
	run(4 * S);
	assert_int_equal(out.line.flags, TSV_PTP_SCALE);
	assert_int_equal(p.snap.software, 0);
	assert_int_equal(p.snap.bound_utc_ns, p.snap.bound_gm_ns + 100);
}

static void a_clock_that_cannot_be_read(void **state)
{
	(void)state;
	begin();
	reads = 0;
	run(REFRESH);
	expect_holdover(B(clock_read));
	reads = 1;
	run(REFRESH);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
}

static void a_link_that_is_down(void **state)
{
	(void)state;
	begin();
	pipeline_link(&p, 0);
	judge_now();
	expect_holdover(B(link_down));
	pipeline_link(&p, 1);
	judge_now();
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
}

static void a_ptp4l_that_ended(void **state)
{
	(void)state;
	begin();
	pipeline_ptp4l(&p, 0);
	judge_now();
	expect_holdover(B(ptp4l_down));
	/* Started, it has to speak first. */
	pipeline_ptp4l(&p, 1);
	judge_now();
	expect_holdover(B(ptp4l_no_reply));
	run(1 * S);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
}

static void a_ptp4l_that_does_not_answer(void **state)
{
	int64_t last;

	(void)state;
	begin();
	last = r.asked_ns;
	answers = 0;
	now = last + 400 * MS;
	judge_now();
	assert_int_equal(out.verdict.reasons & B(ptp4l_no_reply), 0);
	now++;
	judge_now();
	expect_holdover(B(ptp4l_no_reply));
}

static void a_poll_that_brings_half_is_no_answer(void **state)
{
	(void)state;
	for (int bit = PTP_HAVE_TIME_STATUS; bit <= PTP_HAVE_PORT; bit <<= 1) {
		begin();
		r.have = ALL & ~(unsigned)bit;
		run(1 * S);
		expect_holdover(B(ptp4l_no_reply));
	}
}

static void ptp4l_without_counters_is_believed(void **state)
{
	(void)state;
	begin_as(ROLE_AUTO);
	r.have = ALL & ~(unsigned)PTP_HAVE_STATS;
	start(0);
	run(4 * S);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
	sync_on = 0;
	run(1 * S);
	expect_holdover(B(sync_missing));
}

static void a_port_in_another_state(void **state)
{
	static const int bad[] = {
		PTP_INITIALIZING, PTP_FAULTY, PTP_DISABLED, PTP_LISTENING, PTP_PRE_MASTER, PTP_MASTER,
		PTP_PASSIVE, PTP_GRAND_MASTER, 0, 11
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		begin();
		r.port.state = bad[i];
		run(POLL);
		expect_holdover(B(port_state));
	}
	begin();
	r.port.state = PTP_SLAVE;
	run(1 * S);
	assert_false(saw(TSV_HOLDOVER));
}

static void uncalibrated_gives_no_time_where_a_servo_should_run(void **state)
{
	(void)state;
	begin_as(ROLE_FOLLOWER);
	settings.mode = MODE_STEER;
	start(0);
	run(4 * S);
	assert_false(saw(TSV_SETTLING));
	assert_true(out.verdict.reasons & B(port_state));
	r.port.state = PTP_SLAVE;
	run(4 * S);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
}

/* Everything ptp4l says stays as it was: only the age of its last Sync tells. */
static void a_sync_that_does_not_come(void **state)
{
	int64_t stopped, good_until;

	(void)state;
	begin();
	sync_on = 0;
	stopped = now;
	while (out.verdict.to == TSV_TRUSTED)
		run(REFRESH);
	expect_holdover(B(sync_missing));
	assert_in_range(now - stopped, 350 * MS, 450 * MS);
	assert_false(out.verdict.reasons & (B(rx_stalled) | B(ptp4l_no_reply)));
	good_until = out.line.good_until_ns;
	assert_in_range(good_until, stopped + wall - S / 16, stopped + wall);
	run(2 * S);
	expect_holdover(B(sync_missing));
	assert_int_equal(out.line.good_until_ns, good_until);
	assert_true(out.line.bound_ns > 2127 + 2000);
	run(4 * S);
	assert_int_equal(out.verdict.to, TSV_LOCAL_RTT);
	assert_true(out.verdict.reasons & B(hold_limit));
	assert_int_equal(out.line.good_until_ns, good_until);
	assert_int_equal(out.line.epoch, 1);
}

static void counters_that_stand_still(void **state)
{
	(void)state;
	begin();
	sync_every = 60 * S;
	next_sync = now + 60 * S;
	run(1 * S);
	expect_holdover(B(sync_missing) | B(rx_stalled));
}

static void notes_reach_the_snapshot(void **state)
{
	(void)state;
	begin();
	pipeline_crash_loop(&p, 1);
	r.current.steps_removed = 2;
	r.port.port.port = 1;
	run(POLL);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
	assert_int_equal(p.snap.reasons, B(crash_loop) | B(upstream_budget));
	assert_int_equal(p.snap.bound_gm_ns, -1);
	assert_int_equal(p.snap.bound_parent_ns, out.line.bound_ns);
	pipeline_crash_loop(&p, 0);
	settings.upstream_budget_ns = 500;
	run(POLL);
	assert_int_equal(p.snap.reasons, 0);
	assert_int_equal(p.snap.bound_gm_ns, p.snap.bound_parent_ns + 500);
}

static void the_snapshot_is_complete(void **state)
{
	const struct clock_snapshot *s = &p.snap;

	(void)state;
	begin();
	assert_string_equal(s->name, "main");
	assert_string_equal(s->interface, "eth0");
	assert_int_equal(s->state, TSV_TRUSTED);
	assert_int_equal(s->role, ROLE_FOLLOWER);
	assert_int_equal(s->port_state, PTP_UNCALIBRATED);
	assert_int_equal(s->page_ns, local_time());
	assert_int_equal(s->offset_ns, 400);
	assert_int_equal(s->path_delay_ns, 1700);
	assert_int_equal(s->ingress_ns, r.time_status.ingress_ns);
	assert_int_equal(s->offset_term_ns, 400);
	assert_int_equal(s->path_term_ns, 1700);
	assert_int_equal(s->read_term_ns, 27);
	assert_int_equal(s->bound_parent_ns, 400 + 1700 + 27 + s->growth_term_ns);
	assert_int_equal(s->bound_gm_ns, s->bound_parent_ns);
	assert_int_equal(s->bound_utc_ns, -1);
	assert_int_equal(s->rate_ppb, 0);
	assert_in_range(s->growth_ppb, 1000, 1100);
	assert_int_equal(s->epoch, 1);
	assert_int_equal(s->steps_removed, 1);
	assert_int_equal(s->gm_accuracy, 0xFE);
	assert_memory_equal(s->clock_identity.id, self.id, 8);
	assert_int_equal(s->gm_identity.id[7], 1);
	assert_in_range(s->syncs, 55, 64);
	assert_int_equal(s->outliers, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_known_at_first),
		cmocka_unit_test(a_follower_comes_to_be_trusted),
		cmocka_unit_test(a_ptp4l_that_ran_before_us_is_settled_like_any_other),
		cmocka_unit_test(hardware_and_ptp_scale_are_flags),
		cmocka_unit_test(a_clock_that_cannot_be_read),
		cmocka_unit_test(a_link_that_is_down), cmocka_unit_test(a_ptp4l_that_ended),
		cmocka_unit_test(a_ptp4l_that_does_not_answer),
		cmocka_unit_test(a_poll_that_brings_half_is_no_answer),
		cmocka_unit_test(ptp4l_without_counters_is_believed),
		cmocka_unit_test(a_port_in_another_state),
		cmocka_unit_test(uncalibrated_gives_no_time_where_a_servo_should_run),
		cmocka_unit_test(a_sync_that_does_not_come),
		cmocka_unit_test(counters_that_stand_still),
		cmocka_unit_test(notes_reach_the_snapshot),
		cmocka_unit_test(the_snapshot_is_complete),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("pipeline", tests, NULL, NULL);
}
