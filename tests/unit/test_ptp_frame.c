#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "probe/ptp_frame.h"

static const struct ether_self self = { .mac = { 2, 0, 0, 0, 0, 9 }, .ip = 0x0a000002, .port = 862 };
static uint8_t frame[256];

static size_t put(size_t payload)
{
	struct ether_udp u = { .src_mac = { 2, 0, 0, 0, 0, 1 }, .dst_mac = { 2, 0, 0, 0, 0, 9 },
			       .src_ip = 0x0a000001, .dst_ip = 0x0a000002, .src_port = 50000,
			       .dst_port = 862, .ip_id = 0x1234 };

	memset(frame, 0xee, sizeof(frame));
	return ptp_frame_put(frame, &u, payload);
}

static void test_bytes(void **state)
{
	static const uint8_t head[] = {
		2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 0x88, 0xf7,
		0x00, 0x02, 0, 44, 127, 0, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		2, 0, 0, 0xff, 0xfe, 0, 0, 1, 0, 1, 0x12, 0x34, 0, 0x7f,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 3, 0, 62, 0x02, 0x74, 0x73, 0, 0, 1,
		10, 0, 0, 1, 10, 0, 0, 2, 0xc3, 0x50, 0x03, 0x5e,
	};

	(void)state;
	assert_int_equal(put(44), PTP_FRAME_PAYLOAD + 44);
	assert_int_equal(sizeof(head), PTP_FRAME_PAYLOAD);
	assert_memory_equal(frame, head, sizeof(head));
	assert_int_equal(frame[PTP_FRAME_PAYLOAD], 0xee);
	assert_int_equal(put(45), PTP_FRAME_PAYLOAD + 46);
	assert_int_equal(frame[PTP_FRAME_PAYLOAD + 45], 0);
}

static void test_there_and_back(void **state)
{
	struct ether_packet p;
	size_t len = put(44);

	(void)state;
	assert_true(ptp_frame_is(frame, len));
	assert_int_equal(ptp_frame_parse(&self, frame, len, &p), ETHER_UDP);
	assert_int_equal(p.carrier, CARRIER_L2_PTP);
	assert_int_equal(p.udp.src_ip, 0x0a000001);
	assert_int_equal(p.udp.dst_ip, 0x0a000002);
	assert_int_equal(p.udp.src_port, 50000);
	assert_int_equal(p.udp.dst_port, 862);
	assert_memory_equal(p.udp.src_mac, frame + 6, 6);
	assert_ptr_equal(p.payload, frame + PTP_FRAME_PAYLOAD);
	assert_int_equal(p.len, 44);
	assert_int_equal(ptp_frame_parse(&self, frame, len + 20, &p), ETHER_UDP);	/* padded by a NIC */
	assert_int_equal(p.len, 44);
}

/* One byte changed. */
static enum ether_class with(size_t at, uint8_t value)
{
	size_t len = put(44);
	struct ether_packet p;

	frame[at] = value;
	return ptp_frame_parse(&self, frame, len, &p);
}

static void test_others(void **state)
{
	(void)state;
	assert_int_equal(with(5, 8), ETHER_FOREIGN);		/* to somebody else */
	assert_int_equal(with(13, 0xf6), ETHER_FOREIGN);	/* no PTP */
	assert_int_equal(with(14, 0x01), ETHER_FOREIGN);	/* Delay_Req */
	assert_int_equal(with(18, 0), ETHER_FOREIGN);		/* ptp4l's domain */
	assert_int_equal(with(59, 8), ETHER_FOREIGN);		/* another TLV */
	assert_int_equal(with(63, 0x75), ETHER_FOREIGN);	/* another organization */
	assert_int_equal(with(75, 7), ETHER_FOREIGN);		/* another address */
	assert_int_equal(with(79, 0x5f), ETHER_FOREIGN);	/* another port */
	assert_int_equal(with(24, 1), ETHER_MALFORMED);		/* a transparent clock was there */
	assert_int_equal(with(17, 110), ETHER_MALFORMED);	/* lengths that do not fit */
	assert_int_equal(with(61, 63), ETHER_MALFORMED);
	assert_int_equal(with(61, 17), ETHER_MALFORMED);
}

static void test_cut(void **state)
{
	struct ether_packet p;
	size_t len = put(44);

	(void)state;
	for (size_t i = 0; i < len; i++)
		assert_int_not_equal(ptp_frame_parse(&self, frame, i, &p), ETHER_UDP);
	assert_false(ptp_frame_is(frame, 13));
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(carrier_name(CARRIER_UDP), "udp");
	assert_string_equal(carrier_name(CARRIER_L2_PTP), "l2-ptp");
	assert_null(carrier_name(CARRIER_COUNT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes), cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_others), cmocka_unit_test(test_cut), cmocka_unit_test(test_names),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
