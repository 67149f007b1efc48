#include "sender.h"

#include <errno.h>
#include <stdlib.h>
#include "ends.h"
#include "nstime.h"
#include "sender_state.h"
#include "stamp.h"

#define LOSS_NS		NS_PER_S
#define LATE_NS		(100 * NS_PER_US)
#define BURST_MAX	32			/* late probes sent between two looks at the port */
#define GATE_NS		(50 * NS_PER_MS)
#define LINGER_NS	(2 * NS_PER_S)
#define LINGER_STEP_NS	(5 * NS_PER_MS)
#define STOP_NS		(100 * NS_PER_MS)
#define REPLY_HOT_NS	(200 * NS_PER_US)	/* a reply is awaited without a pause for this long */
#define WARM_SLEEP_NS	(50 * NS_PER_US)	/* and with short ones afterwards */
#define IDLE_SLEEP_NS	(500 * NS_PER_US)

struct sender *sender_new(const struct sender_config *config, struct net *net, struct gate *gate,
	struct hist_sum *rtt, struct probe_numbers *numbers)
{
	struct sender *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->config = *config;
	s->net = net;
	s->hw = net->hw;
	s->clock = net->clock;
	s->gate = gate;
	s->rtt = rtt;
	s->numbers = numbers;
	return s;
}

void sender_free(struct sender *s)
{
	free(s);
}

/* Replies. */

static void give_up(struct sender *s, struct flight_probe *p)
{
	sender_give_up_t1(p);
	if (p->state == FLIGHT_REPLIED && p->followed) {
		sender_sample(s, p);
		return;
	}
	if (p->state == FLIGHT_REPLIED) {
		s->numbers->follow_up_lost += (unsigned)p->measured;
		sender_complete(s, p, p->sample.t3_ns, STAMP_SOFTWARE, 0);
		return;
	}
	s->numbers->lost += (unsigned)p->measured;
	flight_set(&s->flight, p, FLIGHT_LOST);
}

/* At low rates the next reply, which brings the follow-up, takes longer than a reply may. */
static int64_t patience_ns(const struct sender *s, const struct flight_probe *p)
{
	int64_t three = 3 * NS_PER_S / s->config.rate;

	return p->state == FLIGHT_REPLIED && three > LOSS_NS ? three : LOSS_NS;
}

static void expire(struct sender *s, int64_t now_ns)
{
	struct flight_probe *p;

	while ((p = flight_oldest(&s->flight)) && now_ns - p->sent_ns > patience_ns(s, p))
		give_up(s, p);
}

static void follow_up(struct sender *s, const struct stamp_packet *r)
{
	enum stamp_kind kind = stamp_kind_of(r->follow_up_method);
	/* all 0 without a stamp, its number too (RFC 8972 4.7) */
	uint32_t seq = kind == STAMP_NONE ? r->seq - 1 : r->follow_up_seq;
	struct flight_probe *p = r->has_follow_up ? flight_followed(&s->flight, seq) : NULL;

	if (!p || p->followed)
		return;
	if (kind != STAMP_NONE)
		s->numbers->far_tx_stamp = (uint8_t)kind;
	if (kind != STAMP_NONE)
		sender_complete(s, p, r->follow_up_ns, kind, 1);
	else if (p->far_says && p->far_in != STAMP_SOFTWARE)
		sender_complete(s, p, p->sample.t3_ns, STAMP_NONE, 0);
}

static void note_kinds(struct sender *s, const struct stamp_packet *r)
{
	s->numbers->rx_stamp = s->numbers->tx_stamp = (uint8_t)hwclock_kind(s->hw, s->net->carrier);
	if (!r->has_timestamp_info)
		return;
	if (!s->far_known || r->method_in != STAMP_METHOD_NONE)
		s->numbers->far_rx_stamp = (uint8_t)stamp_kind_of(r->method_in);
	if (!r->has_follow_up)
		s->numbers->far_tx_stamp = (uint8_t)stamp_kind_of(r->method_out);
}

