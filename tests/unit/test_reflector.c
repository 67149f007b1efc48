#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "probe/bytes.h"
#include "probe_pair.h"

/* A reflector at the far end, and frames from the near end made by hand. */
static int setup(void **state)
{
	struct sim_config wire = { .seed = 1 };
	struct sender_config config = pair_config(1000, 0);

	*state = pair_new(&wire, &config);
	return 0;
}

static int teardown(void **state)
{
	pair_free(*state);
	return 0;
}

static struct stamp_packet request(uint32_t seq)
{
	struct stamp_packet q = { .seq = seq, .ssid = SSID, .timestamp_ns = PAGE + (int64_t)seq * NS_PER_MS,
				  .error = { .error_ns = 500 },
				  .has_timestamp_info = 1, .has_follow_up = 1, .has_trust = 1 };

	return q;
}

/* Sends `len` bytes of payload to the reflector, from a port, and lets it work. */
static void send_bytes(struct pair *p, const uint8_t *payload, size_t len, uint16_t from)
{
	struct ether_udp u = { .src_ip = NEAR_IP, .dst_ip = FAR_IP, .src_port = from,
			       .dst_port = STAMP_UDP_PORT, .ttl = 64 };
	uint8_t frame[PORT_FRAME_MAX];
	struct port *port = sim_port(p->sim, NEAR);
	struct port_sent sent;

	port->ops->mac(port, u.src_mac);
	sim_port(p->sim, FAR)->ops->mac(sim_port(p->sim, FAR), u.dst_mac);
	memcpy(frame + ether_payload_offset(0), payload, len);
	port->ops->transmit(port, frame, ether_udp_put(frame, &u, len), 0, NULL, NULL, &sent);
	pair_poll_far(p);
}

static void send_request(struct pair *p, const struct stamp_packet *q, uint16_t from)
{
	uint8_t payload[STAMP_FULL];

	send_bytes(p, payload, (size_t)stamp_encode(payload, sizeof(payload), STAMP_SENDER, q), from);
}

/* The reply that has just left, as its receiver takes it. */
static void last_reply(struct pair *p, struct stamp_packet *out, struct ether_packet *packet)
{
	struct ether_self self = { .ip = NEAR_IP, .port = NEAR_PORT };
	const uint8_t *frame;
	size_t len;

	frame = sim_last(p->sim, FAR, &len);
	assert_non_null(frame);
	sim_port(p->sim, NEAR)->ops->mac(sim_port(p->sim, NEAR), self.mac);
	self.port = get16(frame + 36);
	assert_int_equal(ether_parse(&self, frame, len, packet), ETHER_UDP);
	assert_int_equal(stamp_decode(packet->payload, packet->len, STAMP_REFLECTOR, PAGE, out), 0);
}

static void test_reply(void **state)
{
	struct pair *p = *state;
	struct stamp_packet q = request(41), r;
	struct ether_packet packet;

	sim_advance(p->sim, 7 * NS_PER_MS);
	send_request(p, &q, NEAR_PORT);
	last_reply(p, &r, &packet);
	assert_int_equal(packet.len, STAMP_FULL);
	assert_int_equal(packet.udp.ttl, 255);
	assert_int_equal(packet.udp.src_port, STAMP_UDP_PORT);
	assert_int_equal(packet.udp.dst_port, NEAR_PORT);
	assert_int_equal(r.seq, 0);
	assert_int_equal(r.ssid, SSID);
	assert_int_equal(r.sender_seq, 41);
	assert_int_equal(r.sender_timestamp_ns, q.timestamp_ns);
	assert_int_equal(r.sender_error.error_ns, 503);	/* 135 * 2^4 * 2^-32 s */
	assert_int_equal(r.sender_ttl, 64);
	assert_int_equal(r.receive_ns, PAGE + 7 * NS_PER_MS);
	assert_int_equal(r.timestamp_ns, PAGE + 7 * NS_PER_MS);
	assert_int_equal(r.method_in, STAMP_METHOD_SOFTWARE);
	assert_int_equal(r.method_out, STAMP_METHOD_SOFTWARE);
	assert_int_equal(r.sync_in, STAMP_SYNC_PTP);
	assert_int_equal(r.has_follow_up, 1);
	assert_int_equal(r.follow_up_method, STAMP_METHOD_NONE);	/* there was none before */
	assert_int_equal(r.trust.state, TSV_TRUSTED);
	assert_int_equal(r.trust.epoch_before, 3);
	assert_int_equal(r.trust.epoch_after, 3);
	assert_int_equal(r.trust.parent[0], 1);
	assert_int_equal(p->numbers[FAR].reflected, 1);
}

