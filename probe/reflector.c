#include "reflector.h"

#include <errno.h>
#include <string.h>
#include "ends.h"
#include "nstime.h"
#include "stamp.h"

#define SHORT_SLEEP_NS	(50 * NS_PER_US)	/* a frame may come at any time */
#define LONG_SLEEP_NS	(500 * NS_PER_US)	/* the schedule is steady, or nobody sends */
#define IDLE_NS		(2 * NS_PER_S)

void reflector_init(struct reflector *r, struct net *net, struct probe_numbers *numbers)
{
	memset(r, 0, sizeof(*r));
	r->net = net;
	r->hw = net->hw;
	r->clock = net->clock;
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

/* When the reply before left. */

static void no_stamp(struct reflector_session *s)
{
	s->pending = 0;
	s->method = STAMP_METHOD_NONE;
}

static void take_t3(struct reflector *r, struct reflector_session *s, const struct stamp *t3)
{
	struct clock_reading page;

	no_stamp(s);
	if (t3->kind == STAMP_NONE || t3->kind != s->t2.kind || hwclock_read(r->hw, t3, &page))
		return;
	if (page.end.epoch != s->epoch_said)
		return;
	if (t3->kind == STAMP_HARDWARE && s->map_epoch != r->hw->map.epoch)
		return;
	s->left_ns = s->t2_ns + hwclock_span_ns(r->hw, &s->t2, t3);
	s->method = (uint8_t)stamp_method_of(t3->kind);
}

/* The next request is here before the stamp. The host's own tick does for a software stamp that is late. */
static void abandon(struct reflector *r, struct reflector_session *s)
{
	struct stamp handed_over = { .kind = STAMP_SOFTWARE, .tick = s->departure.tick };

	hwclock_abandon_tx(r->hw, s->carrier);
	take_t3(r, s, &handed_over);
}

static void ask_t3(struct reflector *r, struct reflector_session *s)
{
	struct stamp t3;

	if (s->pending && hwclock_check_tx(r->hw, s->carrier, &s->departure, &t3) != -EAGAIN)
		take_t3(r, s, &t3);
}

void reflector_work(struct reflector *r)
{
	for (int i = 0; i < r->sessions; i++)
		ask_t3(r, &r->session[i]);
}

/* The reply. */

static void fill_reply(const struct reflector *r, const struct reflector_session *s,
	const struct ether_packet *p, const struct clock_reading *t2, const struct clock_reading *now,
	struct stamp_packet *reply)
{
	struct clock_reading said = *now;
	int64_t half_ns = hwclock_half_ns(r->hw, &s->t2);

	*reply = (struct stamp_packet){
		.seq = s->seq, .receive_ns = t2->ns, .sender_ttl = p->udp.ttl,
		.sync_in = (uint8_t)ends_sync(t2), .sync_out = (uint8_t)ends_sync(t2),
		.method_in = (uint8_t)stamp_method_of(s->t2.kind), .method_out = STAMP_METHOD_SOFTWARE,
		.follow_up_seq = s->seq - 1, .follow_up_ns = s->left_ns, .follow_up_method = s->method,
	};
	if (half_ns > 0)
		hwclock_widen(&said, half_ns);
	ends_to_error(t2, &reply->error);
	ends_to_trust(&said, &reply->trust);
	reply->trust.epoch_before = t2->end.epoch;
	reply->trust.page_ns = t2->ns;
}

static void note_departure(struct reflector *r, struct reflector_session *s, const struct clock_reading *t2,
	uint32_t epoch_said)
{
	s->seq++;
	r->numbers->reflected++;
	s->pending = 1;
	s->t2_ns = t2->ns;
	s->epoch_said = epoch_said;
	s->map_epoch = r->hw->map.epoch;
	ask_t3(r, s);
}

/* In the reply itself stands when it is about to leave: after T2 by the host's ticks in between, or, where
 * T2 is hardware's, what the host says by itself. */
static void reflect(struct reflector *r, struct reflector_session *s, const struct ether_packet *p,
	const struct port_frame *f, const struct clock_reading *t2)
{
	struct net_stamp stamp = { .base_ns = t2->ns, .base_tick = f->stamp.tick };
	uint64_t tick = r->clock->ops->ticks(r->clock);
	struct clock_reading now;
	struct stamp_packet reply;
	uint8_t *payload;
	size_t room;

	hwclock_page(r->hw, tick, &now);
	fill_reply(r, s, p, t2, &now, &reply);
	if (s->t2.kind == STAMP_HARDWARE)
		stamp = (struct net_stamp){ .base_ns = now.ns, .base_tick = tick };
	stamp.ptp_format = reply.error.ptp_format;
	r->net->carrier = s->carrier = p->carrier;
	payload = net_payload(r->net, &room);
	memcpy(payload, p->payload, p->len);
	stamp_reflect(payload, p->len, &reply);
	no_stamp(s);
	if (net_send(r->net, p->udp.src_mac, p->udp.src_port, p->len, &stamp, &s->departure)) {
		r->numbers->send_failed++;
		return;
	}
	note_departure(r, s, t2, reply.trust.epoch_after);
}

static void note_far(struct reflector *r, enum carrier carrier)
{
	r->numbers->rx_stamp = r->numbers->tx_stamp = (uint8_t)hwclock_kind(r->hw, carrier);
	r->numbers->carrier = (uint8_t)carrier;
	r->numbers->received++;
}

/* The instant of arrival. Without a stamp of its kind it is the host's, and the reply says so. */
static void read_t2(struct reflector *r, const struct ether_packet *p, struct stamp *t2,
	struct clock_reading *out)
{
	struct stamp software = { .kind = STAMP_SOFTWARE, .tick = t2->tick };

	hwclock_check_rx(r->hw, p->carrier, t2);
	if (t2->kind == STAMP_NONE || hwclock_read(r->hw, t2, out)) {
		t2->kind = STAMP_NONE;
		hwclock_read(r->hw, &software, out);
	}
}

void reflector_input(struct reflector *r, const struct ether_packet *p, const struct port_frame *f,
	int64_t now_ns)
{
	struct reflector_session *s;
	struct stamp_packet request;
	struct clock_reading t2;
	struct stamp stamp = f->stamp;
	size_t room;

	r->clock->ops->read(r->clock, stamp.tick, &t2);
	r->net->carrier = p->carrier;
	net_payload(r->net, &room);
	if (p->len > room || stamp_decode(p->payload, p->len, STAMP_SENDER, t2.ns, &request)) {
		r->numbers->malformed++;
		return;
	}
	reflector_work(r);
	read_t2(r, p, &stamp, &t2);
	note_far(r, p->carrier);
	s = session_of(r, p->udp.src_port, request.ssid);
	s->used_ns = r->last_ns = now_ns;
	if (s->pending)
		abandon(r, s);
	s->t2 = stamp;
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
