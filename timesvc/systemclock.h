/* systemclock.h: CLOCK_REALTIME on the page beside a hardware clock, as the record `system`. */
#ifndef TIMESVC_SYSTEMCLOCK_H
#define TIMESVC_SYSTEMCLOCK_H

#include "clock.h"
#include "system.h"

struct systemclock {
	struct clock *parent;	/* NULL: no clock is a hardware clock, there is no record */
	int page_index;
	struct sysclk sysclk;
	struct system_track track;
};

/* The one that phc2sys steers it by, else the first hardware clock; NULL when there is none. */
struct clock *systemclock_parent(struct clock *clocks, int count);

int systemclock_init(struct systemclock *s, struct clock *parent, int64_t now_mono, struct err *e);
void systemclock_sample(struct systemclock *s);
/* After its parent was judged: judges, publishes, and tells the parent's snapshot. */
void systemclock_judge(struct systemclock *s, int64_t now_mono);

#endif
