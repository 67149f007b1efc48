#include "kernel_phc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include <linux/ptp_clock.h>
#include "nstime.h"

#define READS	2

int kernel_phc_open(struct kernel_phc *p, int index, struct err *e)
{
	char path[32];
	int err;

	snprintf(path, sizeof(path), "/dev/ptp%d", index);
	*p = (struct kernel_phc){ .ioctl = ioctl, .gettime = clock_gettime };
	p->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (p->fd >= 0)
		return 0;
	err = errno == EACCES || errno == EPERM ? -EPERM : errno == ENOENT ? -ENODEV : -EIO;
	return err_set(e, err, "%s cannot be opened: %s", path, strerror(errno));
}

void kernel_phc_close(struct kernel_phc *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

void kernel_phc_pair(uint64_t (*ticks)(void), int n, struct kernel_pair *out)
{
	uint64_t width = UINT64_MAX;

	for (int i = 0; i < n; i++) {
		uint64_t before = ticks();
		int64_t now = nstime_now(CLOCK_REALTIME);
		uint64_t after = ticks();

		if (after - before >= width)
			continue;
		width = after - before;
		*out = (struct kernel_pair){ .tick = before + width / 2, .half_ticks = (width + 1) / 2,
					     .real_ns = now };
	}
}

/* The clock id of an open device (clock_gettime(2), "dynamic clocks"). */
static clockid_t clock_of(int fd)
{
	return (clockid_t)((~(unsigned)fd << 3) | 3);
}

static int read_between(const struct kernel_phc *p, uint64_t (*ticks)(void), struct port_clock_reading *out)
{
	struct timespec ts;
	uint64_t before = ticks(), width;

	if (p->gettime(clock_of(p->fd), &ts))
		return -EIO;
	width = ticks() - before;
	*out = (struct port_clock_reading){ .tick = before + width / 2, .half_ticks = (width + 1) / 2,
					    .nic_ns = nstime_from_timespec(ts) };
	return 0;
}

static int64_t ns_of(const struct ptp_clock_time *t)
{
	return t->sec * NS_PER_S + t->nsec;
}

/* Takes CLOCK_REALTIME now, from which the kernel's readings are counted back. */
static void note(uint64_t (*ticks)(void), struct kernel_time *time)
{
	struct kernel_pair now;

	kernel_phc_pair(ticks, READS, &now);
	kernel_time_note(time, &now);
}

static int read_precise(const struct kernel_phc *p, uint64_t (*ticks)(void), struct kernel_time *time,
	struct port_clock_reading *out)
{
	struct ptp_sys_offset_precise o = { 0 };
	uint32_t half;

	if (p->ioctl(p->fd, PTP_SYS_OFFSET_PRECISE, &o))
		return -errno;
	note(ticks, time);
	if (kernel_time_tick(time, ns_of(&o.sys_realtime), &out->tick, &half))
		return -EAGAIN;
	out->nic_ns = ns_of(&o.device);
	out->half_ticks = half;
	return 0;
}

static int convert(const struct kernel_time *time, const struct ptp_clock_time ts[3],
	struct port_clock_reading *out)
{
	uint64_t before, after;
	uint32_t half;

	if (kernel_time_tick(time, ns_of(&ts[0]), &before, &half) ||
	    kernel_time_tick(time, ns_of(&ts[2]), &after, &half) || after < before)
		return -EAGAIN;
	*out = (struct port_clock_reading){ .tick = before + (after - before) / 2, .nic_ns = ns_of(&ts[1]),
					    .half_ticks = (after - before + 1) / 2 + half };
	return 0;
}

static int read_extended(const struct kernel_phc *p, uint64_t (*ticks)(void), struct kernel_time *time,
	struct port_clock_reading *out)
{
	struct ptp_sys_offset_extended o = { .n_samples = READS };
	struct port_clock_reading r;
	int found = 0;

	if (p->ioctl(p->fd, PTP_SYS_OFFSET_EXTENDED, &o))
		return -errno;
	note(ticks, time);
	for (unsigned i = 0; i < READS; i++) {
		if (convert(time, o.ts[i], &r))
			continue;
		if (!found || r.half_ticks < out->half_ticks)
			*out = r;
		found = 1;
	}
	return found ? 0 : -EAGAIN;
}

/* Not the driver's fault, or not for long. */
static int passes(int err)
{
	return err == -EAGAIN || err == -EINTR || err == -EBUSY || err == -ETIMEDOUT;
}

int kernel_phc_read(struct kernel_phc *p, uint64_t (*ticks)(void), struct kernel_time *time,
	struct port_clock_reading *out)
{
	int err;

	if (p->fd < 0)
		return -ENOTSUP;
	while (p->rung != PHC_PLAIN) {
		err = p->rung == PHC_PRECISE ? read_precise(p, ticks, time, out) :
					       read_extended(p, ticks, time, out);
		if (!err)
			return 0;
		if (passes(err))
			break;
		p->rung++;
	}
	return read_between(p, ticks, out);
}
