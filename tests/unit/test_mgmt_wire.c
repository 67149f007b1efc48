#include "timesvc/sources/mgmt_wire.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "mgmt_frames.h"
#include "rng.h"

static const struct ptp_identity slave = { { 0xb2, 0xf4, 0x68, 0xff, 0xfe, 0xf2, 0x49, 0x29 } };
static const struct ptp_identity master = { { 0x82, 0xa6, 0xb0, 0xff, 0xfe, 0x75, 0x89, 0xec } };

static void decode_frame(const char *hex, struct mgmt_message *msg, struct ptp_reading *r)
{
	uint8_t buf[MGMT_MAX];
	size_t len = frame_load(buf, sizeof(buf), hex);

	memset(r, 0, sizeof(*r));
	assert_int_equal(mgmt_decode(buf, len, msg, r), 0);
}

/* Refused, and the reading as it was. */
static void assert_refused(const uint8_t *buf, size_t len)
{
	struct ptp_reading r, before;
	struct mgmt_message msg;

	memset(&r, 0xa5, sizeof(r));
	memcpy(&before, &r, sizeof(r));
	assert_int_equal(mgmt_decode(buf, len, &msg, &r), -EBADMSG);
	assert_memory_equal(&r, &before, sizeof(r));
}

static void assert_identity(struct ptp_identity seen, struct ptp_identity expected)
{
	assert_memory_equal(seen.id, expected.id, sizeof(expected.id));
}

static void decodes_header(void **state)
{
	struct mgmt_message msg;
	struct ptp_reading r;

	(void)state;
	decode_frame(FRAME_PORT, &msg, &r);
	assert_identity(msg.source.clock, slave);
	assert_int_equal(msg.source.port, 1);
	assert_identity(msg.target.clock, (struct ptp_identity){ { 0 } });
	assert_int_equal(msg.target.port, 77);
	assert_int_equal(msg.sequence, 0x1230);
	assert_int_equal(msg.domain, 0);
	assert_int_equal(msg.action, MGMT_RESPONSE);
	assert_int_equal(msg.id, MGMT_PORT_DATA_SET);
	assert_int_equal(msg.error, 0);
	assert_int_equal(msg.have, PTP_HAVE_PORT);
}

static void decodes_time_status(void **state)
{
	struct mgmt_message msg;
	struct ptp_reading r;

	(void)state;
	decode_frame(FRAME_TIME_STATUS, &msg, &r);
	assert_int_equal(msg.have, PTP_HAVE_TIME_STATUS);
	assert_int_equal(r.time_status.master_offset_ns, 0x54);
	assert_true(r.time_status.ingress_ns == INT64_C(0x18eccdb35a7e2003));
	assert_int_equal(r.time_status.cumulative_scaled_rate_offset, 0);
	assert_int_equal(r.time_status.gm_present, 1);
	assert_identity(r.time_status.gm, master);
	/* A grandmaster of its own: no Sync ever came in, and no other one is present. */
	decode_frame(FRAME_GM_TIME_STATUS, &msg, &r);
	assert_int_equal(r.time_status.ingress_ns, 0);
	assert_int_equal(r.time_status.gm_present, 0);
	assert_identity(r.time_status.gm, master);
}

static void decodes_negative_numbers(void **state)
{
	uint8_t buf[MGMT_MAX];
	size_t len = frame_load(buf, sizeof(buf), FRAME_TIME_STATUS);
	struct mgmt_message msg;
	struct ptp_reading r;

	(void)state;
	memcpy(buf + 54, "\xff\xff\xff\xff\xff\xfe\x2b\x40", 8);	/* -120000 */
	memcpy(buf + 54 + 16, "\xff\xff\xff\xfe", 4);
	assert_int_equal(mgmt_decode(buf, len, &msg, &r), 0);
	assert_int_equal(r.time_status.master_offset_ns, -120000);
	assert_int_equal(r.time_status.cumulative_scaled_rate_offset, -2);
	len = frame_load(buf, sizeof(buf), FRAME_CURRENT);
	memcpy(buf + 54 + 2, "\xff\xff\xff\xff\xff\xfe\x80\x00", 8);	/* -1.5, scaled by 2^16 */
	assert_int_equal(mgmt_decode(buf, len, &msg, &r), 0);
	assert_int_equal(r.current.offset_from_master_ns, -1);
	len = frame_load(buf, sizeof(buf), FRAME_PROPERTIES);
	memcpy(buf + 54, "\xff\xff", 2);
	assert_int_equal(mgmt_decode(buf, len, &msg, &r), 0);
	assert_int_equal(r.properties.utc_offset, -1);
}

