/* Whole clocks in virtual time, every scenario over SEEDS seeds. In every step of every run the true error
 * stays within the published bound while TRUSTED (ALARM included) or HOLDOVER, and time never runs backwards
 * within an epoch. A step of the grandmaster cannot be seen before its next Sync: the time from such a fault to
 * the third Sync that carries it is left out of the bound check and limited in itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "nstime.h"
#include "reason.h"
#include "tests/sim/world.h"

#define SEEDS	24
#define S	NS_PER_S
#define MS	NS_PER_MS
#define US	NS_PER_US

static struct world w;
static uint64_t total_checks;

static void begin(uint64_t seed)
{
	world_init(&w, seed);
}

static void settle(int64_t span)
{
	world_start(&w);
	world_run(&w, span);
	world_mark(&w);
}

static void expect_sound(const char *what)
{
	total_checks += w.checks;
	if (w.violations || w.backwards)
		print_message("# %s: %llu of %llu checks beyond the bound (worst by %lld ns), %llu backwards\n", what,
			(unsigned long long)w.violations, (unsigned long long)w.checks,
			(long long)w.worst_excess, (unsigned long long)w.backwards);
	assert_true(w.checks > 0);
	assert_int_equal(w.violations, 0);
	assert_int_equal(w.backwards, 0);
}

static void expect_clean(const char *what)
{
	if (w.trusted_steps * 100 < w.steps * 95)
		print_message("# %s: TRUSTED in %llu of %llu steps\n", what,
			(unsigned long long)w.trusted_steps, (unsigned long long)w.steps);
	assert_true(w.trusted_steps * 100 >= w.steps * 95);
	assert_int_equal(w.states_seen & 1u << TSV_LOCAL_RTT, 0);
	expect_sound(what);
}

static int saw(enum tsv_state state)
{
	return w.states_seen >> state & 1;
}

/* A step of the grandmaster: blind until three Syncs carry it and have been polled. */
static void shift_grandmaster(int64_t ns)
{
	w.gm_shift += ns;
	w.blind_from = w.now;
	w.blind_until = w.now + 3 * nstime_log_interval(w.log_sync) + 300 * MS;
}

#define FOR_EACH_SEED for (uint64_t seed = 1; seed <= SEEDS; seed++)

static void quiet(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		begin(seed);
		settle(4 * S);
		world_run(&w, 60 * S);
		expect_clean("quiet");
		assert_false(w.alarm_seen);
		/* A bound that is right because it is huge is not wanted. */
		assert_true(w.out.line.bound_ns < 10 * US);
	}
}

static void start_is_fast(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		begin(seed);
		world_start(&w);
		world_run(&w, 3 * S);
		assert_true(saw(TSV_SETTLING));
		assert_true(w.trusted_at != 0);
		assert_int_equal(w.out.line.epoch, 1);
	}
}

static void software_noise(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		begin(seed);
		w.jitter = 8 * US;
		w.wander_ppm = 0.02;
		settle(4 * S);
		world_run(&w, 60 * S);
		expect_clean("software noise");
		assert_false(w.alarm_seen);
	}
}

static void late_stamps(void **state)
{
	uint64_t outliers = 0;

	(void)state;
	FOR_EACH_SEED {
		begin(seed);
		w.outlier_p = 0.01;
		w.outlier_ns = 60 * US;
		settle(4 * S);
		world_run(&w, 60 * S);
		expect_clean("late stamps");
		outliers += w.pipeline.offsets.outliers;
	}
	assert_true(outliers > 2 * SEEDS);
}

static void steered(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		begin(seed);
		w.servo = 1;
		w.drift_ppm = 15;
		w.wander_ppm = 0.05;
		settle(60 * S);
		world_run(&w, 60 * S);
		expect_clean("steered");
	}
}

static void asymmetric_path(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		begin(seed);
		w.delay_ab = 1 * US + (int64_t)rng_below(&w.rng, 9 * US);
		w.delay_ba = 10 * US - w.delay_ab;
		settle(4 * S);
		world_run(&w, 40 * S);
		expect_clean("asymmetric path");
	}
}

static void slow_sync(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		begin(seed);
		w.log_sync = w.log_delay_req = 0;
		settle(30 * S);
		world_run(&w, 60 * S);
		expect_clean("one Sync a second");
	}
}

