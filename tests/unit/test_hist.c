#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hist.h"
#include "rng.h"

#define SAMPLES 20000

static struct hist window;
static struct hist_sum sum, other;

static int64_t quantile(const struct hist_sum *s, uint64_t num, uint64_t den)
{
	int64_t v = INT64_MIN;
	int rc = hist_quantile(s, num, den, &v);

	if (rc)
		fail_msg("quantile %" PRIu64 "/%" PRIu64 ": %d", num, den, rc);
	return v;
}

static void buckets_of_known_values(void **state)
{
	(void)state;
	assert_int_equal(hist_index(0), 0);
	assert_int_equal(hist_index(1), 1);
	assert_int_equal(hist_index(127), 127);
	assert_int_equal(hist_index(128), 128);
	assert_int_equal(hist_index(255), 255);
	assert_int_equal(hist_index(256), 256);
	assert_int_equal(hist_index(257), 256);
	assert_int_equal(hist_index(258), 257);
	assert_int_equal(hist_index(511), 383);
	assert_int_equal(hist_index(512), 384);
	assert_int_equal(hist_index(-1), HIST_SIDE + 1);
	assert_int_equal(hist_index(-258), HIST_SIDE + 257);
	assert_int_equal(hist_index(HIST_MAX_NS + 1), hist_index(HIST_MAX_NS));
	assert_int_equal(hist_index(INT64_MAX), hist_index(HIST_MAX_NS));
	assert_int_equal(hist_index(INT64_MIN), hist_index(-HIST_MAX_NS));
	assert_int_equal(hist_index(-INT64_MAX), HIST_SIDE + hist_index(HIST_MAX_NS));
	assert_true(hist_index(HIST_MAX_NS) < HIST_SIDE);
}

/* From 0 up every bucket starts where the one before ended, and is narrow enough. */
static void buckets_cover_without_gap(void **state)
{
	int64_t low, high, next = 0;
	int last = hist_index(HIST_MAX_NS);

	(void)state;
	for (int i = 0; i <= last; i++) {
		hist_range(i, &low, &high);
		assert_int_equal(low, next);
		assert_true(high >= low);
		assert_int_equal(hist_index(low), i);
		assert_int_equal(hist_index(high), i);
		if (i < last)
			assert_true((high - low + 1) * 100 <= (low > 100 ? low : 100));
		next = high == INT64_MAX ? 0 : high + 1;
	}
	assert_int_equal(high, INT64_MAX);
	assert_true(low > HIST_MAX_NS - HIST_MAX_NS / 100);
}

static void negative_buckets_mirror(void **state)
{
	int64_t low, high, mirrored_low, mirrored_high;
	int last = hist_index(HIST_MAX_NS);

	(void)state;
	for (int i = 1; i < last; i++) {
		hist_range(i, &low, &high);
		hist_range(HIST_SIDE + i, &mirrored_low, &mirrored_high);
		assert_int_equal(mirrored_low, -high);
		assert_int_equal(mirrored_high, -low);
		assert_int_equal(hist_index(-low), HIST_SIDE + i);
		assert_int_equal(hist_index(-high), HIST_SIDE + i);
	}
	hist_range(hist_index(INT64_MIN), &mirrored_low, &mirrored_high);
	hist_range(last, &low, &high);
	assert_int_equal(mirrored_low, INT64_MIN);
	assert_int_equal(mirrored_high, -low);
}

static void random_values_are_inside_their_bucket(void **state)
{
	struct rng rng = rng_seeded();

	(void)state;
	for (int i = 0; i < 200000; i++) {
		int64_t v = rng_signed_log(&rng), low, high;
		int index = hist_index(v);

		assert_in_range(index, 0, HIST_BUCKETS - 1);
		hist_range(index, &low, &high);
		if (v < low || v > high)
			fail_msg("%" PRId64 " is outside its bucket %d", v, index);
	}
}

static void an_empty_one_says_nothing(void **state)
{
	int64_t v = 4711;

	(void)state;
	hist_sum_reset(&sum);
	assert_int_equal(hist_quantile(&sum, 1, 2, &v), -ERANGE);
	assert_int_equal(hist_quantile(&sum, 0, 1, &v), -ERANGE);
	assert_int_equal(hist_quantile(&sum, 1, 1, &v), -ERANGE);
	assert_int_equal(hist_quantile(&sum, 1, 0, &v), -EINVAL);
	assert_int_equal(hist_quantile(&sum, 3, 2, &v), -EINVAL);
	assert_int_equal(v, 4711);
}

