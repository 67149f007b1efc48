/* journal.h: transitions on their way to the front, and each one logged once. */
#ifndef TIMESVC_JOURNAL_H
#define TIMESVC_JOURNAL_H

#include "snapshot.h"

#define JOURNAL_SIZE 64

struct journal {
	struct trust_event event[JOURNAL_SIZE];	/* a ring of those not yet handed over */
	unsigned first, count;
	uint64_t numbered;	/* events so far */
	uint64_t sent, dropped;	/* snapshots */
};

/* Numbers it, logs it; with a full ring the oldest is lost, which its number shows. */
void journal_add(struct journal *j, struct trust_event *ev, const char *clock);

/* Puts pending events into *s, numbers it and sends it. 0, or -errno when it was dropped: the events
 * stay for the next one. -ENOTCONN, with fd < 0: nobody listens. */
int journal_hand_over(struct journal *j, int fd, struct snapshot *s);

#endif
