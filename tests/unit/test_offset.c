#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "nstime.h"
#include "rng.h"
#include "timesvc/offset.h"

#define S	NS_PER_S
#define MS	NS_PER_MS
#define US	NS_PER_US
#define OUTLIER	(10 * US)
#define T0	(INT64_C(1700000000) * S)

static struct offset_track t;

static enum offset_verdict feed_path(int64_t at, int64_t offset, int64_t path)
{
	struct offset_reading r = { T0 + at, offset, path };

	return offset_feed(&t, &r);
}

static enum offset_verdict feed(int64_t at, int64_t offset)
{
	return feed_path(at, offset, 1000);
}

static void begin(int confirmations)
{
	offset_init(&t, OUTLIER, confirmations);
}

/* Readings of 0, one every 100 ms from 0 on; the next one comes at n * 100 ms. */
static void begin_quiet(int confirmations, int n)
{
	begin(confirmations);
	for (int i = 0; i < n; i++)
		assert_int_equal(feed(i * 100 * MS, 0), OFFSET_ACCEPTED);
}

static int64_t window_offset(int64_t at)
{
	int64_t offset, path;

	offset_window(&t, T0 + at, &offset, &path);
	return offset;
}

static int64_t window_path(int64_t at)
{
	int64_t offset, path;

	offset_window(&t, T0 + at, &offset, &path);
	return path;
}

static void starts_empty(void **state)
{
	(void)state;
	begin(1);
	assert_null(offset_last(&t));
	assert_int_equal(window_offset(0), 0);
	assert_int_equal(window_path(0), 0);
	assert_int_equal(offset_jump(&t, T0), 0);
	assert_int_equal(offset_rate_ppb(&t), 0);
	assert_int_equal(offset_run_beyond(&t, 0), 0);
}

static void memory_follows_the_delay_interval(void **state)
{
	(void)state;
	begin(1);
	assert_int_equal(t.memory_ns, 11 * S);
	offset_set_memory(&t, 1);
	assert_int_equal(t.memory_ns, 22 * S);
	offset_set_memory(&t, -2);
	assert_int_equal(t.memory_ns, 2750 * MS);
	offset_set_memory(&t, -3);
	assert_int_equal(t.memory_ns, 2 * S);
	offset_set_memory(&t, 3);
	assert_int_equal(t.memory_ns, 88 * S);
	offset_set_memory(&t, 4);
	assert_int_equal(t.memory_ns, 120 * S);
	offset_set_memory(&t, 127);
	assert_int_equal(t.memory_ns, 120 * S);
	offset_set_memory(&t, -128);
	assert_int_equal(t.memory_ns, 2 * S);
}

static void the_first_reading_has_no_neighbours(void **state)
{
	(void)state;
	begin(2);
	assert_int_equal(feed_path(0, -700 * US, 1700), OFFSET_ACCEPTED);
	assert_int_equal(offset_last(&t)->offset_ns, -700 * US);
	assert_int_equal(offset_last(&t)->path_ns, 1700);
	assert_int_equal(window_offset(0), 700 * US);
	assert_int_equal(window_path(0), 1700);
	assert_int_equal(t.accepted, 1);
}

static void the_same_sync_counts_once(void **state)
{
	(void)state;
	begin(1);
	feed(0, 5);
	assert_int_equal(feed(0, 5), OFFSET_OLD);
	assert_int_equal(feed(0, 90 * US), OFFSET_OLD);
	assert_int_equal(feed(100 * MS, 90 * US), OFFSET_PENDING);
	assert_int_equal(feed(100 * MS, 90 * US), OFFSET_OLD);
	assert_int_equal(t.accepted, 1);
	assert_int_equal(t.pendings, 1);
}