static void note_away(struct sender *s, int64_t ns)
{
	s->away_ns -= s->away_ns / 64;
	if (ns > s->away_ns)
		s->away_ns = ns;
}

static void note_reply(struct sender *s, struct flight_probe *p, const struct stamp_packet *r,
	const struct stamp *t4, const struct clock_reading *now)
{
	struct gate_sample *g = &p->sample;

	p->t4 = *t4;
	note_away(s, clock_span_ns(s->clock, p->departure.tick, t4->tick));
	p->far_says = r->has_timestamp_info;
	p->far_in = (uint8_t)stamp_kind_of(r->method_in);
	g->t4_ns = now->ns;
	g->near_after = now->end;
	g->t2_ns = r->receive_ns;
	g->t3_ns = r->timestamp_ns;
	if (r->has_trust) {
		ends_from_trust(&r->trust, r->trust.epoch_before, &g->far_before);
		ends_from_trust(&r->trust, r->trust.epoch_after, &g->far_after);
	}
	s->numbers->received += (unsigned)p->measured;
	flight_set(&s->flight, p, FLIGHT_REPLIED);
	if (!r->has_follow_up)
		sender_complete(s, p, g->t3_ns, stamp_kind_of(r->method_out), 1);
	else
		flight_await(&s->flight, p, r->seq);
}

static void match(struct sender *s, const struct stamp_packet *r, const struct stamp *t4,
	const struct clock_reading *now)
{
	struct flight_probe *p = NULL;

	switch (flight_match(&s->flight, r->sender_seq, &p)) {
	case FLIGHT_REORDERED:
		s->numbers->reordered++;
		note_reply(s, p, r, t4, now);
		return;
	case FLIGHT_FIRST:
		note_reply(s, p, r, t4, now);
		return;
	case FLIGHT_DUPLICATE:
		s->numbers->duplicates++;
		return;
	case FLIGHT_LATE:
		s->numbers->late_replies++;
		return;
	case FLIGHT_STRANGE:
		s->numbers->foreign++;
		return;
	}
}

/* The instant of arrival. Without a stamp of its kind it is the host's, and no sample is made of it. */
static void read_t4(struct sender *s, const struct ether_packet *p, struct stamp *t4,
	struct clock_reading *now)
{
	struct stamp software = { .kind = STAMP_SOFTWARE, .tick = t4->tick };

	hwclock_check_rx(s->hw, p->carrier, t4);
	if (t4->kind == STAMP_NONE || hwclock_read(s->hw, t4, now)) {
		t4->kind = STAMP_NONE;
		hwclock_read(s->hw, &software, now);
	}
}

static int is_for_us(const struct sender *s, const struct ether_packet *p, const struct stamp_packet *r)
{
	return p->udp.src_port == s->config.remote_port && r->ssid == s->config.ssid;
}

void sender_input(struct sender *s, const struct ether_packet *p, const struct port_frame *f, int64_t now_ns)
{
	struct stamp t4 = f->stamp;
	struct clock_reading now;
	struct stamp_packet r;
	struct gate_end far;

	s->clock->ops->read(s->clock, t4.tick, &now);
	if (stamp_decode(p->payload, p->len, STAMP_REFLECTOR, now.ns, &r)) {
		s->numbers->malformed++;
		return;
	}
	if (!is_for_us(s, p, &r)) {
		s->numbers->foreign++;
		return;
	}
	sender_poll_stamps(s);
	read_t4(s, p, &t4, &now);
	note_kinds(s, &r);
	follow_up(s, &r);	/* before the gate hears of the far end's newer epoch */
	match(s, &r, &t4, &now);
	sender_test_reply(&s->test, p->carrier,
			  r.has_timestamp_info ? stamp_kind_of(r.method_in) : STAMP_SOFTWARE);
	if (r.has_trust) {
		ends_from_trust(&r.trust, r.trust.epoch_after, &far);
		gate_far(s->gate, &far, now_ns);
	}
	gate_near(s->gate, &now.end, now_ns);
}