static void lossy_sync(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		begin(seed);
		w.sync_loss = 0.2;
		settle(4 * S);
		world_run(&w, 60 * S);
		expect_clean("one Sync in five lost");
	}
}

static void stalling_engine(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		begin(seed);
		w.engine_stall_ns = 400 * MS;
		settle(4 * S);
		world_run(&w, 60 * S);
		expect_clean("stalling engine");
	}
}

static void path_step_under_servo(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		begin(seed);
		w.servo = 1;
		w.log_delay_req = 0;
		w.delay_ab = w.delay_ba = 30 * US;
		settle(30 * S);
		w.delay_ab += 20 * US;
		world_run(&w, 40 * S);
		expect_sound("path step under a servo");
	}
}

static void sync_lost_and_back(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		uint32_t epoch;
		int64_t stopped, good_until;

		begin(seed);
		settle(6 * S);
		epoch = w.out.line.epoch;
		w.sync_off = 1;
		stopped = w.now;
		world_run(&w, 1 * S);
		assert_true(saw(TSV_HOLDOVER));
		assert_true(w.held_at - stopped <= 1 * S);
		assert_true(w.reasons_seen & TSV_BIT(sync_missing));
		assert_false(w.reasons_seen & TSV_BIT(ptp4l_no_reply));
		good_until = w.out.line.good_until_ns;
		assert_true(good_until <= stopped + 10 * US);
		world_run(&w, 2 * S);
		assert_int_equal(w.out.line.good_until_ns, good_until);
		w.sync_off = 0;
		world_run(&w, 1 * S);
		assert_int_equal(w.out.line.state, TSV_TRUSTED);
		assert_int_equal(w.out.line.epoch, epoch);
		assert_true(w.out.line.good_until_ns > good_until + 2 * S);
		assert_false(saw(TSV_LOCAL_RTT));
		expect_sound("Sync lost and back");
	}
}

static void sync_lost_for_good(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		uint32_t epoch;
		int64_t stopped;

		begin(seed);
		settle(6 * S);
		epoch = w.out.line.epoch;
		w.sync_off = 1;
		stopped = w.now;
		world_run(&w, 8 * S);
		assert_int_equal(w.out.line.state, TSV_LOCAL_RTT);
		assert_true(w.out.verdict.reasons & TSV_BIT(hold_limit));
		assert_true(w.fell_at - stopped >= 5 * S && w.fell_at - stopped <= 6 * S);
		assert_true(w.out.line.good_until_ns <= stopped + 10 * US);
		w.sync_off = 0;
		world_run(&w, 7 * S);
		assert_int_equal(w.out.line.state, TSV_TRUSTED);
		assert_true(w.out.line.epoch > epoch);
		expect_sound("Sync lost for good");
	}
}

static void shift_past_alarm(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		uint32_t epoch;

		begin(seed);
		settle(6 * S);
		epoch = w.out.line.epoch;
		shift_grandmaster(-35 * US);
		world_run(&w, 10 * S);
		assert_false(saw(TSV_LOCAL_RTT));
		assert_true(w.alarm_seen);
		assert_true(w.alarmed_at - w.blind_from <= 1 * S);
		assert_true(w.reasons_seen & TSV_BIT(offset));
		assert_true(w.out.line.epoch > epoch);
		shift_grandmaster(35 * US);
		world_run(&w, 12 * S);
		assert_false(w.out.verdict.alarm_to);
		expect_sound("35 us past the alarm line");
	}
}

static void shift_past_fallback(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		uint32_t epoch;

		begin(seed);
		settle(6 * S);
		epoch = w.out.line.epoch;
		shift_grandmaster(120 * US);
		world_run(&w, 10 * S);
		assert_int_equal(w.out.line.state, TSV_LOCAL_RTT);
		assert_true(w.fell_at - w.blind_from <= 1 * S);
		assert_true(w.reasons_seen & TSV_BIT(bound));
		/* Nothing after the shift was ever vouched for. */
		assert_true(w.out.line.good_until_ns <= w.blind_from);
		shift_grandmaster(-120 * US);
		world_run(&w, 12 * S);
		assert_int_equal(w.out.line.state, TSV_TRUSTED);
		assert_true(w.out.line.epoch > epoch);
		expect_sound("120 us past the fallback line");
	}
}

