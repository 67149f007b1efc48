/* store.h: what the engine has said: the latest snapshot and the last events.
 *
 * Pure. Numbers that are missing in the sequence are counted, never glossed over. A snapshot
 * with another start time comes from another engine: its events begin anew. */
#ifndef FRONT_STORE_H
#define FRONT_STORE_H

#include <stddef.h>
#include "../snapshot.h"

#define STORE_EVENTS 1024

struct store {
	struct snapshot last;		/* valid when have */
	int have;
	int64_t taken_mono_ns;		/* when it came; before the first: when the store began */
	uint64_t snapshots_lost;	/* numbers that never came */
	uint64_t events_last;		/* number of the newest event, 0: none yet */
	uint64_t events_lost;
	size_t first, count;		/* of the ring */
	struct trust_event event[STORE_EVENTS];
};

void store_init(struct store *s, int64_t now_mono_ns);
/* 0, or -EPROTO for anything that a snapshot cannot be; *s is then untouched. */
int store_take(struct store *s, const void *msg, size_t len, int64_t now_mono_ns);
/* The i-th oldest, 0 <= i < count. */
const struct trust_event *store_event(const struct store *s, size_t i);
/* How old the engine's last word is: since it came, or, when that is more (it waited in a
 * queue), since it was judged. */
int64_t store_age_ns(const struct store *s, int64_t now_mono_ns, int64_t now_wall_ns);

#endif