/* What was measured before a restart is no news after it. */
static void the_same_sync_is_old_after_a_restart(void **state)
{
	(void)state;
	begin(1);
	feed(0, 5);
	offset_restart(&t, 0);
	assert_int_equal(feed(0, 5), OFFSET_OLD);
	assert_null(offset_last(&t));
	assert_int_equal(feed(100 * MS, 5), OFFSET_ACCEPTED);
	feed(200 * MS, 50 * US);
	offset_restart(&t, 0);
	assert_int_equal(feed(200 * MS, 50 * US), OFFSET_OLD);
}

static void neighbours_reach_as_far_as_the_outlier_limit(void **state)
{
	(void)state;
	begin(1);
	feed(0, 1000);
	feed(1 * MS, 3000);
	assert_int_equal(feed(2 * MS, 3000 + OUTLIER), OFFSET_ACCEPTED);
	begin(1);
	feed(0, 1000);
	feed(1 * MS, 3000);
	assert_int_equal(feed(2 * MS, 3001 + OUTLIER), OFFSET_PENDING);
	begin(1);
	feed(0, 1000);
	feed(1 * MS, 3000);
	assert_int_equal(feed(2 * MS, 1000 - OUTLIER), OFFSET_ACCEPTED);
	begin(1);
	feed(0, 1000);
	feed(1 * MS, 3000);
	assert_int_equal(feed(2 * MS, 999 - OUTLIER), OFFSET_PENDING);
}

static void only_the_last_eight_are_neighbours(void **state)
{
	(void)state;
	begin(1);
	feed(0, OUTLIER);
	for (int i = 1; i <= 7; i++)
		feed(i * MS, 0);
	assert_int_equal(feed(8 * MS, 2 * OUTLIER), OFFSET_ACCEPTED);
	begin(1);
	feed(0, OUTLIER);
	for (int i = 1; i <= 8; i++)
		feed(i * MS, 0);
	assert_int_equal(feed(9 * MS, 2 * OUTLIER), OFFSET_PENDING);
}

static void one_confirmation(void **state)
{
	(void)state;
	begin_quiet(1, 10);
	assert_int_equal(feed(1000 * MS, 35 * US), OFFSET_PENDING);
	assert_int_equal(offset_last(&t)->offset_ns, 0);
	assert_int_equal(window_offset(1000 * MS), 0);
	assert_int_equal(feed(1100 * MS, 36 * US), OFFSET_CONFIRMED);
	assert_int_equal(offset_last(&t)->offset_ns, 36 * US);
	assert_int_equal(offset_run_beyond(&t, 30 * US), 2);
	assert_int_equal(window_offset(1100 * MS), 36 * US);
	assert_int_equal(t.accepted, 12);
	assert_int_equal(t.outliers, 0);
	assert_int_equal(t.pendings, 0);
	assert_int_equal(feed(1200 * MS, 35 * US), OFFSET_ACCEPTED);
}

static void two_confirmations(void **state)
{
	(void)state;
	begin_quiet(2, 10);
	assert_int_equal(feed(1000 * MS, -35 * US), OFFSET_PENDING);
	assert_int_equal(feed(1100 * MS, -36 * US), OFFSET_PENDING);
	assert_int_equal(t.pendings, 2);
	assert_int_equal(offset_last(&t)->offset_ns, 0);
	assert_int_equal(feed(1200 * MS, -35 * US), OFFSET_CONFIRMED);
	assert_int_equal(offset_run_beyond(&t, 30 * US), 3);
	assert_int_equal(window_offset(1200 * MS), 36 * US);
	assert_int_equal(t.accepted, 13);
}

