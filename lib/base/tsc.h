/* tsc.h: the time stamp counter: reading it, its rate, and whether it can be used.
 *
 * Invariance is CPUID 80000007H:EDX[8] (Intel SDM Vol. 3B, 18.17.1). The rate comes
 * from CPUID 15H/16H only as a cross-check: it is measured against
 * CLOCK_MONOTONIC_RAW. */
#ifndef BASE_TSC_H
#define BASE_TSC_H

#include <stdint.h>
#include <time.h>
#include "err.h"

static inline uint64_t tsc_read(void)
{
#if defined(__x86_64__)
	uint64_t lo, hi;	/* rdtsc clears the upper halves */
	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi) :: "memory");
	return hi << 32 | lo;
#elif defined(__aarch64__)
	uint64_t v;
	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(v) :: "memory");
	return v;
#else
#error "no cycle counter known for this architecture"
#endif
}

/* Neither earlier nor later than where it stands (Intel SDM Vol. 2, RDTSC). */
static inline uint64_t tsc_read_ordered(void)
{
	uint64_t v;

#if defined(__x86_64__)
	__asm__ volatile("lfence" ::: "memory");
#endif
	v = tsc_read();
#if defined(__x86_64__)
	__asm__ volatile("lfence" ::: "memory");
#endif
	return v;
}

struct tsc_info {
	int invariant;		/* the CPU says so */
	int kernel_uses_it;	/* current_clocksource is "tsc" (or kvm-clock on top of it) */
	uint64_t hz;		/* measured */
	int64_t hz_error_ppb;	/* half width of the measurement, ppb of hz */
};

/* Blocks for about `spent_ns` (>= 1 ms) while it measures. */
int tsc_measure(int64_t spent_ns, struct tsc_info *out, struct err *e);
int tsc_invariant(void);

/* One bracketed reading: ticks before, clock, ticks after. `narrowest of n` (1..32).
 * mid_tsc is the middle of the bracket, half_ticks half its width rounded up. */
struct tsc_bracket {
	uint64_t mid_tsc;
	uint64_t half_ticks;
	int64_t time_ns;
};
void tsc_bracket(clockid_t clock, int n, struct tsc_bracket *out);

#endif
