#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "nstime.h"
#include "probe/kernel_time.h"
#include "rng.h"

/* A world of two clocks: a counter of 2.5 GHz, and CLOCK_REALTIME, which is set and steered. */
struct world {
	int64_t now_ns;			/* what neither shows */
	int64_t step_ns;
	double slew_ppm;
	double slewed_ns;		/* what the slew has added */
	uint64_t half_ticks;
};

static uint64_t tick_at(int64_t ns)
{
	return 1000 + (uint64_t)ns * 5 / 2;
}

static void pass(struct world *w, int64_t ns)
{
	w->now_ns += ns;
	w->slewed_ns += (double)ns * w->slew_ppm * 1e-6;
}

static int64_t real_now(const struct world *w)
{
	return INT64_C(1796040979000000000) + w->now_ns + w->step_ns + (int64_t)w->slewed_ns;
}

static void note(struct kernel_time *t, const struct world *w)
{
	struct kernel_pair p = { tick_at(w->now_ns), w->half_ticks, real_now(w) };

	kernel_time_note(t, &p);
}

/* A stamp that was taken a while ago is converted to within its half width. */
static void check(const struct kernel_time *t, const struct world *w, int64_t age_ns, int64_t stamp_ns)
{
	uint64_t tick = 0, truth = tick_at(w->now_ns - age_ns);
	uint32_t half = 0;

	assert_int_equal(kernel_time_tick(t, stamp_ns, &tick, &half), 0);
	assert_true((tick > truth ? tick - truth : truth - tick) <= half + 2);
	assert_true(half >= w->half_ticks);
}

static struct world started(struct kernel_time *t)
{
	struct world w = { .half_ticks = 60 };
	uint64_t tick;
	uint32_t half;

	kernel_time_init(t);
	assert_int_equal(kernel_time_ticks(t, 1000), 0);
	assert_int_equal(kernel_time_tick(t, real_now(&w), &tick, &half), -EAGAIN);
	note(t, &w);
	assert_int_equal(kernel_time_tick(t, real_now(&w), &tick, &half), -EAGAIN);
	pass(&w, 5 * NS_PER_MS);
	note(t, &w);
	assert_in_range(kernel_time_ticks(t, NS_PER_MS), 2499900, 2500100);
	return w;
}

static void test_converts(void **state)
{
	struct kernel_time t;
	struct world w = started(&t);
	uint64_t tick;
	uint32_t half;

	(void)state;
	check(&t, &w, 0, real_now(&w));
	check(&t, &w, 20 * NS_PER_US, real_now(&w) - 20 * NS_PER_US);
	check(&t, &w, NS_PER_MS, real_now(&w) - NS_PER_MS);
	assert_int_equal(kernel_time_tick(&t, real_now(&w) - NS_PER_US, &tick, &half), 0);
	assert_in_range(half, 60, 200);
	assert_int_equal(kernel_time_tick(&t, real_now(&w) - 2 * NS_PER_S, &tick, &half), -EAGAIN);
	assert_int_equal(kernel_time_tick(&t, real_now(&w) + NS_PER_MS, &tick, &half), -EAGAIN);
	assert_int_equal(kernel_time_tick(&t, INT64_MIN / 2, &tick, &half), -EAGAIN);
}

static void test_step(void **state)
{
	static const int64_t steps[] = { NS_PER_S, -NS_PER_S, 50 * NS_PER_US, -50 * NS_PER_US,
					 37 * NS_PER_S };
	uint64_t tick;
	uint32_t half;

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct kernel_time t;
		struct world w = started(&t);

		pass(&w, 100 * NS_PER_US);
		w.step_ns = steps[i];
		note(&t, &w);
		assert_int_equal(t.steps, 1);
		assert_int_equal(kernel_time_tick(&t, real_now(&w), &tick, &half), -EAGAIN);
		pass(&w, 500 * NS_PER_US);
		note(&t, &w);
		assert_int_equal(kernel_time_tick(&t, real_now(&w), &tick, &half), -EAGAIN);
		pass(&w, 600 * NS_PER_US);
		note(&t, &w);
		check(&t, &w, 10 * NS_PER_US, real_now(&w) - 10 * NS_PER_US);
		assert_int_equal(t.steps, 1);
	}
}

/* What is too small for a step is in the width. */
static void test_small_step(void **state)
{
	struct kernel_time t;
	struct world w = started(&t);
	int64_t stamp = real_now(&w) + 50 * NS_PER_US;

	(void)state;
	pass(&w, 100 * NS_PER_US);
	w.step_ns = 8 * NS_PER_US;
	note(&t, &w);
	assert_int_equal(t.steps, 0);
	check(&t, &w, 50 * NS_PER_US, stamp);
}

/* A long pause between two readings is no step, nor is a reading that was interrupted. */
static void test_pause(void **state)
{
	struct kernel_time t;
	struct world w = started(&t);

	(void)state;
	w.slew_ppm = 500;
	pass(&w, 2 * NS_PER_S);
	note(&t, &w);
	assert_int_equal(t.steps, 0);
	w.half_ticks = 25000000;		/* 10 ms */
	pass(&w, 30 * NS_PER_US);
	note(&t, &w);
	assert_int_equal(t.steps, 0);
	check(&t, &w, NS_PER_US, real_now(&w) - NS_PER_US);
}

static void test_any(void **state)
{
	struct rng rng = rng_seeded();

	(void)state;
	for (int run = 0; run < 50; run++) {
		struct kernel_time t;
		struct world w = started(&t);

		for (int i = 0; i < 2000; i++) {
			int64_t stamp, age = (int64_t)rng_below(&rng, 200 * NS_PER_US);

			if (!rng_below(&rng, 100))
				w.slew_ppm = (double)rng_below(&rng, 200) - 100;
			pass(&w, (int64_t)rng_below(&rng, 2 * NS_PER_MS));
			stamp = real_now(&w);
			pass(&w, age);
			w.half_ticks = 50 + rng_below(&rng, 100);
			note(&t, &w);
			check(&t, &w, age, stamp);
		}
		assert_int_equal(t.steps, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_converts),
		cmocka_unit_test(test_step),
		cmocka_unit_test(test_small_step),
		cmocka_unit_test(test_pause),
		cmocka_unit_test(test_any),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
