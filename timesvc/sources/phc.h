/* phc.h: a PTP hardware clock read against the counter of the page.
 *
 * A ladder of three ways:
 *   precise   PTP_SYS_OFFSET_PRECISE: the NIC latches both clocks at once
 *   extended  PTP_SYS_OFFSET_EXTENDED: the driver reads a system clock right before and after its register
 *   basic     clock_gettime() between two reads of the counter
 * A clock that is taken over is read in all of them, and the one that came out narrowest stays. What the
 * driver has not is not asked for again.
 *
 * The first two compare with a system clock (CLOCK_MONOTONIC_RAW where the kernel can, else
 * CLOCK_REALTIME), which is read against the counter before and after: both half widths count.
 * Thread rule: one thread. Does not block, but for the driver's own time. */
#ifndef TIMESVC_PHC_H
#define TIMESVC_PHC_H

#include <stdint.h>
#include <time.h>
#include "sysclk.h"

enum phc_way { PHC_PRECISE, PHC_EXTENDED, PHC_BASIC };
#define PHC_WAYS 3
#define PHC_BATCH 5

/* The hardware clock showed phc_ns while the system clock was between the other two. */
struct phc_cross { int64_t before_ns, phc_ns, after_ns; };

/* What the world does for it; a test has its own. All return -errno. */
struct phc_ops {
	/* The system clock that cross() speaks of in this way. */
	clockid_t (*clock)(void *arg, enum phc_way way);
	/* Up to PHC_BATCH readings, precise or extended; how many. -EAGAIN: clock() says another now. */
	int (*cross)(void *arg, enum phc_way way, struct phc_cross *x);
	int (*gettime)(void *arg, int64_t *ns);
	/* A system clock against the counter. */
	int (*system)(void *arg, clockid_t clock, struct clock_reading *out);
	uint64_t (*ticks)(void *arg);
};

struct phc {
	const struct phc_ops *ops;
	void *arg;
	double ns_per_tick;
	int chosen;		/* a way was */
	enum phc_way way;
	unsigned lacks;		/* bit per way that the driver refused */
	int64_t half_width_ns;	/* of the last reading */
};

void phc_init(struct phc *p, const struct phc_ops *ops, void *arg, double ns_per_tick);

/* The narrowest of several readings. 0, -ENODEV when the clock is gone, -EAGAIN when the system clock
 * jumped meanwhile, -EOPNOTSUPP when no way works, or what the driver said. */
int phc_read(struct phc *p, struct clock_reading *out);

/* "precise", "extended", "basic". */
const char *phc_way_name(enum phc_way way);

/* The world itself, through a descriptor of /dev/ptpN (which stays the caller's). */
struct phc_device {
	int fd;
	uint64_t tsc_hz;	/* 0: the counter is CLOCK_MONOTONIC_RAW */
	int no_raw;		/* this kernel's extended way knows CLOCK_REALTIME only */
};
extern const struct phc_ops phc_device_ops;	/* arg: a struct phc_device * */

#endif