static void test_follow_up_is_the_reply_before(void **state)
{
	struct pair *p = *state;
	struct stamp_packet q = request(1), r;
	struct ether_packet packet;

	send_request(p, &q, NEAR_PORT);
	sim_advance(p->sim, NS_PER_MS);
	q = request(2);
	send_request(p, &q, NEAR_PORT);
	last_reply(p, &r, &packet);
	assert_int_equal(r.seq, 1);
	assert_int_equal(r.follow_up_seq, 0);
	assert_int_equal(r.follow_up_ns, PAGE);
	assert_int_equal(r.follow_up_method, STAMP_METHOD_SOFTWARE);
}

static void test_sessions_count_for_themselves(void **state)
{
	struct pair *p = *state;
	struct stamp_packet q = request(1), other = request(9), r;
	struct ether_packet packet;

	other.ssid++;
	for (uint32_t i = 0; i < 3; i++) {
		send_request(p, &q, NEAR_PORT);
		last_reply(p, &r, &packet);
		assert_int_equal(r.seq, i);
		send_request(p, &other, NEAR_PORT);
		last_reply(p, &r, &packet);
		assert_int_equal(r.seq, i);
		send_request(p, &q, NEAR_PORT + 1);
		last_reply(p, &r, &packet);
		assert_int_equal(r.seq, i);
	}
}

static void test_the_quietest_session_makes_room(void **state)
{
	struct pair *p = *state;
	struct stamp_packet q = request(1), r;
	struct ether_packet packet;

	for (uint16_t i = 0; i < REFLECTOR_SESSIONS + 1; i++) {
		sim_advance(p->sim, NS_PER_MS);
		send_request(p, &q, (uint16_t)(NEAR_PORT + i));
	}
	send_request(p, &q, NEAR_PORT + 1);	/* kept */
	last_reply(p, &r, &packet);
	assert_int_equal(r.seq, 1);
	send_request(p, &q, NEAR_PORT);		/* pushed out, and now pushes another */
	last_reply(p, &r, &packet);
	assert_int_equal(r.seq, 0);
}

static void test_malformed_is_not_answered(void **state)
{
	struct pair *p = *state;
	struct stamp_packet q = request(1);
	uint8_t payload[STAMP_FULL] = { 0 };
	size_t len;

	send_bytes(p, payload, STAMP_BASE, NEAR_PORT);		/* multiplier 0 */
	stamp_encode(payload, sizeof(payload), STAMP_SENDER, &q);
	send_bytes(p, payload, STAMP_FULL - 1, NEAR_PORT);
	send_bytes(p, payload, STAMP_BASE - 1, NEAR_PORT);
	send_bytes(p, payload, 0, NEAR_PORT);
	assert_null(sim_last(p->sim, FAR, &len));
	assert_int_equal(p->numbers[FAR].malformed, 4);
	assert_int_equal(p->numbers[FAR].reflected, 0);
}

static void test_strangers_are_not_answered(void **state)
{
	struct pair *p = *state;
	struct stamp_packet q = request(1);
	size_t len;

	p->net[FAR].remote_ip = NEAR_IP + 5;
	send_request(p, &q, NEAR_PORT);
	assert_null(sim_last(p->sim, FAR, &len));
	assert_int_equal(p->numbers[FAR].foreign, 1);
}

static void test_unknown_tlvs_come_back(void **state)
{
	static const uint8_t tail[] = { 0x80, 200, 0, 2, 0xca, 0xfe };
	struct pair *p = *state;
	struct stamp_packet q = request(1), r;
	uint8_t payload[STAMP_FULL + sizeof(tail)];
	struct ether_packet packet;

	stamp_encode(payload, STAMP_FULL, STAMP_SENDER, &q);
	memcpy(payload + STAMP_FULL, tail, sizeof(tail));
	send_bytes(p, payload, sizeof(payload), NEAR_PORT);
	last_reply(p, &r, &packet);
	assert_int_equal(packet.len, sizeof(payload));
	assert_memory_equal(packet.payload + STAMP_FULL, tail, sizeof(tail));
	assert_int_equal(r.unknown_tlvs, 1);
	assert_int_equal(r.has_trust, 1);
}

static void test_base_packet(void **state)
{
	struct pair *p = *state;
	struct stamp_packet q = { .seq = 1, .timestamp_ns = PAGE }, r;
	struct ether_packet packet;

	send_request(p, &q, NEAR_PORT);
	last_reply(p, &r, &packet);
	assert_int_equal(packet.len, STAMP_BASE);
	assert_false(r.has_trust || r.has_follow_up);
}

static void test_largest_packet(void **state)
{
	struct pair *p = *state;
	struct stamp_packet q = { .seq = 1, .timestamp_ns = PAGE }, r;
	uint8_t payload[1472] = { 0 };
	struct ether_packet packet;

	stamp_encode(payload, STAMP_BASE, STAMP_SENDER, &q);
	payload[STAMP_BASE] = 0x80;
	payload[STAMP_BASE + 1] = STAMP_TLV_PADDING;
	put16(payload + STAMP_BASE + 2, (uint16_t)(sizeof(payload) - STAMP_BASE - 4));
	send_bytes(p, payload, sizeof(payload), NEAR_PORT);
	last_reply(p, &r, &packet);
	assert_int_equal(packet.len, sizeof(payload));
}

