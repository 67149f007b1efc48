/* snapshot.h: what the engine tells the front: the state of every clock after a judgement,
 * and the transitions since the last snapshot. Plain data, one build, one host. */
#ifndef TIMESVC_SNAPSHOT_H
#define TIMESVC_SNAPSHOT_H

#include <stdint.h>
#include "ipc.h"
#include "ptp.h"
#include "settings.h"

#define SNAPSHOT_VERSION 2u
#define SNAPSHOT_EVENTS 8	/* events carried by one snapshot; more go with the next */

/* One edge: of the state, of the alarm flag, or of the epoch alone (from == to). */
struct trust_event {
	uint64_t number;	/* from 1, per daemon start, no gaps */
	int64_t wall_ns;	/* CLOCK_REALTIME when judged */
	int64_t evidence_ns;	/* page time of the first reading that speaks for it; 0: a silence */
	uint64_t reasons;	/* after the edge */
	uint64_t ended;		/* reasons from before it that hold no more */
	int64_t offset_ns, bound_ns;	/* INT64_MIN / -1: none */
	uint32_t epoch;
	uint16_t clock;
	uint8_t from, to;		/* enum tsv_state */
	uint8_t alarm_from, alarm_to;
	uint8_t reserved[6];
};

struct child_status {
	int32_t pid;		/* 0: not running */
	uint32_t starts;
	int32_t last_status;	/* wait status of the last end */
	uint8_t supervised, crash_loop;
	uint8_t reserved[2];
};

/* CLOCK_REALTIME beside a hardware clock: the page's record of the name `system`. */
struct system_snapshot {
	uint8_t known;		/* this clock is the one that it is compared with */
	uint8_t state, have_offset, reserved;
	uint32_t epoch;
	uint64_t reasons;
	int64_t offset_ns;	/* from the hardware clock, UTC's seconds aside; valid when have_offset */
	int64_t bound_ns;	/* against what the clock's bound is against; -1: none */
	int32_t utc_offset;	/* seconds that were taken off */
	int32_t read_ns;	/* half width of its reading */
	uint64_t clock_steps;
};

struct clock_snapshot {
	char name[NAME_SIZE];
	char interface[16];
	uint8_t mode, role;	/* role as found, never ROLE_AUTO once known */
	uint8_t state, alarm;
	uint8_t port_state, have_offset, have_line, software;
	uint64_t reasons;
	int64_t page_ns;	/* page time of the judgement, valid when have_line */
	int64_t wall_ns;
	int64_t since_wall_ns;	/* when this state began */
	int64_t good_until_ns;
	int64_t offset_ns, path_delay_ns;	/* valid when have_offset */
	int64_t ingress_ns;
	int64_t bound_parent_ns, bound_gm_ns, bound_utc_ns;	/* -1: none */
	int64_t offset_term_ns, path_term_ns, read_term_ns, growth_term_ns;	/* of bound_parent */
	int64_t rate_ppb;	/* of the page clock against the counter, from nominal */
	int64_t growth_ppb;
	uint32_t epoch, steps_removed;
	struct ptp_identity clock_identity, parent_identity, gm_identity;
	uint8_t gm_class, gm_accuracy, domain, ptp_timescale;
	int16_t utc_offset;
	uint8_t utc_offset_valid, drill;
	uint64_t syncs, polls, replies, late_replies, malformed, foreign, outliers, clock_steps;
	struct child_status ptp4l, phc2sys;
	uint8_t have_phc, phc_reserved[3];
	int32_t phc_read_ns;	/* half width of its last reading */
	char phc_way[16];	/* how it is read: precise, extended, basic */
	struct phc_identity phc;	/* valid when have_phc, like the two before */
	uint64_t phc_losses;	/* how often it vanished */
	struct system_snapshot system;
};

struct snapshot {
	uint32_t version;
	uint32_t clocks, events, probes;
	uint64_t number;	/* from 1; a gap is a dropped snapshot */
	uint64_t dropped;	/* snapshots the engine could not hand over */
	int64_t started_wall_ns;
	int64_t void_after_ns;	/* in force: it may change on reload */
	int64_t tick_late_max_ns;	/* worst lateness of the engine's timer since the last snapshot */
	uint64_t tsc_hz;
	uint8_t tsc_invariant, tsc_assumed, timebase, reserved[5];
	struct clock_snapshot clock[CLOCKS_MAX];
	struct child_status probe[PROBES_MAX];
	struct trust_event event[SNAPSHOT_EVENTS];
};

#endif
