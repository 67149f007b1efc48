#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "nstime.h"
#include "probe/clockmap.h"
#include "rng.h"

#define EVERY	(20 * NS_PER_MS)
#define HALF	400

/* A device clock beside a counter of 1 tick a ns. */
struct device {
	int64_t offset_ns;
	double ppb;
	int64_t tick;
	int64_t bias;		/* of where within the bracket it is latched */
};

static int64_t device_ns(const struct device *d, int64_t tick)
{
	return tick + d->offset_ns + (int64_t)((double)tick * d->ppb * 1e-9);
}

static struct port_clock_reading read_at(const struct device *d, int64_t tick, uint64_t half)
{
	struct port_clock_reading r = { .tick = (uint64_t)tick, .half_ticks = half,
					.nic_ns = device_ns(d, tick + d->bias) };

	return r;
}

static int add(struct clockmap *m, struct device *d)
{
	struct port_clock_reading r = read_at(d, d->tick, HALF);

	d->tick += EVERY;
	return clockmap_add(m, &r);
}

static void init(struct clockmap *m)
{
	struct clockmap_config c = { .ns_per_tick = 1, .resolution_ns = 1, .wander_ppb = 500 };

	clockmap_init(m, &c);
}

static void ready(struct clockmap *m, struct device *d)
{
	init(m);
	for (int i = 0; i < 10; i++)
		assert_int_equal(add(m, d), CLOCKMAP_USED);
	assert_true(clockmap_ready(m));
}

/* How far the map is from the truth at a tick; fails when that is past its own bound. */
static int64_t error_at(const struct clockmap *m, const struct device *d, int64_t tick)
{
	struct clockmap_point p;
	int64_t error;

	assert_int_equal(clockmap_point(m, device_ns(d, tick), &p), 0);
	error = llabs((int64_t)p.tick - tick);
	if (error > p.half_ns)
		fail_msg("%lld ns off, %lld promised", (long long)error, (long long)p.half_ns);
	return error;
}

static void test_nothing_known(void **state)
{
	struct device d = { .offset_ns = 5 };
	struct clockmap_point p;
	struct clockmap m;
	int64_t ns;

	(void)state;
	init(&m);
	assert_int_equal(clockmap_point(&m, 0, &p), -EAGAIN);
	assert_int_equal(clockmap_predict(&m, 0, &ns), -EAGAIN);
	assert_true(clockmap_span_ticks(&m, 0, 10) == 0);
	add(&m, &d);
	add(&m, &d);
	assert_false(clockmap_ready(&m));
	add(&m, &d);
	assert_true(clockmap_ready(&m));
}

static void test_line(void **state)
{
	struct device d = { .offset_ns = 7 * NS_PER_S, .ppb = 25000 };
	struct clockmap_point p;
	struct clockmap m;
	int64_t ns;

	(void)state;
	ready(&m, &d);
	assert_true(error_at(&m, &d, d.tick) <= 2);
	assert_true(error_at(&m, &d, d.tick - 5 * EVERY) <= 2);
	assert_int_equal(clockmap_predict(&m, (uint64_t)d.tick, &ns), 0);
	assert_in_range(ns - device_ns(&d, d.tick) + 2, 0, 4);
	assert_int_equal(clockmap_point(&m, device_ns(&d, d.tick), &p), 0);
	assert_in_range(p.half_ns, HALF, HALF + 250);	/* what 200 ms say of the rate, one step ahead */
	assert_true(clockmap_span_ticks(&m, 0, NS_PER_S) - 999975000.6 < 100);
	assert_int_equal(p.epoch, 0);
}

/* Half the width is what contains an asymmetric latch: no residual shows it. */
static void test_asymmetry(void **state)
{
	struct device d = { .ppb = -10000, .bias = HALF };
	struct clockmap m;

	(void)state;
	ready(&m, &d);
	assert_in_range(error_at(&m, &d, d.tick), HALF - 5, HALF + 5);
	d = (struct device){ .ppb = -10000, .bias = -HALF };
	ready(&m, &d);
	assert_in_range(error_at(&m, &d, d.tick), HALF - 5, HALF + 5);
}

static void test_bound_grows(void **state)
{
	struct device d = { .ppb = 100 };
	struct clockmap_point now, later;
	struct clockmap m;

	(void)state;
	ready(&m, &d);
	clockmap_point(&m, device_ns(&d, d.tick), &now);
	clockmap_point(&m, device_ns(&d, d.tick + NS_PER_S), &later);
	assert_true(later.half_ns > now.half_ns + 500);
	for (int i = 0; i < 100; i++)
		add(&m, &d);
	clockmap_point(&m, device_ns(&d, d.tick), &later);
	assert_true(later.half_ns < now.half_ns);	/* a longer window knows the rate better */
	assert_int_equal(m.count, CLOCKMAP_READINGS);
	assert_int_equal(m.window, CLOCKMAP_READINGS);
}

static void test_wide(void **state)
{
	struct device d = { 0 };
	struct port_clock_reading r;
	struct clockmap m;

	(void)state;
	ready(&m, &d);
	r = read_at(&d, d.tick, 9 * HALF);
	assert_int_equal(clockmap_add(&m, &r), CLOCKMAP_wide);
	r = read_at(&d, d.tick + 2 * NS_PER_S, 9 * HALF);	/* better than none */
	assert_int_equal(clockmap_add(&m, &r), CLOCKMAP_USED);
	assert_int_equal(clockmap_add(&m, &r), CLOCKMAP_backwards);
	assert_int_equal(m.noted[CLOCKMAP_wide], 1);
	assert_int_equal(m.noted[CLOCKMAP_backwards], 1);
}

