#include "timesvc/nicclock.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "nstime.h"

#define ASK_EVERY_NS	(200 * NS_PER_MS)
#define FAILURES_MAX	20

void nicclock_init(struct nicclock *h, const struct timebase *tb)
{
	*h = (struct nicclock){
		.device = { .fd = -1, .tsc_hz = tb->kind == TSV_TIMEBASE_TSC ? tb->hz : 0 },
		.ns_per_tick = tb->ns_per_tick, .wanted = 1,
	};
}

void nicclock_release(struct nicclock *h)
{
	if (h->device.fd >= 0)
		close(h->device.fd);
	h->device.fd = -1;
}

int nicclock_wanted(struct nicclock *h, int64_t now_mono)
{
	if (!h->wanted && (h->device.fd >= 0 || now_mono - h->asked_mono < ASK_EVERY_NS))
		return 0;
	h->wanted = 0;
	h->asked_mono = now_mono;
	return 1;
}

void nicclock_doubt(struct nicclock *h)
{
	h->wanted = 1;
}

/* The number counts here: the descriptor that is open is of this one, or of one that has gone. */
static int same(const struct phc_identity *a, const struct phc_identity *b)
{
	return !strcmp(a->pci, b->pci) && !strcmp(a->driver, b->driver) && !strcmp(a->name, b->name) &&
		a->index == b->index;
}

enum nicclock_change nicclock_attach(struct nicclock *h, int fd, const struct phc_identity *id)
{
	enum nicclock_change change = h->known ? NICCLOCK_RENEWED : NICCLOCK_FIRST;
	int64_t ns;

	if (h->device.fd >= 0 && same(&h->id, id) && phc_device_ops.gettime(&h->device, &ns) == 0) {
		close(fd);
		return NICCLOCK_SAME;
	}
	nicclock_release(h);
	h->device.fd = fd;
	h->id = *id;
	h->known = 1;
	h->failures = 0;
	phc_init(&h->phc, &phc_device_ops, &h->device, h->ns_per_tick);
	return change;
}

int nicclock_read(struct nicclock *h, struct clock_reading *out)
{
	int r;

	if (h->device.fd < 0)
		return -ENODEV;
	r = phc_read(&h->phc, out);
	h->failures = r < 0 ? h->failures + 1 : 0;
	if (r == -ENODEV || h->failures > FAILURES_MAX) {
		nicclock_release(h);
		h->losses++;
		h->wanted = 1;
	}
	return r;
}
