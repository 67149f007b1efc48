#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "probe/bytes.h"
#include "probe_pair.h"
#include "rng.h"

static const struct probe_numbers *near_numbers(const struct pair *p)
{
	return &p->numbers[NEAR];
}

static struct pair *clean_pair(int64_t rate, uint64_t count)
{
	struct sim_config wire = pair_wire();
	struct sender_config config = pair_config(rate, count);

	return pair_new(&wire, &config);
}

/* Rounded up to the step in which a frame is seen. */
static void test_clean_run(void **state)
{
	struct pair *p = clean_pair(1000, 500);
	const struct gate_sums *sums = gate_sums(p->gate);

	(void)state;
	pair_finish(p);
	pair_assert_books(p);
	assert_int_equal(near_numbers(p)->sent, 500);
	assert_int_equal(near_numbers(p)->received, 500);
	assert_int_equal(near_numbers(p)->arp_requests, 1);
	assert_int_equal(near_numbers(p)->send_late, 0);
	assert_int_equal(near_numbers(p)->follow_up_lost, 0);
	assert_int_equal(near_numbers(p)->far_tx_stamp, STAMP_SOFTWARE);
	assert_int_equal(p->rtt.min_ns, THERE + BACK);
	assert_int_equal(p->rtt.max_ns, THERE + BACK);
	assert_int_equal(gate_numbers(p->gate)->admitted, 500);
	assert_int_equal(sums->ab_trusted.min_ns, THERE);
	assert_int_equal(sums->ab_trusted.max_ns, THERE);
	assert_int_equal(sums->ba_trusted.max_ns, BACK);
	assert_int_equal(gate_numbers(p->gate)->bound_max_ns, 2000);
	pair_free(p);
}

static void test_schedule_is_open_loop(void **state)
{
	struct pair *p = clean_pair(1000, 0);

	(void)state;
	p->deaf = 1;
	sim_advance(p->sim, NS_PER_MS);
	pair_resolve(p);
	pair_run(p, 100 * NS_PER_MS);
	assert_int_equal(near_numbers(p)->sent, 100);
	pair_free(p);
}

static void test_late_probes_are_sent_and_counted(void **state)
{
	struct pair *p = clean_pair(1000, 100);

	(void)state;
	pair_run(p, 20 * NS_PER_MS);
	sim_advance(p->sim, 10 * NS_PER_MS);	/* the host was busy */
	pair_finish(p);
	pair_assert_books(p);
	assert_int_equal(near_numbers(p)->sent, 100);
	assert_in_range(near_numbers(p)->send_late, 9, 10);
	assert_in_range(near_numbers(p)->send_late_max_ns, 9 * NS_PER_MS, 10 * NS_PER_MS);
	pair_free(p);
}

static void test_span_ends_the_run(void **state)
{
	struct sim_config wire = pair_wire();
	struct sender_config config = pair_config(1000, 0);
	struct pair *p;

	(void)state;
	config.span_ns = 50 * NS_PER_MS;
	p = pair_new(&wire, &config);
	pair_finish(p);
	assert_int_equal(near_numbers(p)->sent, 50);
	pair_assert_books(p);
	pair_free(p);
}

static void test_lost_request(void **state)
{
	struct pair *p = clean_pair(1000, 50);

	(void)state;
	pair_run(p, 20 * NS_PER_MS);
	sim_lose(p->sim, NEAR, 3);
	pair_finish(p);
	pair_assert_books(p);
	assert_int_equal(near_numbers(p)->lost, 3);
	assert_int_equal(near_numbers(p)->follow_up_lost, 0);
	assert_int_equal(gate_numbers(p->gate)->admitted, 47);
	pair_free(p);
}

/* The stamp of the reply before is lost with a reply. */
static void test_lost_reply_loses_the_stamp_before(void **state)
{
	struct pair *p = clean_pair(1000, 50);

	(void)state;
	pair_run(p, 20 * NS_PER_MS);
	sim_lose(p->sim, FAR, 1);
	pair_finish(p);
	pair_assert_books(p);
	assert_int_equal(near_numbers(p)->lost, 1);
	assert_int_equal(near_numbers(p)->follow_up_lost, 1);
	assert_int_equal(gate_numbers(p->gate)->refused[GATE_no_stamp], 1);
	assert_int_equal(gate_numbers(p->gate)->admitted, 48);
	assert_int_equal(p->rtt.count, 49);
	pair_free(p);
}

static void test_duplicates(void **state)
{
	struct pair *p = clean_pair(1000, 50);

	(void)state;
	pair_run(p, 20 * NS_PER_MS);
	sim_repeat(p->sim, NEAR, 2);	/* the reflector answers both */
	sim_repeat(p->sim, FAR, 1);
	pair_finish(p);
	pair_assert_books(p);
	assert_int_equal(near_numbers(p)->duplicates, 3);
	assert_int_equal(near_numbers(p)->received, 50);
	assert_int_equal(gate_numbers(p->gate)->admitted, 50);
	pair_free(p);
}

