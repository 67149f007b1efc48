/* judge_fixture.h: a judge under the default policy, and evidence for it. Include cmocka.h first. */
#ifndef TESTS_JUDGE_FIXTURE_H
#define TESTS_JUDGE_FIXTURE_H

#include "nstime.h"
#include "timesvc/judge.h"

#define S	NS_PER_S
#define US	NS_PER_US
#define T0	(1000 * S)
#define B(name)	TSV_BIT(name)

static const struct policy_settings policy = {
	.alarm_offset_ns = 30 * US, .alarm_clear_ns = 20 * US, .alarm_clear_time_ns = 5 * S,
	.fallback_bound_ns = 100 * US, .recover_bound_ns = 50 * US, .recover_time_ns = 5 * S,
	.hold_limit_ns = 5 * S, .settle_syncs = 16,
};

static struct judge_state s;

static inline struct judge_evidence good(void)
{
	return (struct judge_evidence){ .bound_ns = 3 * US, .have_offset = 1, .good_syncs = 16 };
}

static inline struct judge_verdict at(int64_t now, struct judge_evidence e)
{
	return judge(&s, &e, &policy, now);
}

static inline struct judge_verdict miss(int64_t now, uint64_t missing)
{
	struct judge_evidence e = good();

	e.missing = missing;
	e.good_syncs = 0;
	return at(now, e);
}

static inline struct judge_verdict contrary(int64_t now, uint64_t bits)
{
	struct judge_evidence e = good();

	e.contrary = bits;
	e.good_syncs = 0;
	return at(now, e);
}

static inline struct judge_verdict bounded(int64_t now, int64_t bound)
{
	struct judge_evidence e = good();

	e.bound_ns = bound;
	return at(now, e);
}

static inline struct judge_verdict offset(int64_t now, int64_t offset_ns, int run)
{
	struct judge_evidence e = good();

	e.offset_ns = offset_ns;
	e.beyond_alarm = run;
	return at(now, e);
}

/* TRUSTED at T0. */
static inline void trust(void)
{
	judge_init(&s, T0);
	assert_int_equal(at(T0, good()).to, TSV_SETTLING);
	assert_int_equal(at(T0, good()).to, TSV_TRUSTED);
}

static inline void hold(void)
{
	trust();
	assert_int_equal(miss(T0, B(sync_missing)).to, TSV_HOLDOVER);
}

static inline void fall(void)
{
	trust();
	assert_int_equal(contrary(T0, B(path_delay)).to, TSV_LOCAL_RTT);
}

#endif
