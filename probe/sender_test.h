/* sender_test.h: which carrier a sender uses: it tries those that may bring hardware stamps. Pure.
 *
 * Told the time and what has been seen, it says what to do next. Probes sent meanwhile are not measured. */
#ifndef PROBE_SENDER_TEST_H
#define PROBE_SENDER_TEST_H

#include "hwclock.h"

#define SENDER_TEST_NS	(1500 * NS_PER_MS)	/* the most that one carrier gets */
#define SENDER_TEST_STEP_NS (500 * NS_PER_US)	/* between two probes */
#define SENDER_TEST_QUIET_NS (300 * NS_PER_MS)	/* no reply at all for so long: it does not pass */

struct sender_test {
	int count, at;
	enum carrier fallback;		/* where none brings hardware stamps */
	enum carrier list[CARRIER_COUNT];
	int score[CARRIER_COUNT];	/* ends with hardware stamps; -1: nothing came back */
	int64_t since_ns, due_ns;
	unsigned replies;
	enum stamp_kind far;		/* what the far end said of this carrier last */
};

/* `wanted`: CARRIER_COUNT for automatic. */
void sender_test_init(struct sender_test *t, const struct hwclock *h, enum carrier wanted, int tagged);
void sender_test_reply(struct sender_test *t, enum carrier carrier, enum stamp_kind far);
/* 1: go on testing with *carrier. 0: *carrier is the one to use. */
int sender_test_next(struct sender_test *t, struct hwclock *h, int64_t now_ns, enum carrier *carrier);

#endif