static void a_late_stamp_is_dropped_by_the_next_reading(void **state)
{
	(void)state;
	for (int confirmations = 1; confirmations <= 2; confirmations++) {
		begin_quiet(confirmations, 10);
		assert_int_equal(feed(1000 * MS, 44 * US), OFFSET_PENDING);
		assert_int_equal(feed(1100 * MS, 1 * US), OFFSET_ACCEPTED);
		assert_int_equal(t.outliers, 1);
		assert_int_equal(t.pendings, 0);
		assert_int_equal(t.strays, 0);
		assert_int_equal(window_offset(1100 * MS), 1 * US);
		assert_int_equal(offset_jump(&t, T0 + 1100 * MS), 0);
	}
	begin_quiet(2, 10);
	feed(1000 * MS, 44 * US);
	feed(1100 * MS, 44 * US);
	assert_int_equal(feed(1200 * MS, 0), OFFSET_ACCEPTED);
	assert_int_equal(t.outliers, 2);
}

static void pending_readings_must_be_near_each_other(void **state)
{
	(void)state;
	begin_quiet(1, 10);
	assert_int_equal(feed(1000 * MS, 30 * US), OFFSET_PENDING);
	assert_int_equal(feed(1100 * MS, 30 * US + OUTLIER + 1), OFFSET_PENDING);
	assert_int_equal(t.outliers, 1);
	assert_int_equal(t.pendings, 1);
	assert_int_equal(feed(1200 * MS, 30 * US + 1), OFFSET_CONFIRMED);
	assert_int_equal(t.accepted, 12);
}

static void scattered_strays_are_the_truth_in_the_end(void **state)
{
	(void)state;
	begin_quiet(2, 10);
	for (int i = 1; i <= 5; i++)
		assert_int_equal(feed((9 + i) * 100 * MS, i * 30 * US), OFFSET_PENDING);
	assert_int_equal(t.outliers, 4);
	assert_int_equal(feed(1500 * MS, 180 * US), OFFSET_CONFIRMED);
	assert_int_equal(offset_last(&t)->offset_ns, 180 * US);
	assert_int_equal(t.outliers, 5);
	assert_int_equal(t.strays, 0);
	/* A reading near the old ones in between, and the count starts over. */
	begin_quiet(2, 10);
	for (int i = 1; i <= 5; i++)
		feed((9 + i) * 100 * MS, i * 30 * US);
	assert_int_equal(feed(1500 * MS, 0), OFFSET_ACCEPTED);
	assert_int_equal(feed(1600 * MS, 180 * US), OFFSET_PENDING);
}

static void a_jump_counts_for_the_memory(void **state)
{
	int64_t at = 1100 * MS;

	(void)state;
	begin_quiet(1, 10);
	feed(1000 * MS, 35 * US);
	assert_int_equal(offset_jump(&t, T0 + 1000 * MS), 0);
	feed(at, 36 * US);
	assert_int_equal(offset_jump(&t, T0 + at), 36 * US);
	assert_int_equal(offset_jump(&t, T0 + at + t.memory_ns), 36 * US);
	assert_int_equal(offset_jump(&t, T0 + at + t.memory_ns + 1), 0);
}

/* The second jump lasts as long as the memory, though a larger one came before. */
static void a_smaller_jump_is_not_forgotten_with_a_larger_one(void **state)
{
	int64_t second = 9000 * MS;

	(void)state;
	begin_quiet(1, 10);
	feed(1000 * MS, 60 * US);
	feed(1100 * MS, 60 * US);
	for (int i = 0; i < 8; i++)
		feed(1200 * MS + i * MS, 60 * US);
	feed(second - MS, 20 * US);
	assert_int_equal(feed(second, 20 * US), OFFSET_CONFIRMED);
	assert_int_equal(offset_jump(&t, T0 + second), 60 * US);
	assert_in_range(offset_jump(&t, T0 + second + t.memory_ns), 40 * US, 60 * US);
	assert_int_equal(offset_jump(&t, T0 + second + t.memory_ns + 1), 0);
}

