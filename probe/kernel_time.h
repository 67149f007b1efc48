/* kernel_time.h: the kernel's software stamps, which are CLOCK_REALTIME, as ticks of the port's counter.
 *
 * Fed with readings of both taken together, often. A stamp is counted back from the newest reading, at the
 * rate that older ones have shown. Whatever CLOCK_REALTIME did between the last two readings that the rate
 * does not explain widens the result; a step makes stamps useless for a moment. Pure, integer arithmetic. */
#ifndef PROBE_KERNEL_TIME_H
#define PROBE_KERNEL_TIME_H

#include <stdint.h>

struct kernel_pair {
	uint64_t tick;		/* in the middle of the reading */
	uint64_t half_ticks;	/* half of its width, rounded up */
	int64_t real_ns;
};

struct kernel_time {
	int started;
	struct kernel_pair base, last;
	int64_t window_ns;		/* the next rate is taken over this */
	uint64_t mult;			/* ticks a nanosecond, 2^-32; 0: not known yet */
	uint64_t rate_error;		/* of it, ticks a second, rounded up */
	uint64_t drift_ticks;		/* unexplained between the last two readings */
	uint64_t refuse_before;		/* stamps of a tick before this may be from before a step */
	uint64_t steps;
};

void kernel_time_init(struct kernel_time *t);
void kernel_time_note(struct kernel_time *t, const struct kernel_pair *now);
/* 0, or -EAGAIN when that cannot be said: the rate is not known yet, a step was just now, or the stamp
 * lies in the future or more than a second back. */
int kernel_time_tick(const struct kernel_time *t, int64_t real_ns, uint64_t *tick, uint32_t *half_ticks);
/* So many nanoseconds; 0 as long as the rate is not known. */
uint64_t kernel_time_ticks(const struct kernel_time *t, int64_t ns);

#endif
