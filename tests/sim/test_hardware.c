/* Hardware clocks: a bound of some microseconds, and faults of the same size that must be seen. */
#include "tests/sim/scenario.h"

static void begin(uint64_t seed)
{
	world_init(&w, seed);
	world_hardware(&w, 1);
	w.drift_ppm = (double)(seed % 7) * 12 - 36;
	settle(20 * S);
	assert_int_equal(w.out.line.state, TSV_TRUSTED);
}

static void locked(void **state)
{
	int64_t widest = 0;

	(void)state;
	FOR_EACH_SEED {
		begin(seed);
		for (int i = 0; i < 40; i++) {
			world_run(&w, 1 * S);
			widest = w.out.line.bound_ns > widest ? w.out.line.bound_ns : widest;
		}
		expect_clean("locked on hardware stamps");
		assert_int_equal(w.reasons_seen & (TSV_BIT(clock_step) | TSV_BIT(clock_rate)), 0);
	}
	print_message("# widest bound %lld ns\n", (long long)widest);
	assert_true(widest < 4 * US);
}

/* Somebody else sets the clock: by less than any alarm line. */
static void steps_of_5us(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		uint32_t epoch;
		int64_t at;

		begin(seed);
		epoch = w.out.line.epoch;
		world_run(&w, (int64_t)(seed % 10) * 7 * MS);
		at = w.now;
		world_step_clock(&w, seed % 2 ? 5 * US : -5 * US);
		world_run(&w, 100 * MS);
		assert_true(w.reasons_seen & TSV_BIT(clock_step));
		assert_true(w.fell_at != 0 && w.fell_at - at <= 60 * MS);
		assert_true(w.out.line.epoch > epoch);
		assert_true(w.out.line.good_until_ns <= at + 10 * US);
		world_run(&w, 20 * S);
		assert_int_equal(w.out.line.state, TSV_TRUSTED);
		expect_sound("steps of 5 us");
	}
}

static void rates_off_by_50ppm(void **state)
{
	int64_t slowest = 0;

	(void)state;
	FOR_EACH_SEED {
		int64_t at;

		begin(seed);
		world_run(&w, (int64_t)(seed % 10) * 7 * MS);
		at = w.now;
		world_bend_clock(&w, seed % 2 ? 50 : -50);
		world_run(&w, 500 * MS);
		assert_true(w.reasons_seen & TSV_BIT(clock_rate));
		assert_false(w.reasons_seen & TSV_BIT(clock_step));
		assert_true(w.fell_at != 0);
		slowest = w.fell_at - at > slowest ? w.fell_at - at : slowest;
		world_run(&w, 40 * S);
		assert_int_equal(w.out.line.state, TSV_TRUSTED);
		expect_sound("rates off by 50 ppm");
	}
	print_message("# slowest detection %lld ms\n", (long long)(slowest / MS));
	assert_true(slowest <= 300 * MS);
}

/* The servo follows a grandmaster that jumped: tens of ppm, and no fault of the clock. */
static void a_servo_at_work_is_no_fault(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		begin(seed);
		shift_grandmaster(seed % 2 ? 15 * US : -15 * US);
		world_run(&w, 20 * S);
		assert_int_equal(w.reasons_seen & (TSV_BIT(clock_step) | TSV_BIT(clock_rate)), 0);
		assert_int_equal(w.out.line.state, TSV_TRUSTED);
		expect_sound("a servo at work");
	}
}

/* What is too small to be told from a reading's width is inside the bound. */
static void small_steps_are_in_the_bound(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		begin(seed);
		for (int i = 0; i < 20; i++) {
			world_step_clock(&w, i % 2 ? 2 * US : -2 * US);
			world_run(&w, 500 * MS);
		}
		expect_sound("small steps");
	}
}

static void unsteered(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		world_init(&w, seed);
		world_hardware(&w, 0);
		w.drift_ppm = 0.2;
		settle(6 * S);
		world_run(&w, 20 * S);
		expect_clean("observed hardware clock");
		world_bend_clock(&w, -50);
		world_run(&w, 500 * MS);
		assert_true(w.reasons_seen & TSV_BIT(clock_rate));
		assert_int_equal(w.out.line.state, TSV_LOCAL_RTT);
		expect_sound("observed hardware clock");
	}
}

static void vanishes_and_comes_back(void **state)
{
	(void)state;
	FOR_EACH_SEED {
		uint32_t epoch;
		int64_t gone;

		begin(seed);
		epoch = w.out.line.epoch;
		gone = w.now;
		w.reads_fail = 1;
		world_kill(&w);
		world_run(&w, 3 * S);
		assert_true(saw(TSV_HOLDOVER));
		assert_true(w.held_at - gone <= 100 * MS);
		assert_true(w.reasons_seen & TSV_BIT(clock_read));
		world_step_clock(&w, -NS_PER_S * 1000);
		w.reads_fail = 0;
		pipeline_clock_renewed(&w.pipeline);
		world_run(&w, 100 * MS);
		assert_int_equal(w.out.line.state, TSV_LOCAL_RTT);
		assert_true(w.out.line.epoch > epoch);
		assert_true(w.out.line.good_until_ns <= gone + 10 * US);
		/* ptp4l, started again, sets the clock. */
		world_step_clock(&w, NS_PER_S * 1000);
		world_revive(&w);
		world_run(&w, 20 * S);
		assert_int_equal(w.out.line.state, TSV_TRUSTED);
		expect_sound("a hardware clock that vanishes");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locked),
		cmocka_unit_test(steps_of_5us),
		cmocka_unit_test(rates_off_by_50ppm),
		cmocka_unit_test(a_servo_at_work_is_no_fault),
		cmocka_unit_test(small_steps_are_in_the_bound),
		cmocka_unit_test(unsteered),
		cmocka_unit_test(vanishes_and_comes_back),
	};
	int failed;

	cmocka_set_message_output(CM_OUTPUT_TAP);
	failed = cmocka_run_group_tests_name("hardware clocks in virtual time", tests, NULL, NULL);
	print_message("# %llu steps checked against the bound\n", (unsigned long long)total_checks);
	return failed;
}
