#include "kernel_time.h"

#include <errno.h>
#include <string.h>
#include "nstime.h"

#define WINDOW_MIN_NS	(2 * NS_PER_MS)		/* a rate is first taken over this, then over ever more */
#define WINDOW_MAX_NS	NS_PER_S
#define AGE_MAX_NS	NS_PER_S
#define STEP_NS		(20 * NS_PER_US)	/* unexplained: a step */
#define STEP_PPM	1000			/* and this much of the time that has passed */
#define QUIET_NS	NS_PER_MS		/* stamps from before a step may still be on their way */

void kernel_time_init(struct kernel_time *t)
{
	memset(t, 0, sizeof(*t));
	t->window_ns = WINDOW_MIN_NS;
}

uint64_t kernel_time_ticks(const struct kernel_time *t, int64_t ns)
{
	return (uint64_t)((unsigned __int128)(uint64_t)ns * t->mult >> 32);
}

static void start_again(struct kernel_time *t, const struct kernel_pair *now)
{
	t->base = t->last = *now;
	t->started = 1;
	t->drift_ticks = 0;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static void take_rate(struct kernel_time *t, const struct kernel_pair *now)
{
	int64_t ns = now->real_ns - t->base.real_ns;
	uint64_t ticks = now->tick - t->base.tick, half = now->half_ticks + t->base.half_ticks;

	if (ns < t->window_ns)
		return;
	t->mult = (uint64_t)(((unsigned __int128)ticks << 32) / (uint64_t)ns);
	t->rate_error = (uint64_t)((unsigned __int128)half * NS_PER_S / (uint64_t)ns) + 1;
	if (t->window_ns >= WINDOW_MAX_NS)
		t->base = *now;
	else
		t->window_ns *= 8;
}

/* 1: CLOCK_REALTIME was stepped since the last reading. */
static int stepped(struct kernel_time *t, const struct kernel_pair *now)
{
	int64_t ns = now->real_ns - t->last.real_ns;
	uint64_t limit;

	if (ns < 0)
		return 1;
	t->drift_ticks = distance(now->tick - t->last.tick, kernel_time_ticks(t, ns));
	limit = kernel_time_ticks(t, STEP_NS) + (now->tick - t->last.tick) / 1000000 * STEP_PPM +
		now->half_ticks + t->last.half_ticks;
	return t->drift_ticks > limit;
}

void kernel_time_note(struct kernel_time *t, const struct kernel_pair *now)
{
	if (!t->started) {
		start_again(t, now);
		return;
	}
	if (t->mult && stepped(t, now)) {
		t->steps++;
		t->refuse_before = now->tick + kernel_time_ticks(t, QUIET_NS);
		start_again(t, now);
		return;
	}
	t->last = *now;
	take_rate(t, now);
}

int kernel_time_tick(const struct kernel_time *t, int64_t real_ns, uint64_t *tick, uint32_t *half_ticks)
{
	int64_t age_ns = t->last.real_ns - real_ns;
	uint64_t age, half;

	if (!t->mult || t->last.tick < t->refuse_before || age_ns > AGE_MAX_NS || age_ns < -STEP_NS)
		return -EAGAIN;
	age = kernel_time_ticks(t, age_ns < 0 ? -age_ns : age_ns);
	*tick = age_ns < 0 ? t->last.tick + age : t->last.tick - age;
	half = t->last.half_ticks + t->drift_ticks + 1;
	half += (uint64_t)((unsigned __int128)(uint64_t)nstime_abs(age_ns) * t->rate_error / NS_PER_S);
	*half_ticks = half > UINT32_MAX ? UINT32_MAX : (uint32_t)half;
	return 0;
}
