/* pace.h: when to poll without a pause, and when to sleep. Pure.
 *
 * Without a core of its own a probe polls without a pause only while a frame is expected, so that its
 * stamps do not wait for the end of a sleep, and sleeps shortly in between. The same rules hold for
 * the whole run: what they add to a delay does not change within it. */
#ifndef PROBE_PACE_H
#define PROBE_PACE_H

#include <stdint.h>

#define PACE_LEAD_NS	INT64_C(60000)	/* awake this long before something is expected */
#define PACE_AFTER_NS	INT64_C(150000)	/* and this long after it was */

struct pace {
	int64_t hot_from_ns;	/* poll without a pause from here on */
	int64_t sleep_max_ns;	/* longest sleep before that */
};

/* How long to sleep now; 0: poll again at once. */
int64_t pace_sleep_ns(const struct pace *p, int64_t now_ns);

/* The arrivals of frames that leave on a schedule, each with its number and its sender's time. */
#define PACE_ARRIVALS	16
#define PACE_STEADY	8	/* so many hits and the schedule can be relied on */
struct pace_arrivals {
	unsigned count;
	unsigned hits;		/* of the last ones, in a row, that came when they were expected */
	uint32_t seq[PACE_ARRIVALS];
	int64_t sent_ns[PACE_ARRIVALS], arrived_ns[PACE_ARRIVALS];
};

void pace_arrived(struct pace_arrivals *a, uint32_t seq, int64_t sent_ns, int64_t arrived_ns);
/* When the next one is expected, lost ones skipped; INT64_MAX when that cannot be said. The quickest
 * of the remembered arrivals sets the phase, so that one's own late waking does not shift it. */
int64_t pace_expected_ns(const struct pace_arrivals *a, int64_t now_ns);

#endif