static void decodes_default(void **state)
{
	struct mgmt_message msg;
	struct ptp_reading r;

	(void)state;
	decode_frame(FRAME_DEFAULT, &msg, &r);
	assert_int_equal(msg.have, PTP_HAVE_DEFAULT);
	assert_identity(r.defaults.clock, slave);
	assert_int_equal(r.defaults.domain, 0);
	assert_int_equal(r.defaults.slave_only, 1);
	assert_int_equal(r.defaults.ports, 1);
}

static void decodes_current(void **state)
{
	struct mgmt_message msg;
	struct ptp_reading r;

	(void)state;
	decode_frame(FRAME_CURRENT, &msg, &r);
	assert_int_equal(msg.have, PTP_HAVE_CURRENT);
	assert_int_equal(r.current.steps_removed, 1);
	assert_int_equal(r.current.offset_from_master_ns, 0x54);
	assert_int_equal(r.current.mean_path_delay_ns, 0x98c);
}

static void decodes_parent(void **state)
{
	struct mgmt_message msg;
	struct ptp_reading r;

	(void)state;
	decode_frame(FRAME_PARENT, &msg, &r);
	assert_int_equal(msg.have, PTP_HAVE_PARENT);
	assert_identity(r.parent.parent.clock, master);
	assert_int_equal(r.parent.parent.port, 1);
	assert_identity(r.parent.gm, master);
	assert_int_equal(r.parent.gm_class, 248);
	assert_int_equal(r.parent.gm_accuracy, 0xfe);
	assert_int_equal(r.parent.gm_variance, 0xffff);
	assert_int_equal(r.parent.gm_priority1, 128);
	assert_int_equal(r.parent.gm_priority2, 128);
	decode_frame(FRAME_GM_PARENT, &msg, &r);	/* its own parent, port 0 */
	assert_identity(r.parent.parent.clock, master);
	assert_int_equal(r.parent.parent.port, 0);
}

static void decodes_properties(void **state)
{
	uint8_t buf[MGMT_MAX];
	size_t len = frame_load(buf, sizeof(buf), FRAME_PROPERTIES);
	struct mgmt_message msg;
	struct ptp_reading r;

	(void)state;
	decode_frame(FRAME_PROPERTIES, &msg, &r);
	assert_int_equal(msg.have, PTP_HAVE_PROPERTIES);
	assert_int_equal(r.properties.utc_offset, 37);
	assert_int_equal(r.properties.utc_offset_valid, 0);
	assert_int_equal(r.properties.ptp_timescale, 0);
	assert_int_equal(r.properties.time_source, 0xa0);
	for (int bit = 0; bit < 6; bit++) {
		const struct ptp_time_properties *p = &r.properties;

		buf[56] = (uint8_t)(1 << bit);
		assert_int_equal(mgmt_decode(buf, len, &msg, &r), 0);
		assert_int_equal(p->leap61, bit == 0);
		assert_int_equal(p->leap59, bit == 1);
		assert_int_equal(p->utc_offset_valid, bit == 2);
		assert_int_equal(p->ptp_timescale, bit == 3);
		assert_int_equal(p->time_traceable, bit == 4);
		assert_int_equal(p->frequency_traceable, bit == 5);
	}
}

static void decodes_port(void **state)
{
	struct mgmt_message msg;
	struct ptp_reading r;

	(void)state;
	decode_frame(FRAME_PORT, &msg, &r);
	assert_identity(r.port.port.clock, slave);
	assert_int_equal(r.port.port.port, 1);
	assert_int_equal(r.port.state, PTP_UNCALIBRATED);	/* free_running never gets further */
	assert_int_equal(r.port.log_min_delay_req, -2);
	assert_int_equal(r.port.peer_mean_path_delay_ns, 0);
	assert_int_equal(r.port.log_announce, -2);
	assert_int_equal(r.port.announce_receipt_timeout, 3);
	assert_int_equal(r.port.log_sync, -4);
	assert_int_equal(r.port.delay_mechanism, 1);
	assert_int_equal(r.port.log_min_pdelay_req, 0);
	assert_int_equal(r.port.version, 2);
	decode_frame(FRAME_GM_PORT, &msg, &r);
	assert_int_equal(r.port.state, PTP_MASTER);
	decode_frame(FRAME_EVENT, &msg, &r);
	assert_int_equal(r.port.state, PTP_FAULTY);
	assert_int_equal(msg.target.port, 88);
}

static void decodes_little_endian_stats(void **state)
{
	static const uint64_t rx[16] = { [0x0] = 0x20f, [0x8] = 0x20f, [0x9] = 0x79, [0xB] = 0x83 };
	struct mgmt_message msg;
	struct ptp_reading r;

	(void)state;
	decode_frame(FRAME_STATS, &msg, &r);
	assert_int_equal(msg.have, PTP_HAVE_STATS);
	assert_identity(r.stats.port.clock, slave);
	assert_int_equal(r.stats.port.port, 1);
	assert_memory_equal(r.stats.rx, rx, sizeof(rx));
	for (int i = 0; i < 16; i++)
		assert_int_equal(r.stats.tx[i], i == 1 ? 0x7a : 0);
}

