#include "tsc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "io.h"
#include "nstime.h"

#define BRACKETS_MAX		32
#define CLOCKSOURCE_FILE	"/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define CLOCK_RESOLUTION_NS	1

/* Keeps the second read of a bracket behind the clock read (Intel SDM Vol. 2, RDTSC). */
static inline void fence(void)
{
#if defined(__x86_64__)
	__asm__ volatile("lfence" ::: "memory");
#endif
}

int tsc_invariant(void)
{
#if defined(__x86_64__)
	unsigned eax, ebx, ecx, edx;

	return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && (edx >> 8 & 1);
#else
	return 1;	/* the generic timer counts at a fixed rate (Arm ARM, D12.1) */
#endif
}

static int kernel_uses_it(void)
{
	static const char *const names[] = { "tsc\n", "kvm-clock\n", "arch_sys_counter\n" };
	char *text;
	size_t len;
	int found = 0;

	if (io_read_file(CLOCKSOURCE_FILE, 64, &text, &len, NULL))
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		found |= strcmp(text, names[i]) == 0;
	free(text);
	return found;
}

static uint64_t bracket_once(clockid_t clock, struct tsc_bracket *b)
{
	uint64_t before, width;

	fence();
	before = tsc_read();
	b->time_ns = nstime_now(clock);
	fence();
	width = tsc_read() - before;
	b->mid_tsc = before + width / 2;
	b->half_ticks = width / 2 + width % 2;
	return width;
}

void tsc_bracket(clockid_t clock, int n, struct tsc_bracket *out)
{
	uint64_t narrowest = bracket_once(clock, out);

	if (n > BRACKETS_MAX)
		n = BRACKETS_MAX;
	for (int i = 1; i < n; i++) {
		struct tsc_bracket b;
		uint64_t width = bracket_once(clock, &b);

		if (width < narrowest) {
			narrowest = width;
			*out = b;
		}
	}
}

static void pause_until(int64_t mono_ns)
{
	struct timespec ts = nstime_to_timespec(mono_ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

int tsc_measure(int64_t spent_ns, struct tsc_info *out, struct err *e)
{
	struct tsc_bracket a, b;
	double ticks, ns, slack;

	if (spent_ns < NS_PER_MS)
		return err_set(e, -EINVAL, "measuring the time stamp counter takes at least 1 ms");
	tsc_bracket(CLOCK_MONOTONIC_RAW, BRACKETS_MAX, &a);
	pause_until(nstime_add(nstime_mono(), spent_ns));
	tsc_bracket(CLOCK_MONOTONIC_RAW, BRACKETS_MAX, &b);
	if (b.mid_tsc <= a.mid_tsc || b.time_ns <= a.time_ns)
		return err_set(e, -EIO, "the time stamp counter does not advance");

	ticks = (double)(b.mid_tsc - a.mid_tsc);
	ns = (double)(b.time_ns - a.time_ns);
	slack = (double)a.half_ticks + (double)b.half_ticks + 2 * CLOCK_RESOLUTION_NS * ticks / ns;
	out->invariant = tsc_invariant();
	out->kernel_uses_it = kernel_uses_it();
	out->hz = (uint64_t)(ticks / ns * NS_PER_S + 0.5);
	out->hz_error_ppb = (int64_t)(slack / ticks * NS_PER_S) + 1;
	return 0;
}
