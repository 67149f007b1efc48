#include "phc.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <linux/ptp_clock.h>

#include "nstime.h"
#include "tsc.h"

#define SYSTEM_TRIES 3
/* The kernel's own (CLOCKFD in its posix-timers.h): a clock of a descriptor. */
#define CLOCK_OF(fd) ((clockid_t)((~(unsigned)(fd) << 3) | 3))

static clockid_t system_clock(void *arg, enum phc_way way)
{
	const struct phc_device *d = arg;

	return way == PHC_EXTENDED && d->no_raw ? CLOCK_REALTIME : CLOCK_MONOTONIC_RAW;
}

static int64_t to_ns(const struct ptp_clock_time *t)
{
	return t->sec * NS_PER_S + t->nsec;
}

static int cross_precise(const struct phc_device *d, struct phc_cross *x)
{
	struct ptp_sys_offset_precise p = { .rsv = { 0 } };

	if (ioctl(d->fd, PTP_SYS_OFFSET_PRECISE, &p) < 0)
		return -errno;
	x->before_ns = x->after_ns = to_ns(&p.sys_monoraw);
	x->phc_ns = to_ns(&p.device);
	return 1;
}

/* Up to 6.11 the first reserved word must be 0; since then it names the system clock. */
static int cross_extended(struct phc_device *d, struct phc_cross *x)
{
	struct ptp_sys_offset_extended e = { .n_samples = PHC_BATCH };

	e.rsv[0] = d->no_raw ? CLOCK_REALTIME : CLOCK_MONOTONIC_RAW;
	if (ioctl(d->fd, PTP_SYS_OFFSET_EXTENDED, &e) < 0) {
		if (errno != EINVAL || d->no_raw)
			return -errno;
		d->no_raw = 1;
		return -EAGAIN;
	}
	for (int i = 0; i < PHC_BATCH; i++)
		x[i] = (struct phc_cross){ to_ns(&e.ts[i][0]), to_ns(&e.ts[i][1]), to_ns(&e.ts[i][2]) };
	return PHC_BATCH;
}

static int cross(void *arg, enum phc_way way, struct phc_cross *x)
{
	return way == PHC_PRECISE ? cross_precise(arg, x) : cross_extended(arg, x);
}

static int gettime(void *arg, int64_t *ns)
{
	const struct phc_device *d = arg;
	struct timespec ts;

	if (clock_gettime(CLOCK_OF(d->fd), &ts) < 0)
		return -errno;
	*ns = nstime_from_timespec(ts);
	return 0;
}

static int read_system(void *arg, clockid_t clock, struct clock_reading *out)
{
	const struct phc_device *d = arg;
	struct sysclk c = { .tsc_hz = d->tsc_hz, .tries = SYSTEM_TRIES, .clock = clock };
	const struct sysclk_ops *ops = d->tsc_hz ? &sysclk_over_tsc : &sysclk_over_raw;

	return ops->read(&c, out);
}

static uint64_t ticks(void *arg)
{
	const struct phc_device *d = arg;

	return d->tsc_hz ? tsc_read_ordered() : (uint64_t)nstime_now(CLOCK_MONOTONIC_RAW);
}

const struct phc_ops phc_device_ops = { system_clock, cross, gettime, read_system, ticks };