static void decodes_error(void **state)
{
	struct mgmt_message msg;
	struct ptp_reading r;

	(void)state;
	decode_frame(FRAME_ERROR_HWCLOCK, &msg, &r);
	assert_int_equal(msg.id, 0xc008);
	assert_int_equal(msg.error, 2);		/* NO_SUCH_ID */
	assert_int_equal(msg.have, 0);
	assert_int_equal(msg.sequence, 0x1230);
}

static void decodes_error_with_text(void **state)
{
	uint8_t buf[MGMT_MAX] = { 0 };
	size_t len = frame_load(buf, sizeof(buf), FRAME_ERROR_HWCLOCK);
	struct mgmt_message msg;
	struct ptp_reading r;

	(void)state;
	buf[len] = 2;	/* "no" and one octet to make it even */
	memcpy(buf + len + 1, "no", 2);
	buf[3] = (uint8_t)(len + 4);
	buf[51] = 12;
	assert_int_equal(mgmt_decode(buf, len + 4, &msg, &r), 0);
	assert_int_equal(msg.error, 2);
	buf[len] = 4;	/* longer than there is room for */
	assert_refused(buf, len + 4);
	buf[len] = 0;	/* two octets too many */
	assert_refused(buf, len + 4);
}

static void accepts_what_it_need_not_know(void **state)
{
	uint8_t buf[MGMT_MAX];
	size_t len = frame_load(buf, sizeof(buf), FRAME_PORT);
	struct mgmt_message msg;
	struct ptp_reading r;

	(void)state;
	decode_frame(FRAME_SUBSCRIBED, &msg, &r);
	assert_int_equal(msg.id, MGMT_SUBSCRIBE_EVENTS_NP);
	assert_int_equal(msg.have, 0);
	buf[1] = 0x12;		/* PTP 2.1, as linuxptp 4 says */
	assert_int_equal(mgmt_decode(buf, len, &msg, &r), 0);
	buf[46] = MGMT_ACKNOWLEDGE;	/* of a command: no data set */
	assert_int_equal(mgmt_decode(buf, len, &msg, &r), 0);
	assert_int_equal(msg.have, 0);
}

static void refuses_wrong_header(void **state)
{
	static const struct { int at; uint8_t value; } wrong[] = {
		{ 0, 0x0b },		/* an Announce */
		{ 1, 0x01 }, { 1, 0x03 },	/* versions 1 and 3 */
		{ 2, 0x01 }, { 3, 0x4f }, { 3, 0x51 },	/* messageLength */
		{ 46, MGMT_GET }, { 46, MGMT_SET }, { 46, MGMT_COMMAND }, { 46, 5 },
		{ 48, 0x01 }, { 49, 0x00 }, { 49, 0x03 },	/* tlvType */
		{ 50, 0x01 }, { 51, 0x1b }, { 51, 0x1a }, { 51, 0x1d }, { 51, 0 },	/* its length */
		{ 53, 0x00 },		/* the default data set has another size */
	};
	uint8_t buf[MGMT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		size_t len = frame_load(buf, sizeof(buf), FRAME_PORT);

		buf[wrong[i].at] = wrong[i].value;
		assert_refused(buf, len);
	}
}

static void refuses_wrong_error(void **state)
{
	uint8_t buf[MGMT_MAX];
	size_t len = frame_load(buf, sizeof(buf), FRAME_ERROR_HWCLOCK);

	(void)state;
	buf[53] = 0;		/* an error that is none */
	assert_refused(buf, len);
	len = frame_load(buf, sizeof(buf), FRAME_ERROR_HWCLOCK) - 2;
	buf[3] -= 2;
	buf[51] -= 2;
	assert_refused(buf, len);
}

/* Every truncation and every excess of every message is refused, its length field corrected or not. */
static void refuses_every_other_length(void **state)
{
	static const char *const frames[] = { FRAME_TIME_STATUS, FRAME_PORT, FRAME_STATS,
		FRAME_CURRENT, FRAME_PARENT, FRAME_PROPERTIES, FRAME_DEFAULT, FRAME_ERROR_HWCLOCK };
	uint8_t buf[MGMT_MAX] = { 0 };

	(void)state;
	for (size_t f = 0; f < sizeof(frames) / sizeof(frames[0]); f++) {
		size_t whole = frame_load(buf, sizeof(buf), frames[f]);

		for (size_t len = 0; len < whole + 40; len++) {
			if (len == whole)
				continue;
			frame_load(buf, sizeof(buf), frames[f]);
			assert_refused(buf, len);
			buf[2] = (uint8_t)(len >> 8);
			buf[3] = (uint8_t)len;
			assert_refused(buf, len);
		}
	}
	assert_refused(NULL, 0);
}