static void one_value(void **state)
{
	int64_t v;

	(void)state;
	hist_sum_reset(&sum);
	hist_sum_record(&sum, -1000003);
	assert_int_equal(quantile(&sum, 0, 1), -1000003);
	assert_int_equal(quantile(&sum, 1, 1), -1000003);
	assert_int_equal(hist_quantile(&sum, 1, 2, &v), -ERANGE);
	hist_sum_record(&sum, -1000003);
	assert_int_equal(quantile(&sum, 1, 2), -1000003);
}

static void a_quantile_needs_enough_records(void **state)
{
	static const struct {
		uint64_t num, den, needed;
	} cases[] = {
		{ 1, 2, 2 }, { 9, 10, 10 }, { 99, 100, 100 }, { 999, 1000, 1000 },
		{ 9999, 10000, 10000 }, { 2, 3, 3 }, { 3, 5, 3 }, { 1, 100, 2 },
	};
	int64_t v;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		hist_sum_reset(&sum);
		for (uint64_t n = 1; n < cases[i].needed; n++) {
			hist_sum_record(&sum, 5);
			assert_int_equal(hist_quantile(&sum, cases[i].num, cases[i].den, &v), -ERANGE);
		}
		hist_sum_record(&sum, 5);
		assert_int_equal(quantile(&sum, cases[i].num, cases[i].den), 5);
	}
}

static void ranks_are_exact_where_buckets_are(void **state)
{
	(void)state;
	hist_sum_reset(&sum);
	for (int v = -50; v < 50; v++)
		hist_sum_record(&sum, v);
	assert_int_equal(quantile(&sum, 0, 100), -50);
	assert_int_equal(quantile(&sum, 1, 100), -50);
	assert_int_equal(quantile(&sum, 2, 100), -49);
	assert_int_equal(quantile(&sum, 50, 100), -1);
	assert_int_equal(quantile(&sum, 51, 100), 0);
	assert_int_equal(quantile(&sum, 501, 1000), 0);
	assert_int_equal(quantile(&sum, 99, 100), 48);
	assert_int_equal(quantile(&sum, 100, 100), 49);
	hist_sum_record(&sum, 50);
	assert_int_equal(quantile(&sum, 1, 100), -49);
	assert_int_equal(quantile(&sum, 1, 101), -50);
}

static void huge_counts_do_not_overflow(void **state)
{
	(void)state;
	hist_sum_reset(&sum);
	hist_sum_record(&sum, 10);
	hist_sum_record(&sum, 20);
	sum.bucket[hist_index(10)] = UINT64_MAX / 2;
	sum.bucket[hist_index(20)] = UINT64_MAX / 2;
	sum.count = UINT64_MAX / 2 * 2;
	assert_int_equal(quantile(&sum, 1, 2), 10);
	assert_int_equal(quantile(&sum, UINT64_MAX / 2 + 2, UINT64_MAX), 20);
	assert_int_equal(quantile(&sum, 999999999, 1000000000), 20);
}

static void out_of_reach_keeps_extremes(void **state)
{
	(void)state;
	hist_sum_reset(&sum);
	hist_sum_record(&sum, 30 * NS_PER_S);
	hist_sum_record(&sum, 20 * NS_PER_S);
	hist_sum_record(&sum, -40 * NS_PER_S);
	hist_sum_record(&sum, INT64_MIN);
	assert_int_equal(sum.bucket[hist_index(HIST_MAX_NS)], 2);
	assert_int_equal(sum.bucket[hist_index(-HIST_MAX_NS)], 2);
	assert_int_equal(sum.max_ns, 30 * NS_PER_S);
	assert_int_equal(sum.min_ns, INT64_MIN);
	assert_int_equal(quantile(&sum, 3, 4), 30 * NS_PER_S);
}

