#include "sender_state.h"

#include <errno.h>
#include "nstime.h"

#define WAIT_MIN_NS	(2 * NS_PER_MS)
#define WAIT_MAX_NS	(50 * NS_PER_MS)

/* Samples. */

/* Samples of one run are of one kind. */
static int changed(int *known, uint8_t *first, uint8_t kind)
{
	if (!*known)
		*first = kind;
	*known = 1;
	return *first != kind;
}

static enum probe_unstamped far_lacks(const struct flight_probe *p)
{
	if (p->far_in == STAMP_NONE)
		return UNSTAMPED_far_rx;
	if (p->far_out == STAMP_NONE || (p->far_in == STAMP_HARDWARE && p->far_out == STAMP_SOFTWARE))
		return UNSTAMPED_far_tx;
	return p->far_in == p->far_out ? UNSTAMPED_COUNT : UNSTAMPED_mixed;
}

/* Why a probe that came back makes no sample, or UNSTAMPED_COUNT. */
static enum probe_unstamped lacks(struct sender *s, const struct flight_probe *p)
{
	enum probe_unstamped far = p->far_says ? far_lacks(p) : UNSTAMPED_COUNT;

	if (p->t1.kind == STAMP_NONE)
		return UNSTAMPED_near_tx;
	if (p->t4.kind == STAMP_NONE)
		return UNSTAMPED_near_rx;
	if (p->t1.kind == STAMP_HARDWARE && p->map_epoch != s->hw->map.epoch)
		return UNSTAMPED_restart;
	if (far != UNSTAMPED_COUNT)
		return far;
	if (p->t1.kind != p->t4.kind || changed(&s->near_known, &s->near_kind, (uint8_t)p->t1.kind))
		return UNSTAMPED_mixed;
	if (p->far_says && changed(&s->far_known, &s->far_kind, p->far_in))
		return UNSTAMPED_mixed;
	return UNSTAMPED_COUNT;
}

static void make_sample(struct sender *s, struct flight_probe *p)
{
	struct gate_sample *g = &p->sample;
	int64_t away_ns = hwclock_span_ns(s->hw, &p->t1, &p->t4), held_ns = g->t3_ns - g->t2_ns;

	if (held_ns < 0 || held_ns > away_ns) {
		s->numbers->malformed++;
		return;
	}
	g->rtt_ns = away_ns - held_ns;
	hist_sum_record(s->rtt, g->rtt_ns);
	gate_add(s->gate, g);
}

void sender_sample(struct sender *s, struct flight_probe *p)
{
	enum probe_unstamped why;

	flight_set(&s->flight, p, FLIGHT_DONE);
	if (!p->measured)
		return;
	why = lacks(s, p);
	if (why == UNSTAMPED_COUNT)
		make_sample(s, p);
	else
		s->numbers->unstamped[why]++;
}

void sender_complete(struct sender *s, struct flight_probe *p, int64_t t3_ns, enum stamp_kind kind,
	int has_stamps)
{
	p->sample.t3_ns = t3_ns;
	p->sample.has_stamps = has_stamps;
	p->far_out = (uint8_t)kind;
	p->followed = 1;
	if (!p->t1_pending)
		sender_sample(s, p);
}

/* This end's transmit stamps. */

static void take_t1(struct sender *s, struct flight_probe *p)
{
	struct clock_reading r;

	p->t1_pending = 0;
	p->map_epoch = s->hw->map.epoch;
	if (p->t1.kind == STAMP_NONE)
		return;
	if (hwclock_read(s->hw, &p->t1, &r)) {
		p->t1.kind = STAMP_NONE;
		return;
	}
	p->sample.t1_ns = r.ns;
	p->sample.near_before = r.end;
}

static int ask_t1(struct sender *s, struct flight_probe *p)
{
	if (hwclock_check_tx(s->hw, p->carrier, &p->departure, &p->t1) == -EAGAIN)
		return -EAGAIN;
	take_t1(s, p);
	return 0;
}

void sender_poll_stamps(struct sender *s)
{
	while (s->pending_head != s->pending_tail) {
		uint64_t seq = s->pending[s->pending_head % FLIGHT_SLOTS];
		struct flight_probe *p = flight_at(&s->flight, seq);

		if (p && p->t1_pending && ask_t1(s, p))
			return;
		s->pending_head++;
		if (p && p->followed && p->state == FLIGHT_REPLIED)
			sender_sample(s, p);
	}
}

void sender_await_t1(struct sender *s, struct flight_probe *p)
{
	if (!ask_t1(s, p))
		return;
	p->t1_pending = 1;
	if (s->pending_tail - s->pending_head == FLIGHT_SLOTS)
		s->pending_head++;
	s->pending[s->pending_tail++ % FLIGHT_SLOTS] = p->seq;
}

int sender_slots_full(const struct sender *s, int64_t now_ns)
{
	int slots = s->hw->caps.tx_slots;
	int64_t wait_ns = 4 * s->away_ns;

	if (!slots || hwclock_kind(s->hw, s->net->carrier) == STAMP_SOFTWARE)
		return 0;
	if ((int)(s->pending_tail - s->pending_head) >= slots)
		return 1;
	if (wait_ns < WAIT_MIN_NS)
		wait_ns = WAIT_MIN_NS;
	if (wait_ns > WAIT_MAX_NS)
		wait_ns = WAIT_MAX_NS;
	return flight_newest_open(&s->flight) && now_ns - s->last_sent_ns < wait_ns;
}

void sender_give_up_t1(struct flight_probe *p)
{
	if (p->t1_pending)
		p->t1.kind = STAMP_NONE;
	p->t1_pending = 0;
}
