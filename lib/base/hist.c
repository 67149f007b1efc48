#include "hist.h"

#include <errno.h>
#include <string.h>

#define SUB (1 << HIST_SUB_BITS)

/* Bucket of a magnitude: below 2 * SUB the magnitude itself, then SUB an octave. */
static inline unsigned side_index(uint64_t magnitude)
{
	uint64_t m = magnitude < HIST_MAX_NS ? magnitude : HIST_MAX_NS;
	unsigned shift = 63 - HIST_SUB_BITS - (unsigned)__builtin_clzll(m | SUB);

	return (shift << HIST_SUB_BITS) + (unsigned)(m >> shift);
}

static inline unsigned bucket_of(int64_t ns)
{
	uint64_t sign = -(uint64_t)(ns < 0);	/* 0, or all ones */

	return side_index(((uint64_t)ns ^ sign) - sign) + (unsigned)(HIST_SIDE & sign);
}

int hist_index(int64_t ns)
{
	return (int)bucket_of(ns);
}

static void side_range(unsigned index, int64_t *low, int64_t *high)
{
	unsigned shift = index < 2 * SUB ? 0 : (index >> HIST_SUB_BITS) - 1;

	*low = (int64_t)(index - (shift << HIST_SUB_BITS)) << shift;
	*high = *low + (INT64_C(1) << shift) - 1;
	if (*low <= HIST_MAX_NS && HIST_MAX_NS <= *high)
		*high = INT64_MAX;	/* the outermost takes all that is larger */
}

void hist_range(int index, int64_t *low_ns, int64_t *high_ns)
{
	int64_t low, high;

	if (index < HIST_SIDE) {
		side_range((unsigned)index, low_ns, high_ns);
		return;
	}
	side_range((unsigned)(index - HIST_SIDE), &low, &high);
	*low_ns = high == INT64_MAX ? INT64_MIN : -high;
	*high_ns = -low;
}

void hist_reset(struct hist *h)
{
	memset(h, 0, sizeof(*h));
}

void hist_sum_reset(struct hist_sum *s)
{
	memset(s, 0, sizeof(*s));
}

static inline int64_t lesser(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t greater(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Zeroed memory is an empty histogram; the test for it is settled by the first record. */
void hist_record(struct hist *h, int64_t ns)
{
	h->min_ns = h->count ? lesser(h->min_ns, ns) : ns;
	h->max_ns = h->count ? greater(h->max_ns, ns) : ns;
	h->count++;
	h->bucket[bucket_of(ns)]++;
}

void hist_sum_record(struct hist_sum *s, int64_t ns)
{
	s->min_ns = s->count ? lesser(s->min_ns, ns) : ns;
	s->max_ns = s->count ? greater(s->max_ns, ns) : ns;
	s->count++;
	s->bucket[bucket_of(ns)]++;
}

static void add_extent(struct hist_sum *s, uint64_t count, int64_t min_ns, int64_t max_ns)
{
	if (count == 0)
		return;
	s->min_ns = s->count ? lesser(s->min_ns, min_ns) : min_ns;
	s->max_ns = s->count ? greater(s->max_ns, max_ns) : max_ns;
	s->count += count;
}

void hist_fold(struct hist_sum *s, const struct hist *h)
{
	for (int i = 0; i < HIST_BUCKETS; i++)
		s->bucket[i] += h->bucket[i];
	add_extent(s, h->count, h->min_ns, h->max_ns);
}

void hist_sum_add(struct hist_sum *s, const struct hist_sum *other)
{
	for (int i = 0; i < HIST_BUCKETS; i++)
		s->bucket[i] += other->bucket[i];
	add_extent(s, other->count, other->min_ns, other->max_ns);
}

/* Buckets from the most negative value to the largest. */
static int bucket_at(int position)
{
	return position < HIST_SIDE ? HIST_BUCKETS - 1 - position : position - HIST_SIDE;
}

static int bucket_of_rank(const struct hist_sum *s, uint64_t rank)
{
	uint64_t seen = 0;
	int position = 0;

	for (; position < HIST_BUCKETS - 1; position++) {
		seen += s->bucket[bucket_at(position)];
		if (seen >= rank)
			break;
	}
	return bucket_at(position);
}

int hist_quantile(const struct hist_sum *s, uint64_t num, uint64_t den, int64_t *out_ns)
{
	unsigned __int128 scaled = (unsigned __int128)s->count * num;
	int64_t low, high;

	if (den == 0 || num > den)
		return -EINVAL;
	if (s->count == 0)
		return -ERANGE;
	if (num == 0 || num == den) {
		*out_ns = num ? s->max_ns : s->min_ns;
		return 0;
	}
	if ((unsigned __int128)s->count * (den - num) < den)
		return -ERANGE;
	hist_range(bucket_of_rank(s, (uint64_t)((scaled + den - 1) / den)), &low, &high);
	*out_ns = greater(lesser(high, s->max_ns), s->min_ns);
	return 0;
}
