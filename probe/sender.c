#include "sender.h"

#include <stdlib.h>
#include "ends.h"
#include "flight.h"
#include "nstime.h"
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

enum phase { RESOLVING, RUNNING, LINGERING, STOPPING };

struct sender {
	struct sender_config config;
	struct net *net;
	const struct clock *clock;
	struct gate *gate;
	struct hist_sum *rtt;
	struct probe_numbers *numbers;
	enum phase phase;
	int64_t start_ns, ends_ns, last_sent_ns, linger_due_ns, gate_due_ns;
	uint64_t scheduled;	/* measured probes so far, sent or failed */
	struct flight flight;
};

struct sender *sender_new(const struct sender_config *config, struct net *net, const struct clock *clock,
	struct gate *gate, struct hist_sum *rtt, struct probe_numbers *numbers)
{
	struct sender *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->config = *config;
	s->net = net;
	s->clock = clock;
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

/* A sample with the far end's real stamps, or with what stands in the reply itself: then it counts for
 * the round trip alone. */
static void complete(struct sender *s, struct flight_probe *p, int64_t t3_ns, int has_stamps)
{
	struct gate_sample *g = &p->sample;
	int64_t away_ns = clock_span_ns(s->clock, p->t1_tick, p->t4_tick);

	flight_set(&s->flight, p, FLIGHT_DONE);
	if (!p->measured)
		return;
	g->t3_ns = t3_ns;
	g->has_stamps = has_stamps;
	if (t3_ns < g->t2_ns || t3_ns - g->t2_ns > away_ns) {
		s->numbers->malformed++;
		return;
	}
	g->rtt_ns = away_ns - (t3_ns - g->t2_ns);
	hist_sum_record(s->rtt, g->rtt_ns);
	gate_add(s->gate, g);
}

static void give_up(struct sender *s, struct flight_probe *p)
{
	if (p->state == FLIGHT_REPLIED) {
		s->numbers->follow_up_lost += (unsigned)p->measured;
		complete(s, p, p->sample.t3_ns, 0);
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
	struct flight_probe *p;

	if (!r->has_follow_up || r->follow_up_method == STAMP_METHOD_NONE)
		return;
	s->numbers->far_tx_stamp = (uint8_t)stamp_kind_of(r->follow_up_method);
	p = flight_followed(&s->flight, r->follow_up_seq);
	if (p)
		complete(s, p, r->follow_up_ns, 1);
}

static void note_kinds(struct sender *s, const struct stamp_packet *r, const struct port_frame *f)
{
	s->numbers->rx_stamp = (uint8_t)f->stamp.kind;
	if (!r->has_timestamp_info)
		return;
	s->numbers->far_rx_stamp = (uint8_t)stamp_kind_of(r->method_in);
	if (!r->has_follow_up)
		s->numbers->far_tx_stamp = (uint8_t)stamp_kind_of(r->method_out);
}

static void note_reply(struct sender *s, struct flight_probe *p, const struct stamp_packet *r,
	const struct port_frame *f, const struct clock_reading *now)
{
	struct gate_sample *g = &p->sample;

	p->t4_tick = f->stamp.tick;
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
		complete(s, p, g->t3_ns, 1);
	else
		flight_await(&s->flight, p, r->seq);
}

static void match(struct sender *s, const struct stamp_packet *r, const struct port_frame *f,
	const struct clock_reading *now)
{
	struct flight_probe *p = NULL;

	switch (flight_match(&s->flight, r->sender_seq, &p)) {
	case FLIGHT_REORDERED:
		s->numbers->reordered++;
		note_reply(s, p, r, f, now);
		return;
	case FLIGHT_FIRST:
		note_reply(s, p, r, f, now);
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

void sender_input(struct sender *s, const struct ether_packet *p, const struct port_frame *f, int64_t now_ns)
{
	struct clock_reading now;
	struct stamp_packet r;
	struct gate_end far;

	s->clock->ops->read(s->clock, f->stamp.tick, &now);
	if (stamp_decode(p->payload, p->len, STAMP_REFLECTOR, now.ns, &r)) {
		s->numbers->malformed++;
		return;
	}
	if (p->udp.src_port != s->config.remote_port || r.ssid != s->config.ssid) {
		s->numbers->foreign++;
		return;
	}
	note_kinds(s, &r, f);
	follow_up(s, &r);	/* before the gate hears of the far end's newer epoch */
	match(s, &r, f, &now);
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
	struct port_sent sent = { 0 };
	struct clock_reading r;
	uint8_t *payload;
	size_t room;
	int len, err;

	s->clock->ops->read(s->clock, stamp.base_tick, &r);
	stamp.base_ns = r.ns;
	ends_to_error(&r, &packet.error);
	ends_to_trust(&r, &packet.trust);
	stamp.ptp_format = packet.error.ptp_format;
	payload = net_payload(s->net, &room);
	len = stamp_encode(payload, room, STAMP_SENDER, &packet);
	if (len < 0)
		return len;
	err = net_send(s->net, s->net->remote_mac, s->config.remote_port, (size_t)len, &stamp, &sent);
	p->t1_tick = sent.tick;
	return err;
}

static void note_departure(struct sender *s, struct flight_probe *p)
{
	struct clock_reading r;

	s->clock->ops->read(s->clock, p->t1_tick, &r);
	p->sent_ns = clock_mono_ns(s->clock, p->t1_tick);
	p->sample.mono_ns = p->sent_ns;
	p->sample.t1_ns = r.ns;
	p->sample.near_before = r.end;
	s->last_sent_ns = p->sent_ns;
	flight_set(&s->flight, p, FLIGHT_SENT);
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

/* The run. */

static void hear_near(struct sender *s, int64_t now_ns)
{
	struct clock_reading r;

	if (now_ns < s->gate_due_ns)
		return;
	s->gate_due_ns = now_ns + GATE_NS;
	s->clock->ops->read(s->clock, s->clock->ops->ticks(s->clock), &r);
	gate_near(s->gate, &r.end, now_ns);
}

void sender_work(struct sender *s, int64_t now_ns)
{
	if (s->phase == RESOLVING && s->net->resolved) {
		s->phase = RUNNING;
		s->start_ns = now_ns;
	}
	if (s->phase == RUNNING)
		run(s, now_ns);
	else if (s->phase == LINGERING)
		linger(s, now_ns);
	expire(s, now_ns);
	hear_near(s, now_ns);
}

static int64_t next_send_ns(const struct sender *s)
{
	if (s->phase == RUNNING)
		return due_ns(s);
	return s->phase == LINGERING ? s->linger_due_ns : INT64_MAX;
}

void sender_pace(const struct sender *s, int64_t now_ns, struct pace *out)
{
	int64_t next_ns = next_send_ns(s);

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
		if (p->state == FLIGHT_REPLIED)
			complete(s, p, p->sample.t3_ns, 0);
		else
			give_up(s, p);
	}
	gate_finish(s->gate);
}