static void test_ptp_timescale(void **state)
{
	struct pair *p = *state;
	struct gate_end page = pair_page(FAR);
	struct stamp_packet q = request(1), r;
	struct ether_packet packet;

	page.flags |= TSV_PTP_SCALE;
	page.bound_utc_ns = 4000;
	pair_set_page(p, FAR, &page);
	send_request(p, &q, NEAR_PORT);
	last_reply(p, &r, &packet);
	assert_int_equal(r.error.ptp_format, 1);
	assert_int_equal(r.error.synced, 1);
	assert_true(r.error.error_ns >= 4000);
	assert_int_equal(r.sender_error.ptp_format, 0);
	assert_int_equal(r.receive_ns, PAGE);
}

static void test_no_page_is_said(void **state)
{
	struct pair *p = *state;
	struct gate_end nothing = { .bound_parent_ns = -1, .bound_gm_ns = -1, .bound_utc_ns = -1 };
	struct stamp_packet q = request(1), r;
	struct ether_packet packet;

	pair_set_page(p, FAR, &nothing);
	send_request(p, &q, NEAR_PORT);
	last_reply(p, &r, &packet);
	assert_int_equal(r.trust.state, TSV_UNKNOWN);
	assert_int_equal(r.trust.bound_parent_ns, -1);
	assert_int_equal(r.sync_in, STAMP_SYNC_LOCAL);
	assert_int_equal(r.error.synced, 0);
	assert_int_equal(r.error.error_ns, INT64_MAX);
}

static void test_failed_reply_gives_no_stamp(void **state)
{
	struct pair *p = *state;
	struct stamp_packet q = request(1), r;
	struct ether_packet packet;

	send_request(p, &q, NEAR_PORT);
	sim_refuse(p->sim, FAR, 1);
	send_request(p, &q, NEAR_PORT);
	assert_int_equal(p->numbers[FAR].send_failed, 1);
	send_request(p, &q, NEAR_PORT);
	last_reply(p, &r, &packet);
	assert_int_equal(r.seq, 1);
	assert_int_equal(r.follow_up_method, STAMP_METHOD_NONE);
}

static void test_answers_arp(void **state)
{
	struct pair *p = *state;
	struct ether_arp a = { .src_ip = NEAR_IP, .dst_ip = FAR_IP };
	struct ether_self self = { .ip = NEAR_IP };
	struct port *port = sim_port(p->sim, NEAR);
	uint8_t frame[64];
	const uint8_t *reply;
	struct ether_packet out;
	struct port_sent sent;
	size_t len;

	port->ops->mac(port, a.src_mac);
	port->ops->mac(port, self.mac);
	port->ops->transmit(port, frame, ether_arp_put(frame, &a), 0, NULL, NULL, &sent);
	pair_poll_far(p);
	reply = sim_last(p->sim, FAR, &len);
	assert_non_null(reply);
	assert_int_equal(ether_parse(&self, reply, len, &out), ETHER_ARP);
	assert_int_equal(out.arp.reply, 1);
	assert_int_equal(out.arp.src_ip, FAR_IP);
	assert_int_equal(p->numbers[FAR].arp_replies, 1);
}

static void test_pacing(void **state)
{
	struct pair *p = *state;
	struct pace pace;

	reflector_pace(&p->reflector, 0, &pace);
	assert_int_equal(pace.hot_from_ns, INT64_MAX);
	for (uint32_t i = 0; i < 10; i++) {
		struct stamp_packet q = request(i);

		sim_advance(p->sim, NS_PER_MS);
		send_request(p, &q, NEAR_PORT);
	}
	reflector_pace(&p->reflector, sim_now(p->sim), &pace);
	assert_int_equal(pace.hot_from_ns, sim_now(p->sim) + NS_PER_MS - PACE_LEAD_NS);
	reflector_pace(&p->reflector, sim_now(p->sim) + 3 * NS_PER_S, &pace);
	assert_int_equal(pace.hot_from_ns, INT64_MAX);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_reply),
		TEST(test_follow_up_is_the_reply_before),
		TEST(test_sessions_count_for_themselves),
		TEST(test_the_quietest_session_makes_room),
		TEST(test_malformed_is_not_answered),
		TEST(test_strangers_are_not_answered),
		TEST(test_unknown_tlvs_come_back),
		TEST(test_base_packet),
		TEST(test_largest_packet),
		TEST(test_ptp_timescale),
		TEST(test_no_page_is_said),
		TEST(test_failed_reply_gives_no_stamp),
		TEST(test_answers_arp),
		TEST(test_pacing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