static void test_reordered(void **state)
{
	struct sim_config wire = pair_wire();
	struct sender_config config = pair_config(1000, 1000);
	struct pair *p;

	(void)state;
	wire.late_ppm = 50000;
	wire.late_ns = 3 * NS_PER_MS;
	p = pair_new(&wire, &config);
	pair_finish(p);
	pair_assert_books(p);
	assert_int_equal(near_numbers(p)->lost, 0);
	assert_in_range(near_numbers(p)->reordered, 20, 200);
	pair_free(p);
}

static void test_late_reply(void **state)
{
	struct pair *p = clean_pair(1000, 0);

	(void)state;
	pair_run(p, 20 * NS_PER_MS);
	p->deaf = 1;
	pair_run(p, 1100 * NS_PER_MS);
	assert_in_range(near_numbers(p)->lost, 99, 101);
	p->deaf = 0;
	pair_run(p, 100 * NS_PER_MS);
	sender_stop(p->sender, sim_now(p->sim));
	pair_finish(p);
	assert_int_equal(near_numbers(p)->late_replies, near_numbers(p)->lost);
	pair_assert_books(p);
	pair_free(p);
}

/* More than the ring holds: the oldest is given up before its second is over. */
static void test_more_in_flight_than_slots(void **state)
{
	struct pair *p = clean_pair(100000, 5000);

	(void)state;
	p->deaf = 1;
	pair_resolve(p);
	pair_run(p, 50 * NS_PER_MS);
	assert_int_equal(near_numbers(p)->sent, 5000);
	assert_int_equal(near_numbers(p)->lost, 5000 - 4096);
	p->deaf = 0;
	pair_finish(p);
	pair_assert_books(p);
	assert_in_range(near_numbers(p)->received, 4095, 4096);	/* one may make room for the lingering */
	assert_int_equal(near_numbers(p)->late_replies, near_numbers(p)->lost);
	pair_free(p);
}

static void test_no_room_to_send(void **state)
{
	struct pair *p = clean_pair(1000, 50);

	(void)state;
	pair_run(p, 20 * NS_PER_MS);
	sim_refuse(p->sim, NEAR, 4);
	pair_finish(p);
	pair_assert_books(p);
	assert_int_equal(near_numbers(p)->send_failed, 4);
	assert_int_equal(near_numbers(p)->sent, 46);
	pair_free(p);
}

static void test_unresolved(void **state)
{
	struct pair *p = clean_pair(1000, 50);

	(void)state;
	p->deaf = 1;
	pair_run(p, NS_PER_S);
	assert_int_equal(near_numbers(p)->sent, 0);
	assert_int_equal(near_numbers(p)->arp_requests, 5);
	p->deaf = 0;
	pair_finish(p);
	assert_int_equal(near_numbers(p)->received, 50);
	pair_free(p);
}

static void test_arp_is_kept_fresh(void **state)
{
	struct pair *p = clean_pair(100, 0);

	(void)state;
	pair_run(p, 21 * NS_PER_S);
	assert_int_equal(near_numbers(p)->arp_requests, 3);
	assert_int_equal(p->numbers[FAR].arp_replies, 3);
	pair_free(p);
}

/* At one probe in two seconds the follow-up takes longer than a reply may. */
static void test_slow_schedule(void **state)
{
	struct sim_config wire = pair_wire();
	struct sender_config config = pair_config(1, 4);
	struct pair *p = pair_new(&wire, &config);

	(void)state;
	pair_finish(p);
	pair_assert_books(p);
	assert_int_equal(near_numbers(p)->received, 4);
	assert_int_equal(near_numbers(p)->follow_up_lost, 0);
	assert_int_equal(gate_numbers(p->gate)->admitted, 4);
	pair_free(p);
}

/* A plain RFC 8762 reflector: stamps in the frame, TLVs sent back as they came. */
static void plain_reflector(struct pair *p, int with_tlvs)
{
	struct port *port = sim_port(p->sim, FAR);
	struct port_frame frames[PORT_BURST];
	int n = port->ops->receive(port, frames, PORT_BURST);

	for (int i = 0; i < n; i++) {
		struct ether_packet q;
		struct stamp_packet request, reply = { .error = { .error_ns = 1000 } };
		struct net_stamp stamp = { .base_ns = PAGE + sim_now(p->sim),
					   .base_tick = (uint64_t)sim_now(p->sim) };
		size_t room, len;
		struct port_sent sent;
		uint8_t *to;

		if (!net_input(&p->net[FAR], &frames[i], sim_now(p->sim), &q))
			continue;
		assert_int_equal(stamp_decode(q.payload, q.len, STAMP_SENDER, PAGE, &request), 0);
		reply.seq = request.seq;
		reply.receive_ns = stamp.base_ns;
		len = with_tlvs ? q.len : STAMP_BASE;
		to = net_payload(&p->net[FAR], &room);
		memcpy(to, q.payload, q.len);
		stamp_reflect(to, STAMP_BASE, &reply);
		net_send(&p->net[FAR], q.udp.src_mac, q.udp.src_port, len, &stamp, &sent);
	}
}

