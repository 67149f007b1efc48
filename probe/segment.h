/* segment.h: a probe's counts and distributions in shared memory, for the daemon's front.
 *
 * One file per probe, written by the probe alone, mapped read-only by readers. Published about
 * once a second under a sequence (odd while being written), after the rules of lib/page.h; a
 * reader copies it, checks the sequence and tries again later rather than waits.
 *
 * The next writer takes the file over in place, so mapped readers live on, and what the last one
 * published stands until the first publication of the new one. A file of another layout is
 * superseded: marked, removed, and made anew. Thread rule: one thread per handle. */
#ifndef PROBE_SEGMENT_H
#define PROBE_SEGMENT_H

#include "err.h"
#include "gate.h"
#include "hist.h"
#include "port.h"

#define SEGMENT_MAGIC UINT64_C(0x3147455342525054)
#define SEGMENT_VERSION 1u

struct probe_numbers {
	uint64_t sent, received, lost, duplicates, reordered, late_replies;
	uint64_t send_late;		/* left more than 100 us after their time */
	int64_t send_late_max_ns;
	uint64_t send_failed;
	uint64_t reflected;		/* by a reflector */
	uint64_t malformed, foreign;	/* frames for us that are no good; frames not for us */
	uint64_t follow_up_lost;	/* the reply that carries a transmit stamp was lost */
	uint64_t arp_requests, arp_replies;
	int64_t poll_gap_max_ns;	/* longest time between two polls of the port */
	uint8_t rx_stamp, tx_stamp;	/* enum stamp_kind of this end */
	uint8_t far_rx_stamp, far_tx_stamp;
	uint8_t reflector;		/* 1: this probe reflects */
	uint8_t reserved[3];
};

/* The last whole second and the last whole ten seconds. */
struct probe_window {
	uint64_t rtt_count, ab_count, ba_count;
	int64_t rtt_p50_ns, rtt_p99_ns, ab_p50_ns, ba_p50_ns;	/* valid when the count is not 0 */
};

struct probe_data {
	char name[32];
	int64_t started_wall_ns;
	int64_t published_mono_ns;
	int64_t published_wall_ns;
	uint32_t finished;		/* 1: the run is over, these are its last numbers */
	uint32_t reserved;
	struct probe_numbers numbers;
	struct gate_numbers gate;
	struct probe_window s1, s10;
	struct hist_sum rtt;
	struct gate_sums one_way;
};

struct segment;
/* Writer: makes or takes over the file (mode 0644). -EWOULDBLOCK: another writer has it.
 * -EPROTO: something else is there. */
int segment_create(struct segment **seg, const char *path, struct err *e);
void segment_publish(struct segment *seg, const struct probe_data *data);
/* Reader. -ENOENT, -EPROTO for another layout. */
int segment_open(struct segment **seg, const char *path);
/* 0, -ENODATA before the first publication, -EAGAIN when the writer was in the way, -ESTALE when
 * the file was superseded: open again. On failure *data is scrap. */
int segment_read(const struct segment *seg, struct probe_data *data);
void segment_close(struct segment *seg);	/* the file stays; NULL is allowed */

#endif