static void the_window_keeps_maxima_over_the_memory(void **state)
{
	(void)state;
	begin(1);
	t.memory_ns = 16 * S;
	feed_path(0, -9000, 4000);
	for (int i = 1; i <= 40; i++)
		feed_path(i * S, 100, 1000 + i);
	/* The newest always counts, however old it is. */
	assert_int_equal(window_offset(400 * S), 100);
	assert_int_equal(window_path(400 * S), 1040);
	begin(1);
	t.memory_ns = 16 * S;
	feed_path(0, -9000, 4000);
	for (int i = 1; i <= 16; i++)
		feed_path(i * S, 100, 1000);
	assert_int_equal(window_offset(16 * S), 9000);
	assert_int_equal(window_path(16 * S), 4000);
	/* Its bucket is out when none of it can be inside any more. */
	assert_int_equal(window_offset(17 * S), 9000);
	assert_int_equal(window_offset(17 * S + 1), 100);
	assert_int_equal(window_path(17 * S + 1), 1000);
}

static void buckets_have_borders(void **state)
{
	(void)state;
	begin(1);
	t.memory_ns = 16 * S;
	feed(0, 1);
	feed(S - 1, 7000);	/* the last instant of the first bucket */
	assert_int_equal(t.buckets, 1);
	feed(S, 2);
	assert_int_equal(t.buckets, 2);
	assert_int_equal(window_offset(S - 1 + 16 * S), 7000);
	assert_int_equal(window_offset(17 * S), 7000);
	assert_int_equal(window_offset(17 * S + 1), 2);
}

/* Against all readings by brute force: never less than the memory holds, and not much older. */
static void the_window_holds_for_any_readings(void **state)
{
	enum { N = 400 };
	static int64_t at[N], offset[N];
	struct rng r = rng_seeded();

	(void)state;
	for (int round = 0; round < 200; round++) {
		int64_t now = 0;

		begin(1);
		t.outlier_ns = INT64_MAX / 4;
		t.memory_ns = 2 * S + (int64_t)rng_below(&r, 10 * S);
		for (int i = 0; i < N; i++) {
			int64_t least = 0, most = 0, got;

			now += 1 + (int64_t)rng_below(&r, (uint64_t)t.memory_ns / (1 + rng_below(&r, 40)));
			at[i] = now;
			offset[i] = (int64_t)rng_below(&r, 100 * US) - 50 * US;
			assert_int_equal(feed(now, offset[i]), OFFSET_ACCEPTED);
			for (int k = 0; k <= i; k++) {
				int64_t age = now - at[k], v = nstime_abs(offset[k]);

				if (age <= t.memory_ns && v > least)
					least = v;
				if (age <= t.memory_ns + t.memory_ns / 16 && v > most)
					most = v;
			}
			got = window_offset(now);
			assert_in_range(got, least, most);
		}
	}
}

static void restart_keeps_the_last_readings(void **state)
{
	(void)state;
	begin_quiet(2, 10);
	for (int i = 0; i < 3; i++)
		feed(1000 * MS + i * MS, 50 * US + i);
	assert_int_equal(offset_jump(&t, T0 + 1002 * MS), 50 * US + 2);
	offset_restart(&t, 2);
	assert_int_equal(t.count, 2);
	assert_int_equal(offset_last(&t)->offset_ns, 50 * US + 2);
	assert_int_equal(offset_last(&t)->ingress_ns, T0 + 1002 * MS);
	assert_int_equal(window_offset(1002 * MS), 50 * US + 2);
	assert_int_equal(offset_run_beyond(&t, 50 * US), 2);
	assert_int_equal(offset_jump(&t, T0 + 1002 * MS), 0);
	assert_int_equal(t.accepted, 13);
	assert_int_equal(feed(1100 * MS, 0), OFFSET_PENDING);
	offset_restart(&t, 3);
	assert_int_equal(t.count, 2);
	assert_int_equal(t.pendings, 0);
	offset_restart(&t, 0);
	assert_null(offset_last(&t));
	assert_int_equal(window_offset(1100 * MS), 0);
	assert_int_equal(feed(1200 * MS, -400 * US), OFFSET_ACCEPTED);
}