static void shift_in_silence(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		uint32_t epoch;
		int64_t stopped;

		begin(seed);
		settle(6 * S);
		epoch = w.out.line.epoch;
		w.sync_off = 1;
		stopped = w.now;
		world_run(&w, 1500 * MS);
		w.sync_off = 0;
		w.gm_shift = 120 * US;
		/* Its page could not know since the shift, and nobody vouched for it. */
		w.blind_from = stopped;
		w.blind_until = w.now + 500 * MS;
		world_run(&w, 2 * S);
		assert_int_equal(w.out.line.state, TSV_LOCAL_RTT);
		assert_true(w.reasons_seen & TSV_BIT(disagrees));
		assert_true(w.out.line.epoch > epoch);
		assert_true(w.out.line.good_until_ns <= stopped + 10 * US);
		expect_sound("a shift during a silence");
	}
}

static void grandmaster_restarts_with_a_shift(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		uint32_t epoch;
		int64_t lost, good_until;

		begin(seed);
		w.log_delay_req = -3 + (int)(seed % 4);
		settle(12 * S);
		epoch = w.out.line.epoch;
		lost = w.now;
		world_lose_master(&w);
		world_run(&w, 1 * S);
		assert_int_equal(w.out.line.state, TSV_HOLDOVER);
		good_until = w.out.line.good_until_ns;
		w.gm_shift = 120 * US;
		w.blind_from = lost;
		w.blind_until = w.now + 3 * S;
		world_find_master(&w);
		/* ptp4l repeats its old offset until it has measured a path delay: nobody may believe it. */
		for (int i = 0; i < 600 && w.out.line.epoch == epoch; i++) {
			assert_int_equal(w.out.line.good_until_ns, good_until);
			world_run(&w, 5 * MS);
		}
		assert_true(w.out.line.epoch > epoch);
		assert_int_equal(w.out.line.state, TSV_LOCAL_RTT);
		expect_sound("grandmaster restarted with a shift");
	}
}

static void ptp4l_killed(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		begin(seed);
		settle(6 * S);
		world_kill(&w);
		world_run(&w, 200 * MS);
		assert_int_equal(w.out.line.state, TSV_HOLDOVER);
		assert_true(w.reasons_seen & TSV_BIT(ptp4l_down));
		world_revive(&w);
		/* What the killed one said is still young, and proves nothing of the next. */
		world_run(&w, 5 * MS);
		assert_int_equal(w.out.line.state, TSV_HOLDOVER);
		world_run(&w, 3 * S);
		assert_int_equal(w.out.line.state, TSV_TRUSTED);
		assert_false(saw(TSV_LOCAL_RTT));
		expect_sound("ptp4l killed");
	}
}

static void ptp4l_hung(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		begin(seed);
		settle(6 * S);
		w.ptp4l_hung = 1;
		world_run(&w, 1 * S);
		assert_int_equal(w.out.line.state, TSV_HOLDOVER);
		assert_true(w.reasons_seen & TSV_BIT(ptp4l_no_reply));
		w.ptp4l_hung = 0;
		world_run(&w, 1 * S);
		assert_int_equal(w.out.line.state, TSV_TRUSTED);
		expect_sound("ptp4l hung");
	}
}

static void link_lost(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		begin(seed);
		settle(6 * S);
		w.link_off = 1;
		world_run(&w, 100 * MS);
		assert_int_equal(w.out.line.state, TSV_HOLDOVER);
		assert_true(w.reasons_seen & TSV_BIT(link_down));
		world_run(&w, 8 * S);
		assert_int_equal(w.out.line.state, TSV_LOCAL_RTT);
		expect_sound("link lost");
	}
}

static void grandmaster_switch(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		begin(seed);
		settle(6 * S);
		w.gm.id[7] = 2;
		world_run(&w, 300 * MS);
		assert_int_equal(w.out.line.state, TSV_LOCAL_RTT);
		assert_true(w.out.verdict.reasons & TSV_BIT(gm_changed));
		world_run(&w, 7 * S);
		assert_int_equal(w.out.line.state, TSV_TRUSTED);
		expect_sound("grandmaster switch");
	}
}

static void local_clock_step(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		uint32_t epoch;

		begin(seed);
		settle(6 * S);
		epoch = w.out.line.epoch;
		world_step_clock(&w, seed % 2 ? 8 * US : -8 * US);
		world_run(&w, 100 * MS);
		assert_int_equal(w.out.line.state, TSV_LOCAL_RTT);
		assert_true(w.out.verdict.reasons & TSV_BIT(clock_step));
		assert_true(w.out.line.epoch > epoch);
		world_run(&w, 8 * S);
		assert_int_equal(w.out.line.state, TSV_TRUSTED);
		expect_sound("step of the local clock");
	}
}

