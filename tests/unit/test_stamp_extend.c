#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "probe/stamp_extend.h"
#include "rng.h"

#define BIT(n) (INT64_C(1) << (n))

static void test_nearest(void **state)
{
	(void)state;
	assert_int_equal(stamp_extend(1000, 1000, 32), 1000);
	assert_int_equal(stamp_extend(1000, 990, 32), 990);
	/* the clock has wrapped, the stamp has not, and the other way round */
	assert_int_equal(stamp_extend(BIT(32) + 5, UINT32_MAX - 9, 32), BIT(32) - 10);
	assert_int_equal(stamp_extend(BIT(32) - 10, 5, 32), BIT(32) + 5);
	assert_int_equal(stamp_extend(3 * BIT(40) + 5, (uint64_t)BIT(40) - 10, 40), 3 * BIT(40) - 10);
	assert_int_equal(stamp_extend(3 * BIT(40) - 10, 5, 40), 3 * BIT(40) + 5);
	/* high bits that the driver has made up do not count */
	assert_int_equal(stamp_extend(1000, (uint64_t)BIT(36) + 990, 32), 990);
	assert_int_equal(stamp_extend(1000, (uint64_t)BIT(48) + 990, 32), 990);
	assert_int_equal(stamp_extend(-1000, 0xfffffc00, 32), -1024);
	assert_int_equal(stamp_extend(5, 77, 64), 77);
	assert_int_equal(stamp_extend(0, 1, 2), 1);
}

static void test_any(void **state)
{
	struct rng rng = rng_seeded();

	(void)state;
	for (int i = 0; i < 100000; i++) {
		int bits = 8 + (int)rng_below(&rng, 50);
		int64_t predicted = (int64_t)(rng_next(&rng) >> 2);
		int64_t apart = (int64_t)rng_below(&rng, (uint64_t)BIT(bits - 1)) - BIT(bits - 2);
		uint64_t raw = (uint64_t)(predicted + apart) & (uint64_t)(BIT(bits) - 1);

		assert_int_equal(stamp_extend(predicted, raw, bits), predicted + apart);
	}
}

static void map_ready(struct clockmap *m)
{
	struct clockmap_config c = { .ns_per_tick = 1, .resolution_ns = 1 };

	clockmap_init(m, &c);
	for (uint64_t i = 0; i < 4; i++) {
		struct port_clock_reading r = { .tick = i * 10000000, .half_ticks = 10,
						.nic_ns = BIT(33) - 50000000 + (int64_t)i * 10000000 };

		clockmap_add(m, &r);
	}
}

static void test_whole(void **state)
{
	struct stamp s = { .kind = STAMP_SOFTWARE, .tick = 60000000 };
	struct clockmap m;

	(void)state;
	map_ready(&m);
	stamp_whole(&m, 0, 32, &s);
	assert_int_equal(s.kind, STAMP_SOFTWARE);
	assert_int_equal(s.loss, STAMP_LOSS_zero);
	stamp_whole(NULL, 5, 32, &s);
	assert_int_equal(s.loss, STAMP_LOSS_no_map);
	stamp_whole(&m, 9000000, 32, &s);
	assert_int_equal(s.kind, STAMP_HARDWARE);
	assert_int_equal(s.nic_ns, BIT(33) + 9000000);
	s.kind = STAMP_SOFTWARE;
	clockmap_restart(&m);
	stamp_whole(&m, 5, 32, &s);
	assert_int_equal(s.kind, STAMP_SOFTWARE);
	assert_int_equal(s.loss, STAMP_LOSS_no_map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nearest), cmocka_unit_test(test_any), cmocka_unit_test(test_whole),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
