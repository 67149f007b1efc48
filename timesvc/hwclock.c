#include "timesvc/hwclock.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "nstime.h"

#define ASK_EVERY_NS	(200 * NS_PER_MS)
#define FAILURES_MAX	20

void hwclock_init(struct hwclock *h, const struct timebase *tb)
{
	*h = (struct hwclock){
		.device = { .fd = -1, .tsc_hz = tb->kind == TSV_TIMEBASE_TSC ? tb->hz : 0 },
		.ns_per_tick = tb->ns_per_tick, .wanted = 1,
	};
}

void hwclock_release(struct hwclock *h)
{
	if (h->device.fd >= 0)
		close(h->device.fd);
	h->device.fd = -1;
}

int hwclock_wanted(struct hwclock *h, int64_t now_mono)
{
	if (!h->wanted && (h->device.fd >= 0 || now_mono - h->asked_mono < ASK_EVERY_NS))
		return 0;
	h->wanted = 0;
	h->asked_mono = now_mono;
	return 1;
}

void hwclock_doubt(struct hwclock *h)
{
	h->wanted = 1;
}

/* The number counts here: the descriptor that is open is of this one, or of one that has gone. */
static int same(const struct phc_identity *a, const struct phc_identity *b)
{
	return !strcmp(a->pci, b->pci) && !strcmp(a->driver, b->driver) && !strcmp(a->name, b->name) &&
		a->index == b->index;
}

enum hwclock_change hwclock_attach(struct hwclock *h, int fd, const struct phc_identity *id)
{
	enum hwclock_change change = h->known ? HWCLOCK_RENEWED : HWCLOCK_FIRST;
	int64_t ns;

	if (h->device.fd >= 0 && same(&h->id, id) && phc_device_ops.gettime(&h->device, &ns) == 0) {
		close(fd);
		return HWCLOCK_SAME;
	}
	hwclock_release(h);
	h->device.fd = fd;
	h->id = *id;
	h->known = 1;
	h->failures = 0;
	phc_init(&h->phc, &phc_device_ops, &h->device, h->ns_per_tick);
	return change;
}

int hwclock_read(struct hwclock *h, struct clock_reading *out)
{
	int r;

	if (h->device.fd < 0)
		return -ENODEV;
	r = phc_read(&h->phc, out);
	h->failures = r < 0 ? h->failures + 1 : 0;
	if (r == -ENODEV || h->failures > FAILURES_MAX) {
		hwclock_release(h);
		h->losses++;
		h->wanted = 1;
	}
	return r;
}