static void a_run_is_counted_from_the_newest(void **state)
{
	(void)state;
	begin(1);
	feed(0, 31 * US);
	feed(1, 30 * US);
	assert_int_equal(offset_run_beyond(&t, 30 * US), 0);
	feed(2, 30 * US + 1);
	feed(3, 31 * US);
	assert_int_equal(offset_run_beyond(&t, 30 * US), 2);
	assert_int_equal(offset_run_beyond(&t, 29 * US), 4);
	begin(1);
	for (int i = 0; i < 100; i++)
		feed(i, -40 * US);
	assert_int_equal(offset_run_beyond(&t, 30 * US), OFFSET_RECENT);
}

static void rate_of_a_slope(void **state)
{
	(void)state;
	begin(1);
	for (int i = 0; i < 5; i++)
		feed(i * 100 * MS, i * 2000);
	assert_int_equal(offset_rate_ppb(&t), 0);	/* too few */
	for (int i = 5; i < 100; i++)
		feed(i * 100 * MS, i * 2000);
	/* 2 us in 100 ms; never less. */
	assert_in_range(offset_rate_ppb(&t), 20000, 21000);
	begin(1);
	for (int i = 0; i < 100; i++)
		feed(i * 100 * MS, -i * 2000);
	assert_in_range(offset_rate_ppb(&t), 20000, 21000);
	begin(1);
	for (int i = 0; i < 100; i++)
		feed(i * 100 * MS, 777);
	assert_int_equal(offset_rate_ppb(&t), 0);
}

static void rate_is_deaf_to_single_readings(void **state)
{
	(void)state;
	begin(1);
	for (int i = 0; i < 32; i++)
		feed(i * 100 * MS, i == 31 || i == 2 ? 9 * US : 0);
	assert_int_equal(offset_rate_ppb(&t), 0);
}

/* A grandmaster that serves 1970: nothing may overflow, and a second in a second is as fast as it gets. */
static void rate_has_a_limit(void **state)
{
	(void)state;
	begin(1);
	t.outlier_ns = INT64_MAX / 4;
	for (int i = 0; i < 32; i++)
		feed(i * MS, i < 16 ? 0 : -INT64_C(1700000000) * S);
	assert_int_equal(offset_rate_ppb(&t), NS_PER_S);
	/* Time that went backwards has no rate. */
	begin(1);
	for (int i = 0; i < 32; i++)
		feed(-i * MS, i);
	assert_int_equal(offset_rate_ppb(&t), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_empty), cmocka_unit_test(memory_follows_the_delay_interval),
		cmocka_unit_test(the_first_reading_has_no_neighbours),
		cmocka_unit_test(the_same_sync_counts_once),
		cmocka_unit_test(the_same_sync_is_old_after_a_restart),
		cmocka_unit_test(neighbours_reach_as_far_as_the_outlier_limit),
		cmocka_unit_test(only_the_last_eight_are_neighbours),
		cmocka_unit_test(one_confirmation), cmocka_unit_test(two_confirmations),
		cmocka_unit_test(a_late_stamp_is_dropped_by_the_next_reading),
		cmocka_unit_test(pending_readings_must_be_near_each_other),
		cmocka_unit_test(scattered_strays_are_the_truth_in_the_end),
		cmocka_unit_test(a_jump_counts_for_the_memory),
		cmocka_unit_test(a_smaller_jump_is_not_forgotten_with_a_larger_one),
		cmocka_unit_test(the_window_keeps_maxima_over_the_memory),
		cmocka_unit_test(buckets_have_borders),
		cmocka_unit_test(the_window_holds_for_any_readings),
		cmocka_unit_test(restart_keeps_the_last_readings),
		cmocka_unit_test(a_run_is_counted_from_the_newest),
		cmocka_unit_test(rate_of_a_slope),
		cmocka_unit_test(rate_is_deaf_to_single_readings),
		cmocka_unit_test(rate_has_a_limit),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("offset", tests, NULL, NULL);
}