/* Sending. */

static int64_t due_ns(const struct sender *s)
{
	return s->start_ns + (int64_t)((unsigned __int128)s->scheduled * NS_PER_S / (uint64_t)s->config.rate);
}

static int transmit(struct sender *s, struct flight_probe *p)
{
	struct stamp_packet packet = {
		.seq = (uint32_t)p->seq, .ssid = s->config.ssid,
		.has_timestamp_info = 1, .has_follow_up = 1, .has_trust = 1,
	};
	struct net_stamp stamp = { .base_tick = s->clock->ops->ticks(s->clock) };
	struct clock_reading r;
	uint8_t *payload;
	size_t room;
	int len;

	hwclock_page(s->hw, stamp.base_tick, &r);
	stamp.base_ns = r.ns;
	ends_to_error(&r, &packet.error);
	ends_to_trust(&r, &packet.trust);
	stamp.ptp_format = packet.error.ptp_format;
	payload = net_payload(s->net, &room);
	len = stamp_encode(payload, room, STAMP_SENDER, &packet);
	if (len < 0)
		return len;
	p->carrier = s->net->carrier;
	return net_send(s->net, s->net->remote_mac, s->config.remote_port, (size_t)len, &stamp,
			&p->departure);
}

static void note_departure(struct sender *s, struct flight_probe *p)
{
	p->sent_ns = clock_mono_ns(s->clock, p->departure.tick);
	p->sample.mono_ns = p->sent_ns;
	s->last_sent_ns = p->sent_ns;
	flight_set(&s->flight, p, FLIGHT_SENT);
	sender_await_t1(s, p);
}

static void make_room(struct sender *s)
{
	struct flight_probe *p = flight_oldest(&s->flight);

	if (p && flight_full(&s->flight)) {
		give_up(s, p);
		flight_oldest(&s->flight);
	}
}

/* Returns when it left, or when that failed. */
static int64_t send_probe(struct sender *s, int measured)
{
	struct flight_probe *p;

	sender_poll_stamps(s);
	make_room(s);
	p = flight_take(&s->flight);
	p->measured = measured;
	if (transmit(s, p)) {
		s->numbers->send_failed += (unsigned)measured;
		return clock_mono_ns(s->clock, s->clock->ops->ticks(s->clock));
	}
	note_departure(s, p);
	s->numbers->sent += (unsigned)measured;
	return p->sent_ns;
}

static void send_scheduled(struct sender *s, int64_t due)
{
	int64_t late_ns = send_probe(s, 1) - due;

	s->scheduled++;
	s->numbers->send_late += late_ns > LATE_NS;
	if (late_ns > s->numbers->send_late_max_ns)
		s->numbers->send_late_max_ns = late_ns;
}

static int schedule_over(const struct sender *s, int64_t due)
{
	return (s->config.count && s->scheduled == s->config.count) ||
	       (s->config.span_ns && due - s->start_ns >= s->config.span_ns);
}

/* Where stamps are scarce a slow link could make the schedule last for ever. */
static void drop_overdue(struct sender *s, int64_t now_ns)
{
	uint64_t all;

	if (!s->config.span_ns || now_ns - s->start_ns < s->config.span_ns + LINGER_NS)
		return;
	all = (uint64_t)((unsigned __int128)s->config.span_ns * (uint64_t)s->config.rate / NS_PER_S);
	if (s->config.count && s->config.count < all)
		all = s->config.count;
	if (all <= s->scheduled)
		return;
	s->numbers->send_failed += all - s->scheduled;
	s->scheduled = all;
}

static void run(struct sender *s, int64_t now_ns)
{
	for (int i = 0; i < BURST_MAX; i++) {
		int64_t due = due_ns(s);

		if (schedule_over(s, due)) {
			s->phase = LINGERING;
			s->ends_ns = now_ns + LINGER_NS;
			s->linger_due_ns = due;
			return;
		}
		if (due > now_ns)
			return;
		if (sender_slots_full(s, now_ns)) {
			drop_overdue(s, now_ns);
			return;
		}
		send_scheduled(s, due);
	}
}