static void test_plain_reflector(void **state)
{
	(void)state;
	for (int with_tlvs = 0; with_tlvs < 2; with_tlvs++) {
		struct pair *p = clean_pair(1000, 50);

		p->deaf = 1;
		while (!sender_done(p->sender, sim_now(p->sim))) {
			pair_step(p);
			plain_reflector(p, with_tlvs);
		}
		sender_finish(p->sender);
		pair_assert_books(p);
		assert_int_equal(near_numbers(p)->received, 50);
		assert_int_equal(near_numbers(p)->malformed, 0);
		assert_int_equal(p->rtt.count, 50);
		assert_int_equal(gate_numbers(p->gate)->refused[GATE_no_trust], 50);
		assert_int_equal(gate_sums(p->gate)->ab_untrusted.max_ns, THERE);
		pair_free(p);
	}
}

/* Epochs and trust. */

static void test_new_epoch_in_flight(void **state)
{
	struct pair *p = clean_pair(1000, 300);
	struct gate_end page = pair_page(FAR);

	(void)state;
	pair_run(p, 150 * NS_PER_MS);
	page.epoch++;
	pair_set_page(p, FAR, &page);
	pair_finish(p);
	pair_assert_books(p);
	assert_in_range(gate_numbers(p->gate)->refused[GATE_withdrawn_far_epoch], 1, 120);
	assert_true(gate_numbers(p->gate)->admitted >= 150);
	pair_free(p);
}

/* A step of 1 ms on the far end: neither the round trip nor what was admitted before shows it. */
static void test_far_step(void **state)
{
	struct pair *p = clean_pair(1000, 1000);
	struct gate_end page = pair_page(FAR);

	(void)state;
	pair_run(p, 500 * NS_PER_MS);
	page.epoch++;
	page.state = TSV_LOCAL_RTT;
	sim_set_clock(p->sim, FAR, PAGE + NS_PER_MS, &page, 10 * NS_PER_MS);
	pair_finish(p);
	pair_assert_books(p);
	assert_int_equal(p->rtt.count, 1000);
	assert_int_equal(p->rtt.max_ns, THERE + BACK);
	assert_int_equal(gate_sums(p->gate)->ab_trusted.max_ns, THERE);
	assert_int_equal(gate_sums(p->gate)->ab_untrusted.max_ns, THERE + NS_PER_MS);
	assert_true(gate_numbers(p->gate)->refused[GATE_far_state] > 400);
	pair_free(p);
}

static void test_no_pages(void **state)
{
	struct pair *p = clean_pair(1000, 100);
	struct gate_end nothing = { .state = TSV_UNKNOWN, .bound_parent_ns = -1, .bound_gm_ns = -1,
				    .bound_utc_ns = -1 };

	(void)state;
	pair_set_page(p, NEAR, &nothing);
	pair_set_page(p, FAR, &nothing);
	pair_finish(p);
	pair_assert_books(p);
	assert_int_equal(p->rtt.count, 100);
	assert_int_equal(gate_numbers(p->gate)->admitted, 0);
	pair_free(p);
}

/* What answers nothing. */

static void feed(struct pair *p, const struct stamp_packet *r, size_t cut, uint16_t from_port)
{
	uint8_t payload[STAMP_FULL];
	int len = stamp_encode(payload, sizeof(payload), STAMP_REFLECTOR, r);
	struct ether_packet packet = { .payload = payload, .len = (size_t)len - cut };
	struct port_frame frame = { .stamp = { .kind = STAMP_SOFTWARE,
						.tick = (uint64_t)sim_now(p->sim) } };

	packet.udp.src_port = from_port;
	sender_input(p->sender, &packet, &frame, sim_now(p->sim));
}

