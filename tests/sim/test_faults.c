/* Every way to go wrong: out of trust for the right reason and in time, and back. */
#include "tests/sim/scenario.h"

static void sync_lost_and_back(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		uint32_t epoch;
		int64_t stopped, good_until;

		world_init(&w, seed);
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

		world_init(&w, seed);
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

		world_init(&w, seed);
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

		world_init(&w, seed);
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

		world_init(&w, seed);
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

		world_init(&w, seed);
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
		world_init(&w, seed);
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
		world_init(&w, seed);
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
		world_init(&w, seed);
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
		world_init(&w, seed);
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

		world_init(&w, seed);
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
		world_init(&w, seed);
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
		world_init(&w, seed);
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
		world_init(&w, seed);
		w.sync_off = 1;
		world_start(&w);
		world_run(&w, 10 * S);
		assert_false(saw(TSV_TRUSTED));
		assert_int_equal(w.out.line.state, TSV_LOCAL_RTT);
		assert_int_equal(w.out.line.bound_ns, -1);
	}
}

static void reference_serves_another_time(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		int64_t before;
		uint32_t epoch;

		world_init(&w, seed);
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
	assert_true(total_checks > 200000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sync_lost_and_back),
		cmocka_unit_test(sync_lost_for_good),
		cmocka_unit_test(shift_past_alarm),
		cmocka_unit_test(shift_past_fallback),
		cmocka_unit_test(shift_in_silence),
		cmocka_unit_test(grandmaster_restarts_with_a_shift),
		cmocka_unit_test(ptp4l_killed),
		cmocka_unit_test(ptp4l_hung),
		cmocka_unit_test(link_lost),
		cmocka_unit_test(grandmaster_switch),
		cmocka_unit_test(local_clock_step),
		cmocka_unit_test(negative_path_delay),
		cmocka_unit_test(unreadable_clock),
		cmocka_unit_test(never_any_evidence),
		cmocka_unit_test(reference_serves_another_time),
		cmocka_unit_test(enough_was_checked),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
