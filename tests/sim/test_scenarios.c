/* Clocks that nothing happens to but noise: sound, and TRUSTED nearly always. */
#include "tests/sim/scenario.h"

static void quiet(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		world_init(&w, seed);
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
		world_init(&w, seed);
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
		world_init(&w, seed);
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
		world_init(&w, seed);
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
		world_init(&w, seed);
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
		world_init(&w, seed);
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
		world_init(&w, seed);
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
		world_init(&w, seed);
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
		world_init(&w, seed);
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
		world_init(&w, seed);
		w.servo = 1;
		w.log_delay_req = 0;
		w.delay_ab = w.delay_ba = 30 * US;
		settle(30 * S);
		w.delay_ab += 20 * US;
		world_run(&w, 40 * S);
		expect_sound("path step under a servo");
	}
}

static void reference(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		world_init(&w, seed);
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

static void enough_was_checked(void **state)
{
	(void)state;
	print_message("# %llu steps checked against the truth\n", (unsigned long long)total_checks);
	assert_true(total_checks > 1000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quiet),
		cmocka_unit_test(start_is_fast),
		cmocka_unit_test(software_noise),
		cmocka_unit_test(late_stamps),
		cmocka_unit_test(steered),
		cmocka_unit_test(asymmetric_path),
		cmocka_unit_test(slow_sync),
		cmocka_unit_test(lossy_sync),
		cmocka_unit_test(stalling_engine),
		cmocka_unit_test(path_step_under_servo),
		cmocka_unit_test(reference),
		cmocka_unit_test(enough_was_checked),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
