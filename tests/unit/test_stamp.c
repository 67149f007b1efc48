#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "nstime.h"
#include "probe/stamp.h"
#include "probe/stamp_time.h"
#include "rng.h"

#define NOW	(INT64_C(1700000000) * NS_PER_S)
#define TLV(at)	(STAMP_BASE + (at))

static struct stamp_packet request(void)
{
	struct stamp_packet p = {
		.seq = 0x01020304, .timestamp_ns = NOW + 500000000, .ssid = 0xa1b2,
		.error = { .synced = 1, .error_ns = 1000 },
		.has_timestamp_info = 1, .has_follow_up = 1, .has_trust = 1,
		.trust = {
			.state = 2, .flags = 0x18, .domain = 127, .epoch_before = 7, .epoch_after = 8,
			.bound_parent_ns = 1000, .bound_gm_ns = -1, .bound_utc_ns = INT64_C(4294967294),
			.port_budget_ns = INT64_C(4294967295), .good_until_ns = NOW - 1, .page_ns = NOW,
			.parent = { 1, 2, 3, 4, 5, 6, 7, 8 }, .gm = { 9, 9, 9, 9, 9, 9, 9, 9 },
		},
	};

	return p;
}

static struct stamp_packet reply(void)
{
	struct stamp_packet p = request();

	p.seq = 77;
	p.receive_ns = NOW + 500001001;
	p.timestamp_ns = NOW + 500002003;
	p.sender_seq = 0x01020304;
	p.sender_timestamp_ns = NOW + 500000000;
	p.sender_error = (struct stamp_error_estimate){ .ptp_format = 1, .error_ns = 250 };
	p.sender_ttl = 255;
	p.sync_in = p.sync_out = STAMP_SYNC_PTP;
	p.method_in = p.method_out = STAMP_METHOD_SOFTWARE;
	p.follow_up_seq = 76;
	p.follow_up_ns = NOW + 499002003;
	p.follow_up_method = STAMP_METHOD_HARDWARE;
	return p;
}

/* Timestamps. */

static int64_t through(int64_t ns, int ptp_format, int64_t near_ns)
{
	uint8_t field[8];
	int64_t out = 0;

	stamp_time_encode(field, ns, ptp_format);
	assert_int_equal(stamp_time_decode(field, ptp_format, near_ns, &out), 0);
	return out;
}

static void test_known_timestamps(void **state)
{
	/* 2023-11-14 22:13:20.5 UTC: 1700000000 + 2208988800 = 0xe8fe6f80 */
	static const uint8_t ntp[8] = { 0xe8, 0xfe, 0x6f, 0x80, 0x80, 0, 0, 0 };
	static const uint8_t ptp[8] = { 0x65, 0x53, 0xf1, 0x00, 0x1d, 0xcd, 0x65, 0x00 };
	uint8_t field[8];

	(void)state;
	stamp_time_encode(field, NOW + 500000000, 0);
	assert_memory_equal(field, ntp, 8);
	stamp_time_encode(field, NOW + 500000000, 1);
	assert_memory_equal(field, ptp, 8);
}

static void test_nanoseconds_survive(void **state)
{
	struct rng r = rng_seeded();

	(void)state;
	for (int i = 0; i < 200000; i++) {
		int64_t ns = NOW + (int64_t)rng_below(&r, UINT64_C(2000000000000000000));

		for (int ptp = 0; ptp < 2; ptp++)
			assert_int_equal(through(ns, ptp, ns + (int64_t)rng_below(&r, 1000) * NS_PER_S), ns);
	}
	for (int64_t ns = NOW - 2; ns < NOW + 3; ns++)
		for (int ptp = 0; ptp < 2; ptp++)
			assert_int_equal(through(ns, ptp, NOW), ns);
	assert_int_equal(through(NOW + 999999999, 0, NOW), NOW + 999999999);
}