static void negative_path_delay(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		begin(seed);
		settle(6 * S);
		w.negative_path = 1;
		world_run(&w, 1 * S);
		assert_int_equal(w.out.line.state, TSV_LOCAL_RTT);
		assert_true(w.out.verdict.reasons & TSV_BIT(path_delay));
		expect_sound("negative path delay");
	}
}

static void unreadable_clock(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		begin(seed);
		settle(6 * S);
		w.reads_fail = 1;
		world_run(&w, 200 * MS);
		assert_int_equal(w.out.line.state, TSV_HOLDOVER);
		assert_true(w.reasons_seen & TSV_BIT(clock_read));
		expect_sound("clock that cannot be read");
	}
}

static void never_any_evidence(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		begin(seed);
		w.sync_off = 1;
		world_start(&w);
		world_run(&w, 10 * S);
		assert_false(saw(TSV_TRUSTED));
		assert_int_equal(w.out.line.state, TSV_LOCAL_RTT);
		assert_int_equal(w.out.line.bound_ns, -1);
	}
}

static void reference(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		begin(seed);
		w.reference = 1;
		w.drift_ppm = 20;
		settle(4 * S);
		world_run(&w, 40 * S);
		expect_clean("reference");
		assert_true(w.out.line.bound_ns < 2 * US);
		assert_true(w.out.line.flags & TSV_REFERENCE);
		world_kill(&w);
		world_run(&w, 1 * S);
		assert_int_equal(w.out.line.state, TSV_HOLDOVER);
		world_revive(&w);
		world_run(&w, 1 * S);
		assert_int_equal(w.out.line.state, TSV_TRUSTED);
		expect_sound("reference restarted");
	}
}

static void reference_serves_another_time(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		int64_t before;
		uint32_t epoch;

		begin(seed);
		w.reference = 1;
		settle(4 * S);
		expect_sound("reference before its shift");
		before = w.out.line.ns - w.now;
		epoch = w.out.line.epoch;
		pipeline_shift(&w.pipeline, 120 * US);
		world_run(&w, 500 * MS);
		assert_int_equal(w.out.line.epoch, epoch);	/* not before ptp4l serves it */
		world_kill(&w);
		world_run(&w, 1 * S);
		assert_in_range(w.out.line.ns - w.now - before + 1000, 0, 2000);
		world_revive(&w);
		world_run(&w, 1 * S);
		assert_int_equal(w.out.line.state, TSV_TRUSTED);
		assert_in_range(w.out.line.ns - w.now - before - 119 * US, 0, 2 * US);
		assert_true(w.out.line.epoch > epoch);
	}
}

static void enough_was_checked(void **state)
{
	(void)state;
	print_message("# %llu steps checked against the truth\n", (unsigned long long)total_checks);
	assert_true(total_checks > 1000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quiet), cmocka_unit_test(start_is_fast), cmocka_unit_test(software_noise),
		cmocka_unit_test(late_stamps), cmocka_unit_test(steered), cmocka_unit_test(asymmetric_path),
		cmocka_unit_test(slow_sync), cmocka_unit_test(lossy_sync), cmocka_unit_test(stalling_engine),
		cmocka_unit_test(path_step_under_servo), cmocka_unit_test(sync_lost_and_back),
		cmocka_unit_test(sync_lost_for_good), cmocka_unit_test(shift_past_alarm),
		cmocka_unit_test(shift_past_fallback), cmocka_unit_test(shift_in_silence),
		cmocka_unit_test(grandmaster_restarts_with_a_shift),
		cmocka_unit_test(ptp4l_killed), cmocka_unit_test(ptp4l_hung), cmocka_unit_test(link_lost),
		cmocka_unit_test(grandmaster_switch), cmocka_unit_test(local_clock_step),
		cmocka_unit_test(negative_path_delay), cmocka_unit_test(unreadable_clock),
		cmocka_unit_test(never_any_evidence), cmocka_unit_test(reference),
		cmocka_unit_test(reference_serves_another_time), cmocka_unit_test(enough_was_checked),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("scenarios", tests, NULL, NULL);
}
