/* offset.h: FILTER and ESTIMATE, second half: ptp4l's offsets over the memory of its delay filter.
 *
 * A reading far from its neighbours waits for the next ones: a clock that is continuous against the
 * counter cannot jump and come back, a late time stamp can. Until others confirm it (one where stamps
 * come from hardware, two where from software), nothing moves, and evidence does not reach past the last
 * accepted one. Pure. */
#ifndef TIMESVC_OFFSET_H
#define TIMESVC_OFFSET_H

#include <stdint.h>

#define OFFSET_BUCKETS	32
#define OFFSET_RECENT	32
#define OFFSET_PENDING_MAX 3

struct offset_reading { int64_t ingress_ns, offset_ns, path_ns; };

struct offset_bucket { int64_t start_ns, offset_max_ns, path_max_ns; };

struct offset_track {
	int64_t outlier_ns;	/* how far from its neighbours a reading must be to need confirmation */
	int64_t memory_ns;	/* of the delay filter; the window is at least as long */
	struct offset_bucket bucket[OFFSET_BUCKETS];
	unsigned buckets, newest;
	struct offset_reading recent[OFFSET_RECENT];	/* accepted, a ring */
	unsigned count, next;
	struct offset_reading pending[OFFSET_PENDING_MAX];	/* near each other, oldest first */
	int pendings;
	int strays;		/* readings in a row that were not near the accepted ones */
	int confirmations;	/* 1 to OFFSET_PENDING_MAX - 1 */
	int64_t jump_ns, jump_ingress_ns;	/* a confirmed jump, until the memory has turned over */
	int64_t seen_ns;	/* ingress of the last reading, whatever became of it; 0: there was none */
	uint64_t accepted, outliers;
};

enum offset_verdict { OFFSET_OLD, OFFSET_ACCEPTED, OFFSET_PENDING, OFFSET_CONFIRMED };

void offset_init(struct offset_track *t, int64_t outlier_ns, int confirmations);
/* The Delay_Req interval decides how long ten measurements are remembered. */
void offset_set_memory(struct offset_track *t, int log_min_delay_req);
/* OFFSET_OLD: the same Sync as before, a restart in between or not. */
enum offset_verdict offset_feed(struct offset_track *t, const struct offset_reading *r);
/* Forgets the window and keeps the last `keep` accepted readings as its start, at most
 * OFFSET_PENDING_MAX. */
void offset_restart(struct offset_track *t, int keep);

/* The last accepted reading; NULL when there is none. */
const struct offset_reading *offset_last(const struct offset_track *t);
/* Largest |offset| and path delay over the window that ends at `now_ns` (the time scale of ingress). */
void offset_window(const struct offset_track *t, int64_t now_ns, int64_t *offset_ns, int64_t *path_ns);
/* The jump that is still inside the memory, else 0. */
int64_t offset_jump(const struct offset_track *t, int64_t now_ns);
/* |rate| of the offset, ppb, at most a second a second: medians of the recent thirds against each other; 0
 * with under 6 readings. */
int64_t offset_rate_ppb(const struct offset_track *t);
/* How many of the last accepted readings in a row are beyond the limit. */
int offset_run_beyond(const struct offset_track *t, int64_t limit_ns);

#endif