static void test_eras_are_resolved(void **state)
{
	int64_t half = (INT64_C(1) << 31) * NS_PER_S;
	int64_t era = INT64_C(2085978496) * NS_PER_S;	/* 2036-02-07: the NTP seconds start again */

	(void)state;
	for (int ptp = 0; ptp < 2; ptp++) {
		assert_int_equal(through(era + 1, ptp, era - NS_PER_S), era + 1);
		assert_int_equal(through(era - 1, ptp, era + NS_PER_S), era - 1);
		assert_int_equal(through(NOW + half - NS_PER_S, ptp, NOW), NOW + half - NS_PER_S);
		assert_int_equal(through(NOW - half, ptp, NOW), NOW - half);
		assert_int_equal(through(-5, ptp, 0), -5);
	}
}

static void test_impossible_timestamps(void **state)
{
	static const uint8_t full[8] = { 0, 0, 0, 1, 0x3b, 0x9a, 0xca, 0x00 };	/* 10^9 ns */
	uint8_t most[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	int64_t ns;

	(void)state;
	assert_int_equal(stamp_time_decode(full, 1, 0, &ns), -EBADMSG);
	assert_int_equal(stamp_time_decode(full, 0, NOW, &ns), 0);
	stamp_time_decode(most, 0, INT64_MAX, &ns);	/* whatever it says, no overflow */
	stamp_time_decode(most, 0, INT64_MIN, &ns);
}

/* Error estimates. */

static int64_t error_through(int64_t ns, uint16_t *word)
{
	struct stamp_error_estimate e = { .error_ns = ns }, out;

	*word = stamp_error_encode(&e);
	assert_int_equal(stamp_error_decode(*word, &out), 0);
	return out.error_ns;
}

static void test_error_is_rounded_up(void **state)
{
	struct rng r = rng_seeded();
	uint16_t word;

	(void)state;
	assert_int_equal(error_through(0, &word), 1);
	assert_int_equal(word, 0x0001);
	assert_int_equal(error_through(59, &word), 60);	/* 254 * 2^-32 s = 59.1 ns */
	assert_int_equal(word, 0x00fe);
	assert_int_equal(error_through(-1, &word), INT64_MAX);
	assert_int_equal(word, 0x3fff);
	for (int i = 0; i < 100000; i++) {
		int64_t ns = nstime_abs(rng_signed_log(&r)), out = error_through(ns, &word);

		assert_true(out >= ns);
		assert_true(out <= nstime_add(ns, ns / 100 + 2));
		assert_int_not_equal(word & 0xff, 0);
	}
}

static void test_error_flags(void **state)
{
	struct stamp_error_estimate e = { .synced = 1, .ptp_format = 1, .error_ns = 1 }, out;

	(void)state;
	assert_int_equal(stamp_error_encode(&e), 0xc005);
	assert_int_equal(stamp_error_decode(0x8001, &out), 0);
	assert_int_equal(out.synced, 1);
	assert_int_equal(out.ptp_format, 0);
	assert_int_equal(stamp_error_decode(0x4100, &out), -EBADMSG);
}

/* Packets. */

static void assert_same(const struct stamp_packet *a, const struct stamp_packet *b)
{
	assert_int_equal(a->seq, b->seq);
	assert_int_equal(a->timestamp_ns, b->timestamp_ns);
	assert_int_equal(a->ssid, b->ssid);
	assert_int_equal(a->error.synced, b->error.synced);
	assert_int_equal(a->error.ptp_format, b->error.ptp_format);
	assert_int_equal(a->trust.state, b->trust.state);
	assert_int_equal(a->trust.flags, b->trust.flags);
	assert_int_equal(a->trust.domain, b->trust.domain);
	assert_int_equal(a->trust.epoch_before, b->trust.epoch_before);
	assert_int_equal(a->trust.epoch_after, b->trust.epoch_after);
	assert_int_equal(a->trust.good_until_ns, b->trust.good_until_ns);
	assert_int_equal(a->trust.page_ns, b->trust.page_ns);
	assert_memory_equal(a->trust.parent, b->trust.parent, 8);
	assert_memory_equal(a->trust.gm, b->trust.gm, 8);
}

static void test_request_round_trip(void **state)
{
	struct stamp_packet p = request(), out;
	uint8_t buf[STAMP_FULL];

	(void)state;
	assert_int_equal(stamp_encode(buf, sizeof(buf), STAMP_SENDER, &p), STAMP_FULL);
	assert_int_equal(stamp_decode(buf, sizeof(buf), STAMP_SENDER, NOW, &out), 0);
	assert_same(&p, &out);
	assert_int_equal(out.trust.bound_parent_ns, 1000);
	assert_int_equal(out.trust.bound_gm_ns, -1);
	assert_int_equal(out.trust.bound_utc_ns, INT64_C(4294967294));
	assert_int_equal(out.trust.port_budget_ns, -1);	/* too large to say: none */
	assert_true(out.has_timestamp_info && out.has_follow_up && out.has_trust);
	assert_int_equal(out.unknown_tlvs, 0);
}

static void test_request_bytes(void **state)
{
	static const uint8_t head[16] = { 1, 2, 3, 4, 0xe8, 0xfe, 0x6f, 0x80, 0x80, 0, 0, 0,
					  0x85, 0x87, 0xa1, 0xb2 };
	static const uint8_t zero[28];
	static const uint8_t info[8] = { 0x80, 3, 0, 4, 0, 0, 0, 0 };
	static const uint8_t follow[20] = { 0x80, 7, 0, 16 };
	static const uint8_t trust[8] = { 0x80, 252, 0, 60, 2, 0x18, 127, 0 };
	struct stamp_packet p = request();
	uint8_t buf[STAMP_FULL];

	(void)state;
	stamp_encode(buf, sizeof(buf), STAMP_SENDER, &p);
	assert_memory_equal(buf, head, 16);
	assert_memory_equal(buf + 16, zero, 28);
	assert_memory_equal(buf + TLV(0), info, 8);
	assert_memory_equal(buf + TLV(8), follow, 20);
	assert_memory_equal(buf + TLV(28), trust, 8);
}

static void test_reply_round_trip(void **state)
{
	struct stamp_packet p = reply(), out;
	uint8_t buf[STAMP_FULL];

	(void)state;
	for (int ptp = 0; ptp < 2; ptp++) {
		p.error.ptp_format = ptp;
		assert_int_equal(stamp_encode(buf, sizeof(buf), STAMP_REFLECTOR, &p), STAMP_FULL);
		assert_int_equal(stamp_decode(buf, sizeof(buf), STAMP_REFLECTOR, NOW, &out), 0);
		assert_same(&p, &out);
		assert_int_equal(out.receive_ns, p.receive_ns);
		assert_int_equal(out.sender_seq, p.sender_seq);
		assert_int_equal(out.sender_timestamp_ns, p.sender_timestamp_ns);
		assert_int_equal(out.sender_error.ptp_format, 1);
		assert_true(out.sender_error.error_ns >= 250);
		assert_int_equal(out.sender_ttl, 255);
		assert_int_equal(out.sync_in, STAMP_SYNC_PTP);
		assert_int_equal(out.method_out, STAMP_METHOD_SOFTWARE);
		assert_int_equal(out.follow_up_seq, 76);
		assert_int_equal(out.follow_up_ns, p.follow_up_ns);
		assert_int_equal(out.follow_up_method, STAMP_METHOD_HARDWARE);
	}
}

static void test_follow_up_without_stamp(void **state)
{
	static const uint8_t zero[16];
	struct stamp_packet p = reply(), out;
	uint8_t buf[STAMP_FULL];

	(void)state;
	p.follow_up_method = STAMP_METHOD_NONE;
	stamp_encode(buf, sizeof(buf), STAMP_REFLECTOR, &p);
	assert_memory_equal(buf + TLV(12), zero, 16);
	assert_int_equal(stamp_decode(buf, sizeof(buf), STAMP_REFLECTOR, NOW, &out), 0);
	assert_int_equal(out.has_follow_up, 1);
	assert_int_equal(out.follow_up_method, STAMP_METHOD_NONE);
}

static void test_no_room(void **state)
{
	struct stamp_packet p = request();
	uint8_t buf[STAMP_FULL];

	(void)state;
	for (size_t size = 0; size < STAMP_FULL; size++)
		assert_int_equal(stamp_encode(buf, size, STAMP_SENDER, &p), -EMSGSIZE);
	p.has_trust = p.has_follow_up = p.has_timestamp_info = 0;
	assert_int_equal(stamp_encode(buf, STAMP_BASE, STAMP_SENDER, &p), STAMP_BASE);
}

static void test_cut_short(void **state)
{
	struct stamp_packet p = reply(), out;
	uint8_t buf[STAMP_FULL];

	(void)state;
	stamp_encode(buf, sizeof(buf), STAMP_REFLECTOR, &p);
	for (size_t len = 0; len < STAMP_FULL; len++) {
		int whole = len == TLV(0) || len == TLV(8) || len == TLV(28);

		assert_int_equal(stamp_decode(buf, len, STAMP_REFLECTOR, NOW, &out), whole ? 0 : -EBADMSG);
		assert_int_equal(stamp_decode(buf, len, STAMP_SENDER, NOW, &out), whole ? 0 : -EBADMSG);
	}
}

static void test_corrupt_fields(void **state)
{
	static const struct { size_t at; uint8_t value; } spoilt[] = {
		{ 13, 0 },		/* multiplier 0 */
		{ 37, 0 },		/* the sender's multiplier 0 */
		{ 32, 0xff },		/* the sender's nanoseconds, which are in PTP format */
		{ TLV(3), 3 },		/* a known TLV of another length */
		{ TLV(31), 56 },
		{ TLV(30), 0xff },	/* longer than the packet */
	};
	struct stamp_packet p = reply(), out;
	uint8_t buf[STAMP_FULL];

	(void)state;
	for (size_t i = 0; i < sizeof(spoilt) / sizeof(spoilt[0]); i++) {
		stamp_encode(buf, sizeof(buf), STAMP_REFLECTOR, &p);
		buf[spoilt[i].at] = spoilt[i].value;
		assert_int_equal(stamp_decode(buf, sizeof(buf), STAMP_REFLECTOR, NOW, &out), -EBADMSG);
	}
}

/* A reflector that knows no TLVs sends them back as they came: with the U flag of the sender. */
static void test_echoed_tlvs_say_nothing(void **state)
{
	struct stamp_packet p = reply(), out;
	uint8_t buf[STAMP_FULL];

	(void)state;
	for (uint8_t flag = 0x20; flag; flag = (uint8_t)(flag << 1)) {
		stamp_encode(buf, sizeof(buf), STAMP_REFLECTOR, &p);
		buf[TLV(0)] = buf[TLV(8)] = buf[TLV(28)] = flag;
		assert_int_equal(stamp_decode(buf, sizeof(buf), STAMP_REFLECTOR, NOW, &out), 0);
		assert_false(out.has_timestamp_info || out.has_follow_up || out.has_trust);
	}
}

static void test_put_time(void **state)
{
	struct stamp_packet p = request(), out;
	uint8_t buf[STAMP_FULL];

	(void)state;
	stamp_encode(buf, sizeof(buf), STAMP_SENDER, &p);
	stamp_put_time(buf, NOW + 123456789, 0);
	assert_int_equal(stamp_decode(buf, sizeof(buf), STAMP_SENDER, NOW, &out), 0);
	assert_int_equal(out.timestamp_ns, NOW + 123456789);
	assert_int_equal(out.seq, p.seq);
}

/* Reflecting. */

static void test_reflect_is_encode(void **state)
{
	struct stamp_packet q = request(), p = reply();
	uint8_t buf[STAMP_FULL], expected[STAMP_FULL];

	(void)state;
	p.sender_error = q.error;
	stamp_encode(buf, sizeof(buf), STAMP_SENDER, &q);
	stamp_encode(expected, sizeof(expected), STAMP_REFLECTOR, &p);
	stamp_reflect(buf, sizeof(buf), &p);
	assert_memory_equal(buf, expected, sizeof(buf));
}

static void test_reflect_copies_the_unknown(void **state)
{
	static const uint8_t tail[] = { 0x80, 1, 0, 3, 7, 8, 9, 0x80, 4, 0, 2, 5, 6, 0x80, 251, 0, 0 };
	static const uint8_t back[] = { 0, 1, 0, 3, 7, 8, 9, 0x80, 4, 0, 2, 5, 6, 0x80, 251, 0, 0 };
	struct stamp_packet q = request(), p = reply(), out;
	uint8_t buf[STAMP_FULL + sizeof(tail)];

	(void)state;
	stamp_encode(buf, sizeof(buf), STAMP_SENDER, &q);
	memcpy(buf + STAMP_FULL, tail, sizeof(tail));
	assert_int_equal(stamp_decode(buf, sizeof(buf), STAMP_SENDER, NOW, &out), 0);
	assert_int_equal(out.unknown_tlvs, 2);
	stamp_reflect(buf, sizeof(buf), &p);
	assert_memory_equal(buf + STAMP_FULL, back, sizeof(back));
	assert_int_equal(stamp_decode(buf, sizeof(buf), STAMP_REFLECTOR, NOW, &out), 0);
	assert_int_equal(out.has_trust, 1);
	assert_int_equal(out.ssid, q.ssid);
}

static void test_reflect_of_the_base_alone(void **state)
{
	struct stamp_packet q = request(), p = reply(), out;
	uint8_t buf[STAMP_BASE + 1];

	(void)state;
	q.has_trust = q.has_follow_up = q.has_timestamp_info = 0;
	buf[STAMP_BASE] = 0x5a;
	stamp_encode(buf, STAMP_BASE, STAMP_SENDER, &q);
	stamp_reflect(buf, STAMP_BASE, &p);
	assert_int_equal(buf[STAMP_BASE], 0x5a);
	assert_int_equal(stamp_decode(buf, STAMP_BASE, STAMP_REFLECTOR, NOW, &out), 0);
	assert_int_equal(out.sender_timestamp_ns, q.timestamp_ns);
	assert_int_equal(out.receive_ns, p.receive_ns);
	assert_false(out.has_trust);
}

static void test_kinds_and_methods(void **state)
{
	(void)state;
	for (int kind = STAMP_NONE; kind <= STAMP_HARDWARE; kind++)
		assert_int_equal(stamp_kind_of((uint8_t)stamp_method_of((enum stamp_kind)kind)), kind);
	assert_int_equal(stamp_kind_of(STAMP_METHOD_CONTROL), STAMP_NONE);
	assert_int_equal(stamp_kind_of(255), STAMP_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_timestamps),
		cmocka_unit_test(test_nanoseconds_survive),
		cmocka_unit_test(test_eras_are_resolved),
		cmocka_unit_test(test_impossible_timestamps),
		cmocka_unit_test(test_error_is_rounded_up),
		cmocka_unit_test(test_error_flags),
		cmocka_unit_test(test_request_round_trip),
		cmocka_unit_test(test_request_bytes),
		cmocka_unit_test(test_reply_round_trip),
		cmocka_unit_test(test_follow_up_without_stamp),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_cut_short),
		cmocka_unit_test(test_corrupt_fields),
		cmocka_unit_test(test_echoed_tlvs_say_nothing),
		cmocka_unit_test(test_put_time),
		cmocka_unit_test(test_reflect_is_encode),
		cmocka_unit_test(test_reflect_copies_the_unknown),
		cmocka_unit_test(test_reflect_of_the_base_alone),
		cmocka_unit_test(test_kinds_and_methods),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
