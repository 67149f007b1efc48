/* rng.h: repeatable random numbers for tests (SplitMix64, Steele, Lea and Flood 2014).
 * The seed is fixed, printed as a TAP comment, and replaced by $TIMESVC_SEED. */
#ifndef TESTS_RNG_H
#define TESTS_RNG_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct rng {
	uint64_t state;
};

static inline struct rng rng_seeded(void)
{
	const char *text = getenv("TIMESVC_SEED");
	struct rng r = { text ? strtoull(text, NULL, 0) : 20240229 };

	printf("# TIMESVC_SEED=%" PRIu64 "\n", r.state);
	fflush(stdout);
	return r;
}

static inline uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* 0 .. n-1 */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
	return rng_next(r) % n;
}

/* Every magnitude is as likely as every other, both signs. */
static inline int64_t rng_signed_log(struct rng *r)
{
	int64_t v = (int64_t)(rng_next(r) >> 1 >> rng_below(r, 63));

	return rng_next(r) & 1 ? -v : v;
}

#endif
