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
#define SEGMENT_VERSION 2u

/* Why a probe came back, and counts for nothing: one end's stamps are of one kind, or there is no number. */
#define PROBE_UNSTAMPED(X) \
	X(near_tx,	"this end's transmit stamp was lost") \
	X(near_rx,	"this end's receive stamp was lost") \
	X(far_tx,	"the far end's transmit stamp was lost") \
	X(far_rx,	"the far end's receive stamp was lost") \
	X(mixed,	"an end's stamps changed their kind") \
	X(restart,	"the device clock was stepped or restarted during the probe")

#define PROBE_UNSTAMPED_ENUM(name, text) UNSTAMPED_##name,
enum probe_unstamped { PROBE_UNSTAMPED(PROBE_UNSTAMPED_ENUM) UNSTAMPED_COUNT };
#undef PROBE_UNSTAMPED_ENUM
/* NULL for what is no reason. */
const char *probe_unstamped_name(int reason);
const char *probe_unstamped_text(int reason);

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
	uint8_t carrier;		/* enum carrier of this end's probes */
	uint8_t hardware_port;		/* 1: the port has hardware stamps to offer */
	uint8_t reserved;
	uint64_t unstamped[UNSTAMPED_COUNT];
	/* This end's hardware stamps, with those of the test at the start. */
	uint64_t rx_good, tx_good, rx_lost[STAMP_LOSS_COUNT], tx_lost[STAMP_LOSS_COUNT];
	uint64_t map_readings, map_epochs;
	int64_t map_half_ns, map_half_max_ns;	/* what the device clock's map adds to a bound; -1: no map */
	char stamp_note[320];		/* why there are none, or what could be done; "" when all is well */
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
