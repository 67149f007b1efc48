#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "nstime.h"
#include "timesvc/pipeline.h"
#include "timesvc/sources/sysclk.h"

#define S	NS_PER_S
#define MS	NS_PER_MS
#define US	NS_PER_US
#define B(name)	TSV_BIT(name)
#define POLL	(100 * MS)
#define REFRESH	(50 * MS)
#define WALL0	(INT64_C(1700000000) * S)	/* the local clock when the counter and mono are 0 */
#define ALL	(PTP_HAVE_TIME_STATUS | PTP_HAVE_DEFAULT | PTP_HAVE_CURRENT | PTP_HAVE_PARENT | \
		PTP_HAVE_PROPERTIES | PTP_HAVE_PORT | PTP_HAVE_STATS)

static const struct policy_settings policy = {
	.alarm_offset_ns = 30 * US, .alarm_clear_ns = 20 * US, .alarm_clear_time_ns = 5 * S,
	.fallback_bound_ns = 100 * US, .recover_bound_ns = 50 * US, .recover_time_ns = 5 * S,
	.hold_limit_ns = 5 * S, .reply_timeout_ns = 400 * MS, .growth_ppb = 1000, .outlier_ns = 10 * US,
	.settle_syncs = 16,
};

/* A host whose clock, counter and monotonic clock run alike, and the ptp4l on it. */
static struct clock_settings settings;
static struct pipeline p;
static struct pipeline_output out;
static struct ptp_reading r;
static int64_t now, wall;		/* mono = counter; the local clock */
static int64_t sync_every, next_sync;
static uint32_t states;			/* seen, by bit */
static uint64_t reasons;		/* seen */
static int sync_on, delays_on, answers, reads;

static const struct ptp_identity self = { { 0, 0, 0, 0, 0, 0, 0, 9 } };

static void begin_as(enum clock_role role)
{
	settings = (struct clock_settings){
		.name = "main", .interface = "eth0", .mode = MODE_OBSERVE, .time_stamping = "software",
		.upstream_budget_ns = -1, .role = role,
	};
	r = (struct ptp_reading){ .have = ALL };
	r.defaults.clock = self;
	r.parent.gm.id[7] = r.parent.parent.clock.id[7] = 1;
	r.parent.gm_accuracy = 0xFE;
	r.current = (struct ptp_current_ds){ .steps_removed = 1, .mean_path_delay_ns = 1700 };
	r.time_status.master_offset_ns = 400;
	r.port = (struct ptp_port_ds){ .state = PTP_UNCALIBRATED, .log_min_delay_req = -3 };
	now = 10 * S;
	wall = WALL0;
	sync_every = next_sync = S / 16;
	next_sync += now;
	sync_on = delays_on = answers = reads = 1;
	states = 0;
	reasons = 0;
}

static void start(uint32_t epoch)
{
	pipeline_init(&p, &settings, &policy, 1.0, POLL, epoch, now);
}

static int64_t local_time(void)
{
	return now + wall;
}

static void judge_now(void)
{
	pipeline_judge(&p, now, (uint64_t)now, &out);
	states |= 1u << out.verdict.to;
	reasons |= out.verdict.reasons;
}

static void run_ptp4l(void)
{
	for (; next_sync <= now; next_sync += sync_every) {
		r.stats.rx[PTP_MSG_ANNOUNCE]++;
		if (!sync_on)
			continue;
		r.stats.rx[PTP_MSG_SYNC]++;
		r.stats.rx[PTP_MSG_DELAY_RESP] += (uint64_t)delays_on;
		r.stats.tx[PTP_MSG_SYNC]++;
		r.time_status.ingress_ns = next_sync + wall;
	}
}

static void poll(void)
{
	r.asked_ns = now;
	if (answers)
		pipeline_ptp(&p, &r, now, (uint64_t)now);
}

static void run(int64_t span)
{
	struct clock_reading c = { .half_width_ns = 26 };

	for (int64_t end = now + span; now < end;) {
		now += REFRESH;
		run_ptp4l();
		c.tick = (uint64_t)now;
		c.time_ns = local_time();
		pipeline_clock(&p, reads ? &c : NULL);
		judge_now();
		if (now % POLL != 0)
			continue;
		poll();
		judge_now();
	}
}

/* A follower that is TRUSTED. */
static void begin(void)
{
	begin_as(ROLE_AUTO);
	start(0);
	run(4 * S);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
	states = 0;
	reasons = 0;
}

static void begin_reference(void)
{
	begin_as(ROLE_AUTO);
	r.port.state = PTP_MASTER;
	r.parent.gm = r.parent.parent.clock = self;
	r.current = (struct ptp_current_ds){ .steps_removed = 0 };
	r.time_status = (struct ptp_time_status){ .gm_present = 0 };
	start(0);
}

static int saw(enum tsv_state state)
{
	return states >> state & 1;
}

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