static void linger(struct sender *s, int64_t now_ns)
{
	if (now_ns < s->linger_due_ns)
		return;
	s->linger_due_ns = now_ns + LINGER_STEP_NS;
	send_probe(s, 0);
}

/* What is sent here is not measured. */
static void test(struct sender *s, int64_t now_ns)
{
	if (!sender_test_next(&s->test, s->hw, now_ns, &s->net->carrier)) {
		s->phase = RUNNING;
		s->start_ns = now_ns;
		s->numbers->carrier = (uint8_t)s->net->carrier;
		return;
	}
	if (now_ns < s->test.due_ns || sender_slots_full(s, now_ns))
		return;
	s->test.due_ns = now_ns + SENDER_TEST_STEP_NS;
	send_probe(s, 0);
}

/* The run. */

static void hear_near(struct sender *s, int64_t now_ns)
{
	struct clock_reading r;

	if (now_ns < s->gate_due_ns)
		return;
	s->gate_due_ns = now_ns + GATE_NS;
	hwclock_page(s->hw, s->clock->ops->ticks(s->clock), &r);
	gate_near(s->gate, &r.end, now_ns);
}

void sender_work(struct sender *s, int64_t now_ns)
{
	sender_poll_stamps(s);
	if (s->phase == RESOLVING && s->net->resolved) {
		s->phase = TESTING;
		sender_test_init(&s->test, s->hw, s->config.carrier, s->net->self.vlan != 0);
	}
	if (s->phase == TESTING)
		test(s, now_ns);
	if (s->phase == RUNNING)
		run(s, now_ns);
	else if (s->phase == LINGERING)
		linger(s, now_ns);
	expire(s, now_ns);
	hear_near(s, now_ns);
}

/* While stamps are scarce what comes next is a reply, not a probe. */
static int64_t next_send_ns(const struct sender *s, int64_t now_ns)
{
	if ((s->phase == RUNNING || s->phase == TESTING) && sender_slots_full(s, now_ns))
		return INT64_MAX;
	if (s->phase == RUNNING)
		return due_ns(s);
	if (s->phase == TESTING)
		return s->test.due_ns;
	return s->phase == LINGERING ? s->linger_due_ns : INT64_MAX;
}

void sender_pace(const struct sender *s, int64_t now_ns, struct pace *out)
{
	int64_t next_ns = next_send_ns(s, now_ns);

	out->hot_from_ns = next_ns == INT64_MAX ? next_ns : next_ns - PACE_LEAD_NS;
	out->sleep_max_ns = IDLE_SLEEP_NS;
	if (s->flight.unanswered)
		out->sleep_max_ns = WARM_SLEEP_NS;
	if (flight_newest_open(&s->flight) && now_ns - s->last_sent_ns < REPLY_HOT_NS)
		out->hot_from_ns = now_ns;
}

void sender_stop(struct sender *s, int64_t now_ns)
{
	if (s->phase == STOPPING)
		return;
	s->phase = STOPPING;
	s->ends_ns = now_ns + STOP_NS;
}

int sender_done(const struct sender *s, int64_t now_ns)
{
	if (s->phase == STOPPING)
		return !s->flight.unanswered || now_ns >= s->ends_ns;
	if (s->phase != LINGERING)
		return 0;
	return now_ns >= s->ends_ns || (!s->flight.open && !gate_numbers(s->gate)->waiting);
}

void sender_finish(struct sender *s)
{
	struct flight_probe *p;

	while ((p = flight_oldest(&s->flight))) {
		sender_give_up_t1(p);
		if (p->state == FLIGHT_REPLIED && p->followed)
			sender_sample(s, p);
		else if (p->state == FLIGHT_REPLIED)
			sender_complete(s, p, p->sample.t3_ns, STAMP_SOFTWARE, 0);
		else
			give_up(s, p);
	}
	gate_finish(s->gate);
}
