#include "sender_test.h"

#include <string.h>
#include "nstime.h"

void sender_test_init(struct sender_test *t, const struct hwclock *h, enum carrier wanted, int tagged)
{
	memset(t, 0, sizeof(*t));
	t->fallback = wanted != CARRIER_COUNT ? wanted : CARRIER_UDP;
	for (int c = 0; c < CARRIER_COUNT; c++) {
		enum carrier carrier = (enum carrier)c;

		if (hwclock_kind(h, carrier) != STAMP_NONE || (wanted != CARRIER_COUNT && wanted != carrier))
			continue;
		if (carrier == CARRIER_UDP || !tagged)
			t->list[t->count++] = carrier;
	}
}

void sender_test_reply(struct sender_test *t, enum carrier carrier, enum stamp_kind far)
{
	if (t->at >= t->count || carrier != t->list[t->at])
		return;
	t->replies++;
	t->far = far;
}

/* The far end needs as many frames as this one to prove its stamps. */
static int is_over(const struct sender_test *t, const struct hwclock *h, int64_t now_ns)
{
	int64_t age_ns = now_ns - t->since_ns;

	if (!t->replies)
		return age_ns >= SENDER_TEST_QUIET_NS;
	if (age_ns >= SENDER_TEST_NS)
		return 1;
	return hwclock_kind(h, t->list[t->at]) != STAMP_NONE && t->far != STAMP_NONE;
}

static int better(const struct sender_test *t)
{
	int best = -1;

	for (int i = 0; i < t->count; i++)
		if (t->score[i] > 0 && (best < 0 || t->score[i] > t->score[best]))
			best = i;
	return best;
}

static enum carrier choose(const struct sender_test *t)
{
	int best = better(t);

	return best >= 0 ? t->list[best] : t->fallback;
}

static void finish(struct sender_test *t, struct hwclock *h)
{
	enum carrier c = t->list[t->at];

	hwclock_settle(h, c);
	t->score[t->at] = (hwclock_kind(h, c) == STAMP_HARDWARE) + (t->far == STAMP_HARDWARE);
	if (!t->replies)
		t->score[t->at] = -1;
	t->at = t->score[t->at] == 2 ? t->count : t->at + 1;
	t->since_ns = 0;
	t->replies = 0;
	t->far = STAMP_NONE;
}

int sender_test_next(struct sender_test *t, struct hwclock *h, int64_t now_ns, enum carrier *carrier)
{
	*carrier = t->fallback;
	if (!t->count)
		return 0;
	if (!t->since_ns)
		t->since_ns = now_ns;
	if (t->at < t->count && is_over(t, h, now_ns))
		finish(t, h);
	if (t->at < t->count) {
		*carrier = t->list[t->at];
		return 1;
	}
	*carrier = choose(t);
	hwclock_settle(h, *carrier);
	return 0;
}