static void refuses_emptied_data_set(void **state)
{
	uint8_t buf[MGMT_MAX];

	(void)state;
	frame_load(buf, sizeof(buf), FRAME_PORT);
	buf[3] = 54;
	buf[51] = 2;
	assert_refused(buf, 54);
}

/* Whatever is flipped: refused with no effect, or at most the one data set it names. */
static void survives_flipped_bits(void **state)
{
	static const char *const frames[] = { FRAME_TIME_STATUS, FRAME_STATS, FRAME_ERROR_HWCLOCK };
	struct rng rng = rng_seeded();
	uint8_t buf[MGMT_MAX];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		size_t len = frame_load(buf, sizeof(buf), frames[i % 3]);
		struct mgmt_message msg;
		struct ptp_reading r;
		int flips = 1 + (int)rng_below(&rng, 4);

		while (flips--)
			buf[rng_below(&rng, len)] ^= (uint8_t)(1u << rng_below(&rng, 8));
		if (mgmt_decode(buf, len, &msg, &r) < 0) {
			assert_refused(buf, len);
			continue;
		}
		assert_int_equal(msg.have & (msg.have - 1), 0);
		assert_true(msg.action == MGMT_RESPONSE || msg.action == MGMT_ACKNOWLEDGE);
	}
}

static void encodes_get(void **state)
{
	static const char expected[] =
		"1d020036180000000000000000000000" "00000000000000000000000012340102"
		"047fffffffffffffffffffff00000000" "00010002c000";
	uint8_t buf[64], bytes[64];
	size_t len = frame_load(bytes, sizeof(bytes), expected);

	(void)state;
	memset(buf, 0xa5, sizeof(buf));
	assert_int_equal(mgmt_encode_get(buf, sizeof(buf), MGMT_TIME_STATUS_NP, 0x0102, 0x1234, 24, 1),
		len);
	assert_memory_equal(buf, bytes, len);
	assert_int_equal(buf[len], 0xa5);
	assert_int_equal(mgmt_encode_get(buf, len, MGMT_TIME_STATUS_NP, 1, 1, 0, 0), len);
	assert_int_equal(mgmt_encode_get(buf, len - 1, MGMT_TIME_STATUS_NP, 1, 1, 0, 0), -EMSGSIZE);
}

static void encodes_subscribe(void **state)
{
	static const char expected[] =
		"0d020078000000000000000000000000" "00000000000000000000000088880007"
		"047fffffffffffffffffffff00000100" "00010044c003" "001e01";
	uint8_t buf[128], bytes[120] = { 0 };

	(void)state;
	frame_load(bytes, sizeof(bytes), expected);
	assert_int_equal(mgmt_encode_subscribe(buf, sizeof(buf), 30, 7, 0x8888, 0, 0), 120);
	assert_memory_equal(buf, bytes, sizeof(bytes));
	assert_int_equal(mgmt_encode_subscribe(buf, 119, 30, 7, 1, 0, 0), -EMSGSIZE);
}

/* A request is no answer. */
static void refuses_own_requests(void **state)
{
	uint8_t buf[128];

	(void)state;
	assert_refused(buf, (size_t)mgmt_encode_get(buf, sizeof(buf), MGMT_PORT_DATA_SET, 1, 1, 0, 0));
	assert_refused(buf, (size_t)mgmt_encode_subscribe(buf, sizeof(buf), 30, 1, 1, 0, 0));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes_header),
		cmocka_unit_test(decodes_time_status),
		cmocka_unit_test(decodes_negative_numbers),
		cmocka_unit_test(decodes_default),
		cmocka_unit_test(decodes_current),
		cmocka_unit_test(decodes_parent),
		cmocka_unit_test(decodes_properties),
		cmocka_unit_test(decodes_port),
		cmocka_unit_test(decodes_little_endian_stats),
		cmocka_unit_test(decodes_error),
		cmocka_unit_test(decodes_error_with_text),
		cmocka_unit_test(accepts_what_it_need_not_know),
		cmocka_unit_test(refuses_wrong_header),
		cmocka_unit_test(refuses_wrong_error),
		cmocka_unit_test(refuses_every_other_length),
		cmocka_unit_test(refuses_emptied_data_set),
		cmocka_unit_test(survives_flipped_bits),
		cmocka_unit_test(encodes_get),
		cmocka_unit_test(encodes_subscribe),
		cmocka_unit_test(refuses_own_requests),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