/* A high word of one read and a low word of another: 2^32 ns off, once. */
static void test_torn(void **state)
{
	struct device d = { .offset_ns = 100 };
	struct clockmap_point p;
	struct port_clock_reading r;
	struct clockmap m;

	(void)state;
	ready(&m, &d);
	r = read_at(&d, d.tick, HALF);
	r.nic_ns += INT64_C(1) << 32;
	clockmap_add(&m, &r);
	assert_int_equal(clockmap_point(&m, device_ns(&d, d.tick), &p), -EAGAIN);
	d.tick += EVERY;
	assert_int_equal(add(&m, &d), CLOCKMAP_USED);
	assert_int_equal(m.noted[CLOCKMAP_torn], 1);
	assert_int_equal(m.epoch, 0);
	error_at(&m, &d, d.tick);
}

static void step_by(int64_t ns, enum clockmap_reason reason)
{
	struct device d = { .offset_ns = 100, .ppb = 1000 };
	struct clockmap m;

	ready(&m, &d);
	d.offset_ns += ns;
	assert_int_equal(add(&m, &d), CLOCKMAP_USED);
	assert_false(clockmap_ready(&m));
	assert_int_equal(add(&m, &d), reason);
	assert_int_equal(m.epoch, 1);
	assert_false(clockmap_ready(&m));
	add(&m, &d);
	assert_true(clockmap_ready(&m));
	error_at(&m, &d, d.tick);
}

static void test_step(void **state)
{
	(void)state;
	step_by(NS_PER_S, CLOCKMAP_step);
	step_by(-NS_PER_S, CLOCKMAP_step);
	step_by(NS_PER_MS, CLOCKMAP_step);
	step_by(-(INT64_C(1) << 40), CLOCKMAP_step);
	step_by(5 * NS_PER_US, CLOCKMAP_rate);	/* within 20 ms it cannot be told from a change of rate */
}

static void test_rate(void **state)
{
	struct device d = { .ppb = 0 };
	struct clockmap m;

	(void)state;
	ready(&m, &d);
	d.offset_ns = -(int64_t)((double)d.tick * 200000e-9);	/* continuous, from here on 200 ppm faster */
	d.ppb = 200000;
	for (int i = 0; i < 6; i++)
		add(&m, &d);
	assert_int_equal(m.epoch, 1);
	assert_int_equal(m.noted[CLOCKMAP_rate], 1);
	error_at(&m, &d, d.tick);
}

static void test_frozen(void **state)
{
	struct device d = { .offset_ns = 100 };
	struct port_clock_reading r;
	struct clockmap m;

	(void)state;
	ready(&m, &d);
	r = read_at(&d, d.tick, HALF);
	for (int i = 0; i < 5; i++) {
		r.tick += EVERY;
		clockmap_add(&m, &r);
	}
	assert_false(clockmap_ready(&m));
	assert_true(m.noted[CLOCKMAP_frozen] > 0);
}

static void test_restart(void **state)
{
	struct device d = { .offset_ns = 100 };
	struct clockmap m;

	(void)state;
	ready(&m, &d);
	clockmap_restart(&m);
	assert_int_equal(m.epoch, 1);
	assert_false(clockmap_ready(&m));
	d.offset_ns = -d.tick;		/* from 0 */
	for (int i = 0; i < 3; i++)
		add(&m, &d);
	error_at(&m, &d, d.tick);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(clockmap_reason_name(CLOCKMAP_torn), "torn");
	assert_non_null(clockmap_reason_text(CLOCKMAP_frozen));
	assert_null(clockmap_reason_name(CLOCKMAP_USED));
	assert_null(clockmap_reason_text(CLOCKMAP_REASON_COUNT));
}

/* Whatever the oscillator, the widths, and where in the bracket it latches: the truth is within the bound. */
static void test_bound_holds(void **state)
{
	struct rng rng = rng_seeded();

	(void)state;
	for (int run = 0; run < 200; run++) {
		struct device d = { .offset_ns = (int64_t)rng_below(&rng, 1000000000000),
				    .ppb = (double)rng_below(&rng, 200000) - 100000 };
		uint64_t half = 20 + rng_below(&rng, 2000);
		struct clockmap m;

		init(&m);
		for (int i = 0; i < 150; i++) {
			uint64_t width = half + rng_below(&rng, half);
			struct port_clock_reading r;

			d.bias = (int64_t)rng_below(&rng, 2 * width) - (int64_t)width;
			r = read_at(&d, d.tick, width);
			assert_int_equal(clockmap_add(&m, &r), CLOCKMAP_USED);
			if (clockmap_ready(&m))
				error_at(&m, &d, d.tick + (int64_t)rng_below(&rng, EVERY));
			d.tick += (int64_t)(EVERY / 2 + rng_below(&rng, EVERY));
		}
		assert_true(clockmap_ready(&m));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_known), cmocka_unit_test(test_line),
		cmocka_unit_test(test_asymmetry), cmocka_unit_test(test_bound_grows),
		cmocka_unit_test(test_wide), cmocka_unit_test(test_torn), cmocka_unit_test(test_step),
		cmocka_unit_test(test_rate), cmocka_unit_test(test_frozen), cmocka_unit_test(test_restart),
		cmocka_unit_test(test_names), cmocka_unit_test(test_bound_holds),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
