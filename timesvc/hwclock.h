/* hwclock.h: the PTP hardware clock of one configured clock: taken over from the monitor, read, lost, asked
 * for, and taken over again. */
#ifndef TIMESVC_HWCLOCK_H
#define TIMESVC_HWCLOCK_H

#include "ipc.h"
#include "sources/phc.h"
#include "timebase.h"

struct hwclock {
	struct phc_device device;	/* fd -1: there is none */
	struct phc phc;
	double ns_per_tick;
	struct phc_identity id;		/* of the last one */
	int known;			/* there was one */
	int failures;			/* in a row */
	int wanted;			/* ask at once */
	int64_t asked_mono;
	uint64_t losses;
};

enum hwclock_change { HWCLOCK_SAME, HWCLOCK_FIRST, HWCLOCK_RENEWED };

void hwclock_init(struct hwclock *h, const struct timebase *tb);
void hwclock_release(struct hwclock *h);

/* Whether the monitor is to be asked for it now: while there is none, again and again. */
int hwclock_wanted(struct hwclock *h, int64_t now_mono);
/* The interface is another one, or may be: look whether its hardware clock is too. */
void hwclock_doubt(struct hwclock *h);
/* Takes the descriptor over. SAME: it is of the clock that is being read already. */
enum hwclock_change hwclock_attach(struct hwclock *h, int fd, const struct phc_identity *id);

/* 0, or -errno. One that is gone (-ENODEV), or fails again and again, is given up and asked for. */
int hwclock_read(struct hwclock *h, struct clock_reading *out);

#endif
