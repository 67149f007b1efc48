/* nicclock.h: the PTP hardware clock of one configured clock: taken over from the monitor, read, lost, asked
 * for, and taken over again. */
#ifndef TIMESVC_NICCLOCK_H
#define TIMESVC_NICCLOCK_H

#include "ipc.h"
#include "sources/phc.h"
#include "timebase.h"

struct nicclock {
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

enum nicclock_change { NICCLOCK_SAME, NICCLOCK_FIRST, NICCLOCK_RENEWED };

void nicclock_init(struct nicclock *h, const struct timebase *tb);
void nicclock_release(struct nicclock *h);

/* Whether the monitor is to be asked for it now: while there is none, again and again. */
int nicclock_wanted(struct nicclock *h, int64_t now_mono);
/* The interface is another one, or may be: look whether its hardware clock is too. */
void nicclock_doubt(struct nicclock *h);
/* Takes the descriptor over. SAME: it is of the clock that is being read already. */
enum nicclock_change nicclock_attach(struct nicclock *h, int fd, const struct phc_identity *id);

/* 0, or -errno. One that is gone (-ENODEV), or fails again and again, is given up and asked for. */
int nicclock_read(struct nicclock *h, struct clock_reading *out);

#endif