static void expect_holdover(uint64_t why)
{
	assert_int_equal(out.verdict.to, TSV_HOLDOVER);
	assert_int_equal(out.verdict.reasons & why, why);
	assert_false(saw(TSV_LOCAL_RTT));
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

static void a_reference_is_trusted_by_what_it_sends(void **state)
{
	(void)state;
	begin_reference();
	run(4 * S);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
	assert_int_equal(out.line.flags, TSV_SOFTWARE | TSV_REFERENCE);
	assert_int_equal(p.snap.role, ROLE_REFERENCE);
	assert_int_equal(p.snap.have_offset, 1);
	assert_int_equal(p.snap.offset_ns, 0);
	assert_in_range(out.line.bound_ns, 27, 300);
	/* Sync was sent after the poll before the last. */
	assert_int_equal(out.line.good_until_ns, local_time() - POLL);
	sync_on = 0;
	run(1 * S);
	expect_holdover(B(sync_missing));
}

static void a_reference_of_somebody_else_is_none(void **state)
{
	(void)state;
	begin_reference();
	r.parent.gm.id[7] = 1;
	run(4 * S);
	assert_false(saw(TSV_TRUSTED));
	assert_true(out.verdict.reasons & B(port_state));
}

static void a_reference_moves_when_ptp4l_serves_another_time(void **state)
{
	(void)state;
	begin_reference();
	run(4 * S);
	pipeline_shift(&p, 120 * US);
	run(500 * MS);
	assert_int_equal(out.line.ns, local_time());
	pipeline_ptp4l(&p, 0);
	answers = 0;
	run(500 * MS);
	assert_int_equal(out.line.ns, local_time());
	assert_int_equal(out.line.epoch, 1);
	pipeline_ptp4l(&p, 1);
	answers = 1;
	r.stats.tx[PTP_MSG_SYNC] = 0;
	run(500 * MS);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
	assert_int_equal(out.line.ns, local_time() + 120 * US);
	assert_int_equal(out.line.epoch, 2);
	assert_int_equal(out.line.good_until_ns, local_time() - POLL + 120 * US);
}

/* What ptp4l adds as a master is not in the local clock, which is a follower's page time. */
static void a_follower_serves_nothing(void **state)
{
	(void)state;
	begin_as(ROLE_AUTO);
	settings.served_shift_ns = 120 * US;
	start(0);
	run(4 * S);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
	assert_int_equal(out.line.ns, local_time());
}

static void a_shift_of_a_reference_is_there_from_the_start(void **state)
{
	(void)state;
	begin_reference();
	settings.served_shift_ns = p.shift_ns = p.next_shift_ns = 120 * US;
	run(4 * S);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
	assert_int_equal(out.line.ns, local_time() + 120 * US);
}

static void the_role_is_found_while_nobody_relies_on_it(void **state)
{
	(void)state;
	begin();
	r.port.state = PTP_MASTER;
	r.parent.gm = self;
	run(1 * S);
	expect_holdover(B(port_state));
	assert_int_equal(p.role, ROLE_FOLLOWER);
	run(5 * S);
	assert_int_equal(out.verdict.to, TSV_LOCAL_RTT);
	run(7 * S);
	assert_int_equal(p.role, ROLE_REFERENCE);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
}

static void a_role_that_is_set_stays(void **state)
{
	(void)state;
	begin_as(ROLE_FOLLOWER);
	r.port.state = PTP_MASTER;
	r.parent.gm = self;
	start(0);
	run(10 * S);
	assert_int_equal(p.role, ROLE_FOLLOWER);
	assert_false(saw(TSV_TRUSTED));
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
		cmocka_unit_test(nothing_is_known_at_first), cmocka_unit_test(a_follower_comes_to_be_trusted),
		cmocka_unit_test(a_ptp4l_that_ran_before_us_is_settled_like_any_other),
		cmocka_unit_test(hardware_and_ptp_scale_are_flags), cmocka_unit_test(a_clock_that_cannot_be_read),
		cmocka_unit_test(a_link_that_is_down), cmocka_unit_test(a_ptp4l_that_ended),
		cmocka_unit_test(a_ptp4l_that_does_not_answer),
		cmocka_unit_test(a_poll_that_brings_half_is_no_answer),
		cmocka_unit_test(ptp4l_without_counters_is_believed), cmocka_unit_test(a_port_in_another_state),
		cmocka_unit_test(uncalibrated_gives_no_time_where_a_servo_should_run),
		cmocka_unit_test(a_sync_that_does_not_come), cmocka_unit_test(counters_that_stand_still),
		cmocka_unit_test(a_new_grandmaster), cmocka_unit_test(a_new_timescale),
		cmocka_unit_test(a_path_delay_that_is_impossible), cmocka_unit_test(one_late_stamp_moves_nothing),
		cmocka_unit_test(a_shift_past_the_alarm_line), cmocka_unit_test(a_shift_past_the_fallback_line),
		cmocka_unit_test(a_step_of_the_local_clock),
		cmocka_unit_test(a_sync_from_before_a_step_is_no_evidence),
		cmocka_unit_test(an_offset_from_before_a_restart_is_no_evidence),
		cmocka_unit_test(a_reference_is_trusted_by_what_it_sends),
		cmocka_unit_test(a_reference_of_somebody_else_is_none),
		cmocka_unit_test(a_reference_moves_when_ptp4l_serves_another_time),
		cmocka_unit_test(a_follower_serves_nothing),
		cmocka_unit_test(a_shift_of_a_reference_is_there_from_the_start),
		cmocka_unit_test(the_role_is_found_while_nobody_relies_on_it),
		cmocka_unit_test(a_role_that_is_set_stays), cmocka_unit_test(notes_reach_the_snapshot),
		cmocka_unit_test(the_snapshot_is_complete),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("pipeline", tests, NULL, NULL);
}
