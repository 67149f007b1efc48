/* hist.h: signed log-linear histogram of nanoseconds.
 *
 * 128 sub-buckets an octave, so no bucket is wider than 1 % of its value (below
 * 128 ns a bucket is 1 ns wide); magnitudes from 0 to 10 s, larger ones counted
 * in the outermost bucket with min and max kept exact. Negative values keep
 * their sign. Recording is a few instructions, no branch on size, no allocation.
 *
 * struct hist has 32-bit counters for one window (a slice, a second), ≤ 32 KiB;
 * struct hist_sum has 64-bit ones for a run. A window must be folded before 2^32-1
 * records. Zeroed memory is an empty histogram. Thread rule: one writer; copies are
 * the caller's business. */
#ifndef BASE_HIST_H
#define BASE_HIST_H

#include <stdint.h>
#include "nstime.h"

#define HIST_SUB_BITS	7
#define HIST_MAX_NS	(10 * NS_PER_S)
/* One side: the linear 0..127, then octaves 2^7 .. 2^33 (10 s < 2^34). */
#define HIST_SIDE	((1 << HIST_SUB_BITS) * (34 - HIST_SUB_BITS + 1))
#define HIST_BUCKETS	(2 * HIST_SIDE)

struct hist {
	uint64_t count;
	int64_t min_ns, max_ns;		/* meaningful when count > 0 */
	uint32_t bucket[HIST_BUCKETS];	/* [0, SIDE) for v >= 0, then v < 0 */
};

struct hist_sum {
	uint64_t count;
	int64_t min_ns, max_ns;
	uint64_t bucket[HIST_BUCKETS];
};

_Static_assert(sizeof(struct hist) <= 32 * 1024, "a window histogram fits 32 KiB");

/* Bucket of a value, and the smallest and largest value of a bucket. The outermost
 * buckets, those of ±HIST_MAX_NS, reach to INT64_MAX and INT64_MIN. */
int hist_index(int64_t ns);
void hist_range(int index, int64_t *low_ns, int64_t *high_ns);

void hist_reset(struct hist *h);
void hist_record(struct hist *h, int64_t ns);
void hist_sum_reset(struct hist_sum *s);
void hist_sum_record(struct hist_sum *s, int64_t ns);
/* s += h; h is left alone. */
void hist_fold(struct hist_sum *s, const struct hist *h);
void hist_sum_add(struct hist_sum *s, const struct hist_sum *other);

/* The value at quantile num/den (0 <= num <= den): the upper edge of the bucket
 * that holds the ceil(count * num / den)-th smallest, within [min, max].
 * -ERANGE when the sample cannot support it: count == 0, or fewer than
 * den / (den - num) records (one is expected beyond it). num == 0 is the minimum,
 * num == den the maximum, both exact. -EINVAL for num > den or den == 0. */
int hist_quantile(const struct hist_sum *s, uint64_t num, uint64_t den, int64_t *out_ns);

#endif