static void test_strange_replies(void **state)
{
	struct pair *p = clean_pair(1000, 0);
	struct stamp_packet r = { .ssid = SSID, .sender_seq = 3, .receive_ns = PAGE, .timestamp_ns = PAGE,
				  .has_trust = 1 };

	(void)state;
	p->deaf = 1;
	pair_resolve(p);
	pair_run(p, 5500 * NS_PER_US);
	feed(p, &r, 1, STAMP_UDP_PORT);
	assert_int_equal(near_numbers(p)->malformed, 1);
	feed(p, &r, 0, 99);			/* another port */
	r.ssid++;
	feed(p, &r, 0, STAMP_UDP_PORT);		/* another session */
	r.ssid = SSID;
	r.sender_seq = 6;
	feed(p, &r, 0, STAMP_UDP_PORT);		/* not sent yet */
	assert_int_equal(near_numbers(p)->foreign, 3);
	r.sender_seq = 5;
	r.timestamp_ns = PAGE - 1;		/* left before it came */
	feed(p, &r, 0, STAMP_UDP_PORT);
	assert_int_equal(near_numbers(p)->malformed, 2);
	r.sender_seq = 4;
	r.timestamp_ns = PAGE + NS_PER_S;	/* stayed longer than it was away */
	feed(p, &r, 0, STAMP_UDP_PORT);
	assert_int_equal(near_numbers(p)->malformed, 3);
	assert_int_equal(p->rtt.count, 0);
	pair_free(p);
}

static void test_stop(void **state)
{
	struct pair *p = clean_pair(1000, 0);
	uint64_t sent;

	(void)state;
	pair_run(p, 50 * NS_PER_MS);
	sender_stop(p->sender, sim_now(p->sim));
	sent = near_numbers(p)->sent;
	p->deaf = 1;
	for (int64_t end = sim_now(p->sim) + 100 * NS_PER_MS; !sender_done(p->sender, sim_now(p->sim));) {
		pair_step(p);
		assert_true(sim_now(p->sim) <= end);
	}
	sender_finish(p->sender);
	assert_int_equal(near_numbers(p)->sent, sent);
	pair_assert_books(p);
	pair_free(p);
}

static void test_pacing(void **state)
{
	struct pair *p = clean_pair(1000, 0);
	struct pace pace;

	(void)state;
	sender_pace(p->sender, 0, &pace);
	assert_int_equal(pace.hot_from_ns, INT64_MAX);
	pair_resolve(p);
	pair_step(p);				/* the first probe has left */
	sender_pace(p->sender, sim_now(p->sim), &pace);
	assert_int_equal(pace_sleep_ns(&pace, sim_now(p->sim)), 0);
	pair_run(p, THERE + BACK);
	sender_pace(p->sender, sim_now(p->sim), &pace);
	assert_int_equal(pace.hot_from_ns, STEP + NS_PER_MS - PACE_LEAD_NS);
	assert_int_equal(pace_sleep_ns(&pace, pace.hot_from_ns), 0);
	pair_free(p);
}

static void test_any_wire(void **state)
{
	struct rng r = rng_seeded();

	(void)state;
	for (int i = 0; i < 30; i++) {
		struct sim_config wire = {
			.delay_ns = { (int64_t)rng_below(&r, 500000), (int64_t)rng_below(&r, 500000) },
			.jitter_ns = (int64_t)rng_below(&r, 2000000),
			.lost_ppm = (unsigned)rng_below(&r, 100000),
			.twice_ppm = (unsigned)rng_below(&r, 100000),
			.late_ppm = (unsigned)rng_below(&r, 50000),
			.late_ns = (int64_t)rng_below(&r, 1500000000),
			.seed = rng_next(&r),
		};
		struct sender_config config = pair_config(1 + (int64_t)rng_below(&r, 5000),
							  1 + rng_below(&r, 2000));
		struct pair *p = pair_new(&wire, &config);

		pair_finish(p);
		pair_assert_books(p);
		assert_int_equal(near_numbers(p)->sent, config.count);
		assert_true(p->rtt.count == 0 || p->rtt.min_ns >= wire.delay_ns[0] + wire.delay_ns[1]);
		assert_int_equal(gate_numbers(p->gate)->contradictions, 0);
		pair_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clean_run),
		cmocka_unit_test(test_schedule_is_open_loop),
		cmocka_unit_test(test_late_probes_are_sent_and_counted),
		cmocka_unit_test(test_span_ends_the_run),
		cmocka_unit_test(test_lost_request),
		cmocka_unit_test(test_lost_reply_loses_the_stamp_before),
		cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_reordered),
		cmocka_unit_test(test_late_reply),
		cmocka_unit_test(test_more_in_flight_than_slots),
		cmocka_unit_test(test_no_room_to_send),
		cmocka_unit_test(test_unresolved),
		cmocka_unit_test(test_arp_is_kept_fresh),
		cmocka_unit_test(test_slow_schedule),
		cmocka_unit_test(test_plain_reflector),
		cmocka_unit_test(test_new_epoch_in_flight),
		cmocka_unit_test(test_far_step),
		cmocka_unit_test(test_no_pages),
		cmocka_unit_test(test_strange_replies),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_pacing),
		cmocka_unit_test(test_any_wire),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
