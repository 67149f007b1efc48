/* pipeline.h: one clock from readings to verdict: FILTER, ESTIMATE, JUDGE in their order. Pure: it is
 * given every instant, so the daemon and the virtual-time scenarios run the same code.
 *
 * Instants: `mono` is CLOCK_MONOTONIC, page time is the time on the page, ticks are the page's counter. */
#ifndef TIMESVC_PIPELINE_H
#define TIMESVC_PIPELINE_H

#include "clockline.h"
#include "judge.h"
#include "offset.h"
#include "ptp.h"
#include "snapshot.h"

struct pipeline {
	const struct clock_settings *settings;
	const struct policy_settings *policy;
	struct clockline line;
	struct offset_track offsets;
	struct judge_state judge;
	enum clock_role role;		/* ROLE_AUTO until the evidence says which */
	uint32_t epoch;
	int64_t poll_ns;		/* how often ptp4l is asked */

	/* facts, each with the page time at which it was last true */
	int64_t clock_read_ns;
	int64_t asked_ns;		/* the last answered question; the one before it */
	int64_t asked_before_ns;
	/* What the line had been slewed by then, and at the evidence at the latest. */
	int64_t asked_slewed_ns, asked_before_slewed_ns, sync_slewed_ns;
	int64_t sync_ns;		/* Sync: its ingress, or the reference's last proof of sending */
	int64_t reply_mono, reply_before_mono, sync_mono, traffic_mono;	/* mono of the same; 0: never */
	int clock_read_ok, link_up, ptp4l_up, crash_loop;
	uint64_t sync_count, traffic_count;
	int64_t sync_interval_ns;	/* measured; 0: not known */
	struct ptp_reading last;	/* the last answered poll; `have` says what it brought */
	int have_last;

	uint64_t contrary;		/* seen since the last judgement */
	int renewed;
	int disagrees;
	uint64_t good_syncs;		/* since evidence became complete */
	uint64_t syncs;			/* ever */
	int64_t run_start_ns;		/* ingress of the first reading of a run past the alarm line */
	int64_t shift_ns, next_shift_ns;	/* served_shift_ns in force, and to come */
	int restarted;			/* ptp4l has ended since it last gave evidence */
	int answered;			/* the running ptp4l has answered */
	int left_state;			/* the port was not in a state that gives time since */
	/* A port that comes back to a master has forgotten its path delay: until it has measured one, each
	 * Sync moves the ingress time and the offset stays what it was before. So: a Sync, then a path delay,
	 * then another Sync. */
	enum { OFFSET_FRESH, SYNC_WANTED, DELAY_WANTED, RESYNC_WANTED } refresh;
	uint64_t refresh_delays;	/* path delays measured when the stage began */
	int64_t refresh_ingress_ns;	/* the Sync that was the last one then */
	int64_t return_ns;		/* ingress of the first Sync after a silence; 0: there was none */
	struct ptp_identity gm;
	int have_gm, gm_timescale;
	uint64_t clock_steps;

	int64_t good_until_ns;		/* page time; frozen outside TRUSTED */
	struct clock_snapshot snap;	/* filled by pipeline_judge() */
};

/* What to publish after a judgement. */
struct pipeline_output {
	int have_line;
	struct tsv_time line;		/* ns and bound at .tsc; state, flags, epoch, good_until */
	uint64_t mult;
	uint32_t growth;		/* 2^-32 */
	struct judge_verdict verdict;
	int epoch_rose;
	int64_t evidence_ns;		/* page time of the first reading that speaks for the edge; 0 none */
};

/* `epoch`: the last one ever published for the clock. */
void pipeline_init(struct pipeline *p, const struct clock_settings *settings,
	const struct policy_settings *policy, double ns_per_tick, int64_t poll_ns, uint32_t epoch,
	int64_t now_mono);

void pipeline_clock(struct pipeline *p, const struct clock_reading *r);	/* NULL: it could not be read */
/* Another device from now on, or the same after it was gone: nothing of the past says anything of it. The
 * epoch rises with the next judgement. */
void pipeline_clock_renewed(struct pipeline *p);
/* An answered poll. `now_tick` is the tick now, for the ages of what was asked at r->asked_ns. */
void pipeline_ptp(struct pipeline *p, const struct ptp_reading *r, int64_t now_mono, uint64_t now_tick);
void pipeline_ptp4l(struct pipeline *p, int up);	/* started or ended */
void pipeline_crash_loop(struct pipeline *p, int looping);
void pipeline_link(struct pipeline *p, int up);
/* A new served shift: in force once ptp4l has been started again and gives evidence. */
void pipeline_shift(struct pipeline *p, int64_t shift_ns);

/* ptp4l answers and its port gives time: what steers by it may run. */
int pipeline_in_step(const struct pipeline *p);
/* Something is about to be decided: ask ptp4l more often than usual. */
int pipeline_urgent(const struct pipeline *p);

void pipeline_judge(struct pipeline *p, int64_t now_mono, uint64_t now_tick, struct pipeline_output *out);

#endif
