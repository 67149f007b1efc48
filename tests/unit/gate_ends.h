/* gate_ends.h: ends and samples for the tests of the gate: two hosts whose page times are the
 * monotonic clock plus a constant, near the reference and far its follower, with bounds of 1 us and
 * 5 us. Include cmocka.h first. */
#ifndef TESTS_GATE_ENDS_H
#define TESTS_GATE_ENDS_H

#include "nstime.h"
#include "probe/gate.h"
#include "timesvc.h"

#define NEAR_PAGE	(INT64_C(1700000000) * NS_PER_S)
#define FAR_PAGE	NEAR_PAGE
#define HOLD_LIMIT	(5 * NS_PER_S)

static inline struct gate_end end_of(uint8_t clock, uint8_t parent, int64_t bound_ns)
{
	struct gate_end e = {
		.state = TSV_TRUSTED, .epoch = 1, .bound_parent_ns = bound_ns,
		.bound_gm_ns = -1, .bound_utc_ns = -1, .known = 1,
	};

	e.clock[7] = clock;
	e.parent[7] = parent;
	e.gm[7] = parent;
	return e;
}

static inline struct gate_end near_end(void)
{
	struct gate_end e = end_of(1, 1, 1 * NS_PER_US);

	e.flags = TSV_REFERENCE;
	return e;
}

static inline struct gate_end far_end(void)
{
	struct gate_end e = end_of(0, 1, 5 * NS_PER_US);

	e.epoch = 7;
	return e;
}

/* Sent at mono_ns: 50 us there, 10 us inside, 40 us back. */
static inline struct gate_sample sample_at(int64_t mono_ns)
{
	struct gate_sample s = {
		.mono_ns = mono_ns, .has_stamps = 1, .rtt_ns = 90 * NS_PER_US,
		.t1_ns = NEAR_PAGE + mono_ns,
		.t2_ns = FAR_PAGE + mono_ns + 50 * NS_PER_US,
		.t3_ns = FAR_PAGE + mono_ns + 60 * NS_PER_US,
		.t4_ns = NEAR_PAGE + mono_ns + 100 * NS_PER_US,
		.near_before = near_end(), .near_after = near_end(),
		.far_before = far_end(), .far_after = far_end(),
	};

	return s;
}

static inline uint64_t all_refused(const struct gate_numbers *n)
{
	uint64_t sum = 0;

	for (int i = 0; i < GATE_REASON_COUNT; i++)
		sum += n->refused[i];
	return sum;
}

static inline int add_at(struct gate *g, int64_t mono_ns)
{
	struct gate_sample s = sample_at(mono_ns);

	return gate_add(g, &s);
}

/* Pages that have seen evidence up to the monotonic instant `until`. */
static inline void near_says(struct gate *g, int state, int64_t until, int64_t now)
{
	struct gate_end e = near_end();

	e.state = state;
	e.good_until_ns = NEAR_PAGE + until;
	gate_near(g, &e, now);
}

static inline void far_says(struct gate *g, int state, int64_t until, int64_t now)
{
	struct gate_end e = far_end();

	e.state = state;
	e.good_until_ns = FAR_PAGE + until;
	gate_far(g, &e, now);
}

static inline void assert_counts(const struct gate *g, uint64_t admitted, uint64_t waiting,
	uint64_t refused)
{
	const struct gate_numbers *n = gate_numbers(g);

	assert_int_equal(n->admitted, admitted);
	assert_int_equal(n->waiting, waiting);
	assert_int_equal(all_refused(n), refused);
	assert_int_equal(gate_sums(g)->ab_trusted.count, admitted);
	assert_int_equal(gate_sums(g)->ba_trusted.count, admitted);
	assert_int_equal(gate_sums(g)->ab_untrusted.count, refused);
	assert_int_equal(gate_sums(g)->ba_untrusted.count, refused);
}

#endif
