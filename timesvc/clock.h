/* clock.h: one configured clock inside the engine: its sources, its pipeline, its line on the page. */
#ifndef TIMESVC_CLOCK_H
#define TIMESVC_CLOCK_H

#include "page.h"
#include "pipeline.h"
#include "sources/mgmt.h"
#include "sources/sysclk.h"
#include "timebase.h"

struct clock {
	int index;		/* in the settings */
	int page_index;
	const struct settings *settings;
	const struct clock_settings *own;
	const struct timebase *timebase;
	struct page *page;
	struct sysclk sysclk;
	struct pipeline pipeline;
	struct mgmt *mgmt;
	struct child_status ptp4l, phc2sys;
	int64_t started_mono;		/* of the running ptp4l */
	int64_t answered_mono;		/* its last answer */
	int restart_asked;		/* once per start */
	int64_t since_wall_ns;
};

int clock_init(struct clock *c, const struct settings *s, int index, struct page *page,
	const struct timebase *tb, int64_t now_mono, struct err *e);
void clock_release(struct clock *c);

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

#endif
