#include "reflector.h"

#include <string.h>
#include "ends.h"
#include "nstime.h"
#include "stamp.h"

#define SHORT_SLEEP_NS	(50 * NS_PER_US)	/* a frame may come at any time */
#define LONG_SLEEP_NS	(500 * NS_PER_US)	/* the schedule is steady, or nobody sends */
#define IDLE_NS		(2 * NS_PER_S)

void reflector_init(struct reflector *r, struct net *net, const struct clock *clock,
	struct probe_numbers *numbers)
{
	memset(r, 0, sizeof(*r));
	r->net = net;
	r->clock = clock;
	r->numbers = numbers;
}

static struct reflector_session *oldest(struct reflector *r)
{
	struct reflector_session *found = &r->session[0];

	if (r->sessions < REFLECTOR_SESSIONS)
		return &r->session[r->sessions++];
	for (int i = 1; i < REFLECTOR_SESSIONS; i++)
		if (r->session[i].used_ns < found->used_ns)
			found = &r->session[i];
	return found;
}

static struct reflector_session *session_of(struct reflector *r, uint16_t port, uint16_t ssid)
{
	struct reflector_session *s;

	for (int i = 0; i < r->sessions; i++)
		if (r->session[i].port == port && r->session[i].ssid == ssid)
			return &r->session[i];
	s = oldest(r);
	*s = (struct reflector_session){ .port = port, .ssid = ssid };
	return s;
}

static void fill_reply(const struct reflector *r, const struct reflector_session *s,
	const struct ether_packet *p, const struct port_frame *f, const struct clock_reading *t2,
	struct stamp_packet *reply)
{
	const struct clock *c = r->clock;
	struct clock_reading before_t3;

	*reply = (struct stamp_packet){
		.seq = s->seq, .receive_ns = t2->ns, .sender_ttl = p->udp.ttl,
		.sync_in = (uint8_t)ends_sync(t2), .sync_out = (uint8_t)ends_sync(t2),
		.method_in = (uint8_t)stamp_method_of(f->stamp.kind), .method_out = STAMP_METHOD_SOFTWARE,
		.follow_up_seq = s->seq - 1, .follow_up_ns = s->left_ns, .follow_up_method = s->method,
	};
	c->ops->read(c, c->ops->ticks(c), &before_t3);
	ends_to_error(t2, &reply->error);
	ends_to_trust(&before_t3, &reply->trust);
	reply->trust.epoch_before = t2->end.epoch;
	reply->trust.page_ns = t2->ns;
}

static void note_departure(struct reflector *r, struct reflector_session *s, const struct clock_reading *t2,
	uint64_t t2_tick, uint64_t t3_tick, uint32_t epoch_said)
{
	struct clock_reading t3;

	r->clock->ops->read(r->clock, t3_tick, &t3);
	s->left_ns = t2->ns + clock_span_ns(r->clock, t2_tick, t3_tick);
	s->method = t3.end.epoch == epoch_said ? STAMP_METHOD_SOFTWARE : STAMP_METHOD_NONE;
}

static void reflect(struct reflector *r, struct reflector_session *s, const struct ether_packet *p,
	const struct port_frame *f, const struct clock_reading *t2)
{
	struct net_stamp stamp = { .base_ns = t2->ns, .base_tick = f->stamp.tick };
	struct stamp_packet reply;
	struct port_sent sent;
	size_t room;
	uint8_t *payload = net_payload(r->net, &room);

	fill_reply(r, s, p, f, t2, &reply);
	stamp.ptp_format = reply.error.ptp_format;
	memcpy(payload, p->payload, p->len);
	stamp_reflect(payload, p->len, &reply);
	s->method = STAMP_METHOD_NONE;
	if (net_send(r->net, p->udp.src_mac, p->udp.src_port, p->len, &stamp, &sent)) {
		r->numbers->send_failed++;
		return;
	}
	s->seq++;
	r->numbers->reflected++;
	note_departure(r, s, t2, f->stamp.tick, sent.tick, reply.trust.epoch_after);
}

static void note_far(struct reflector *r, const struct port_frame *f)
{
	r->numbers->rx_stamp = (uint8_t)f->stamp.kind;
	r->numbers->received++;
}

void reflector_input(struct reflector *r, const struct ether_packet *p, const struct port_frame *f,
	int64_t now_ns)
{
	struct reflector_session *s;
	struct stamp_packet request;
	struct clock_reading t2;
	size_t room;

	r->clock->ops->read(r->clock, f->stamp.tick, &t2);
	net_payload(r->net, &room);
	if (p->len > room || stamp_decode(p->payload, p->len, STAMP_SENDER, t2.ns, &request)) {
		r->numbers->malformed++;
		return;
	}
	note_far(r, f);
	s = session_of(r, p->udp.src_port, request.ssid);
	s->used_ns = r->last_ns = now_ns;
	reflect(r, s, p, f, &t2);
	pace_arrived(&r->arrivals, request.seq, request.timestamp_ns, clock_mono_ns(r->clock, f->stamp.tick));
}

void reflector_pace(const struct reflector *r, int64_t now_ns, struct pace *out)
{
	int64_t next_ns = pace_expected_ns(&r->arrivals, now_ns);

	out->hot_from_ns = next_ns == INT64_MAX ? next_ns : next_ns - PACE_LEAD_NS;
	out->sleep_max_ns = r->arrivals.hits == PACE_STEADY ? LONG_SLEEP_NS : SHORT_SLEEP_NS;
	if (r->last_ns && now_ns - r->last_ns <= IDLE_NS)
		return;
	out->hot_from_ns = INT64_MAX;
	out->sleep_max_ns = LONG_SLEEP_NS;
}
