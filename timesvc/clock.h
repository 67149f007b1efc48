/* clock.h: one configured clock inside the engine: its sources, its pipeline, its line on the page. */
#ifndef TIMESVC_CLOCK_H
#define TIMESVC_CLOCK_H

#include "nicclock.h"
#include "page.h"
#include "pipeline.h"
#include "sources/mgmt.h"
#include "sources/sysclk.h"
#include "timebase.h"

/* Brackets per reading of a system clock. */
#define CLOCK_READ_TRIES 5

struct clock {
	int index;		/* in the settings */
	int page_index;
	const struct settings *settings;
	const struct clock_settings *own;
	const struct timebase *timebase;
	struct page *page;
	int hardware;			/* its time is that of hw, else CLOCK_REALTIME */
	struct nicclock hw;
	struct sysclk sysclk;
	struct pipeline pipeline;
	struct pipeline_output out;	/* of the last judgement */
	struct system_snapshot system;	/* what it makes of CLOCK_REALTIME, if it does */
	struct mgmt *mgmt;
	struct child_status ptp4l, phc2sys;
	int64_t started_mono;		/* of the running ptp4l */
	int64_t answered_mono;		/* its last answer */
	int restart_asked;		/* once per start */
	int64_t since_wall_ns;
	int phc2sys_said;		/* to the monitor: 1 to run, 0 not to, -1 nothing yet */
	int64_t in_step_mono;		/* ptp4l gave time to steer by; 0: never */
};

int clock_init(struct clock *c, const struct settings *s, int index, struct page *page,
	const struct timebase *tb, int64_t now_mono, struct err *e);
void clock_release(struct clock *c);

/* The hardware clock: whether to ask the monitor for it; and what it sent. RENEWED: ptp4l must be started
 * again, it holds one that has gone. */
int clock_wants_phc(struct clock *c, int64_t now_mono);
enum nicclock_change clock_attach_phc(struct clock *c, int fd, const struct phc_identity *id);
/* Whether phc2sys is to run: 1 or 0 when that has changed, else -1. */
int clock_wants_phc2sys(struct clock *c, int64_t now_mono);

/* Reads the clock against the counter and feeds it. */
void clock_sample(struct clock *c);
int clock_urgent(const struct clock *c);	/* ask again before the regular time */
/* Asks ptp4l; returns 1 when there is nobody to ask and a new descriptor is wanted. */
int clock_poll(struct clock *c, int64_t now_mono);
/* ptp4l has answered; returns 1 when a poll came in whole: judge now. */
int clock_receive(struct clock *c, int64_t now_mono);
/* ptp4l is running but has not answered for the liveness time: 1, once per start. */
int clock_hung(struct clock *c, int64_t now_mono);

/* Judges and publishes. Returns 1 and fills *event on an edge (number and clock are the caller's). */
int clock_judge(struct clock *c, int64_t now_mono, struct trust_event *event);
void clock_snapshot(const struct clock *c, struct clock_snapshot *out);

/* For the record of CLOCK_REALTIME, which goes out as the clock's own line does. */
int clock_read_system(const struct timebase *tb, struct sysclk *s, struct clock_reading *out);
void clock_publish_line(struct clock *c, int page_index, const struct pipeline_output *o);
void clock_info(const struct clock *c, struct tsv_info *info);

#endif
