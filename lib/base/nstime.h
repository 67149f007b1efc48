/* nstime.h: instants and spans as signed 64-bit nanoseconds. */
#ifndef BASE_NSTIME_H
#define BASE_NSTIME_H

#include <stdint.h>
#include <time.h>

#define NS_PER_US INT64_C(1000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S  INT64_C(1000000000)

/* clock_gettime() as nanoseconds. The clocks used here cannot fail; a clock
 * that does is a programming error and aborts. */
int64_t nstime_now(clockid_t clock);

/* CLOCK_MONOTONIC: deadlines, hold times, ages. */
static inline int64_t nstime_mono(void) { return nstime_now(CLOCK_MONOTONIC); }

struct timespec nstime_to_timespec(int64_t ns);		/* floor, tv_nsec in [0, 1e9) */
int64_t nstime_from_timespec(struct timespec ts);

/* Saturate at INT64_MIN / INT64_MAX instead of overflowing. */
int64_t nstime_add(int64_t a, int64_t b);
int64_t nstime_sub(int64_t a, int64_t b);

/* 2^log2 seconds, the unit of every logInterval of IEEE 1588 (§7.7.2.1).
 * log2 is clamped to [-20, 20]. */
int64_t nstime_log_interval(int log2);

/* |ns| without overflow: INT64_MIN becomes INT64_MAX. */
int64_t nstime_abs(int64_t ns);

#endif
