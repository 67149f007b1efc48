#include "timesvc/timebase.h"

#include "nstime.h"
#include "tsc.h"

int timebase_init(struct timebase *tb, enum tsc_policy policy, struct err *e)
{
	struct tsc_info info;
	int r;

	*tb = (struct timebase){ .kind = TSV_TIMEBASE_RAW, .hz = NS_PER_S, .ns_per_tick = 1 };
	tb->invariant = tsc_invariant();
	if (policy == TSC_NEVER || (policy == TSC_AUTO && !tb->invariant))
		return 0;
	r = tsc_measure(100 * NS_PER_MS, &info, e);
	if (r < 0)
		return r;
	tb->kind = TSV_TIMEBASE_TSC;
	tb->assumed = !tb->invariant;
	tb->hz = info.hz;
	tb->ns_per_tick = 1e9 / (double)info.hz;
	return 0;
}

uint64_t timebase_ticks(const struct timebase *tb)
{
	return tb->kind == TSV_TIMEBASE_TSC ? tsc_read() :
		(uint64_t)nstime_now(CLOCK_MONOTONIC_RAW);
}

uint64_t timebase_span(const struct timebase *tb, int64_t ns)
{
	return (uint64_t)((double)ns / tb->ns_per_tick);
}
