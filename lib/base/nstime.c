#include "nstime.h"

#include <stdlib.h>

int64_t nstime_now(clockid_t clock)
{
	struct timespec ts;

	if (clock_gettime(clock, &ts))
		abort();
	return nstime_from_timespec(ts);
}

struct timespec nstime_to_timespec(int64_t ns)
{
	int64_t s = ns / NS_PER_S, rest = ns % NS_PER_S;

	if (rest < 0) {
		s--;
		rest += NS_PER_S;
	}
	return (struct timespec){ .tv_sec = s, .tv_nsec = rest };
}

int64_t nstime_from_timespec(struct timespec ts)
{
	int64_t ns;

	/* The second nearer to 0 is taken first, so that INT64_MIN survives a round trip. */
	if (ts.tv_sec < 0 && ts.tv_nsec > 0) {
		ts.tv_sec++;
		ts.tv_nsec -= NS_PER_S;
	}
	if (__builtin_mul_overflow((int64_t)ts.tv_sec, NS_PER_S, &ns))
		return ts.tv_sec < 0 ? INT64_MIN : INT64_MAX;
	return nstime_add(ns, ts.tv_nsec);
}

int64_t nstime_add(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

int64_t nstime_sub(int64_t a, int64_t b)
{
	int64_t difference;

	if (__builtin_sub_overflow(a, b, &difference))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return difference;
}

int64_t nstime_log_interval(int log2)
{
	if (log2 < -20)
		log2 = -20;
	if (log2 > 20)
		log2 = 20;
	return log2 < 0 ? NS_PER_S >> -log2 : NS_PER_S << log2;
}

int64_t nstime_abs(int64_t ns)
{
	if (ns == INT64_MIN)
		return INT64_MAX;
	return ns < 0 ? -ns : ns;
}