static int compare(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The exact order statistic is at most one bucket below what is said, never above it. */
static void check_quantiles(const struct hist_sum *s, int64_t *values, uint64_t n)
{
	static const uint64_t parts[][2] = {
		{ 1, 1000 }, { 1, 100 }, { 1, 4 }, { 1, 2 }, { 3, 4 }, { 9, 10 },
		{ 99, 100 }, { 999, 1000 }, { 9999, 10000 },
	};

	qsort(values, n, sizeof(*values), compare);
	assert_int_equal(quantile(s, 0, 1), values[0]);
	assert_int_equal(quantile(s, 1, 1), values[n - 1]);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		uint64_t rank = (n * parts[i][0] + parts[i][1] - 1) / parts[i][1];
		int64_t exact = values[rank - 1], got = quantile(s, parts[i][0], parts[i][1]);

		if (got < exact || hist_index(got) != hist_index(exact))
			fail_msg("quantile %" PRIu64 "/%" PRIu64 " of %" PRIu64 ": %" PRId64
				 " instead of %" PRId64, parts[i][0], parts[i][1], n, got, exact);
	}
}

static int64_t draw(struct rng *rng, int shape)
{
	switch (shape) {
	case 0:
		return rng_signed_log(rng);
	case 1:
		return (int64_t)rng_below(rng, 100000);
	case 2:
		return 90000 + (int64_t)(rng_below(rng, 2000) * rng_below(rng, 2000) / 1000) - 120000;
	default:
		return (int64_t)rng_below(rng, 5) - 2;
	}
}

static void quantiles_match_sorted_values(void **state)
{
	static int64_t values[SAMPLES];
	struct rng rng = rng_seeded();

	(void)state;
	for (int shape = 0; shape < 4; shape++) {
		hist_sum_reset(&sum);
		for (int i = 0; i < SAMPLES; i++) {
			values[i] = draw(&rng, shape);
			hist_sum_record(&sum, values[i]);
		}
		check_quantiles(&sum, values, SAMPLES);
	}
}

static void assert_same(const struct hist_sum *a, const struct hist_sum *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->min_ns, b->min_ns);
	assert_int_equal(a->max_ns, b->max_ns);
	assert_memory_equal(a->bucket, b->bucket, sizeof(a->bucket));
}

static void folded_windows_are_the_run(void **state)
{
	static struct hist_sum direct, half[2];
	struct rng rng = rng_seeded();

	(void)state;
	hist_sum_reset(&sum);
	hist_sum_reset(&direct);
	hist_sum_reset(&half[0]);
	hist_sum_reset(&half[1]);
	for (int w = 0; w < 20; w++) {
		hist_reset(&window);
		for (uint64_t n = rng_below(&rng, 1000); n > 0; n--) {
			int64_t v = rng_signed_log(&rng);

			hist_record(&window, v);
			hist_sum_record(&direct, v);
		}
		hist_fold(&sum, &window);
		hist_fold(&half[w % 2], &window);
	}
	assert_same(&sum, &direct);
	hist_sum_add(&half[0], &half[1]);
	assert_same(&half[0], &direct);
}

static void empty_ones_change_nothing(void **state)
{
	(void)state;
	hist_reset(&window);
	hist_sum_reset(&other);
	hist_sum_reset(&sum);
	hist_fold(&sum, &window);
	hist_sum_add(&sum, &other);
	assert_int_equal(sum.count, 0);
	hist_sum_record(&sum, -30);
	hist_sum_record(&sum, -20);
	hist_fold(&sum, &window);
	hist_sum_add(&sum, &other);
	assert_int_equal(sum.count, 2);
	assert_int_equal(sum.min_ns, -30);
	assert_int_equal(sum.max_ns, -20);
}

static void zeroed_memory_is_an_empty_one(void **state)
{
	struct hist *h = calloc(1, sizeof(*h));

	(void)state;
	assert_non_null(h);
	hist_record(h, 50);
	hist_record(h, 70);
	assert_int_equal(h->min_ns, 50);
	assert_int_equal(h->max_ns, 70);
	free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_of_known_values),
		cmocka_unit_test(buckets_cover_without_gap),
		cmocka_unit_test(negative_buckets_mirror),
		cmocka_unit_test(random_values_are_inside_their_bucket),
		cmocka_unit_test(an_empty_one_says_nothing),
		cmocka_unit_test(one_value),
		cmocka_unit_test(a_quantile_needs_enough_records),
		cmocka_unit_test(ranks_are_exact_where_buckets_are),
		cmocka_unit_test(huge_counts_do_not_overflow),
		cmocka_unit_test(out_of_reach_keeps_extremes),
		cmocka_unit_test(quantiles_match_sorted_values),
		cmocka_unit_test(folded_windows_are_the_run),
		cmocka_unit_test(empty_ones_change_nothing),
		cmocka_unit_test(zeroed_memory_is_an_empty_one),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
