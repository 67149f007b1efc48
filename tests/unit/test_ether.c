#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "probe/bytes.h"
#include "probe/ether.h"
#include "rng.h"

#define OWN_IP	UINT32_C(0x0a000002)
#define FAR_IP	UINT32_C(0x0a000001)
#define PAYLOAD	100

static const uint8_t own_mac[6] = { 2, 0, 0, 0, 0, 2 };
static const uint8_t far_mac[6] = { 2, 0, 0, 0, 0, 1 };

static struct ether_self self_on(uint16_t vlan)
{
	struct ether_self s = { .ip = OWN_IP, .vlan = vlan, .port = 862 };

	memcpy(s.mac, own_mac, 6);
	return s;
}

/* A datagram to us; returns its length. */
static size_t make(uint8_t *frame, uint16_t vlan)
{
	struct ether_udp u = { .src_ip = FAR_IP, .dst_ip = OWN_IP, .src_port = 50000, .dst_port = 862,
			       .vlan = vlan, .ip_id = 9, .ttl = 255 };

	memcpy(u.src_mac, far_mac, 6);
	memcpy(u.dst_mac, own_mac, 6);
	for (int i = 0; i < PAYLOAD; i++)
		frame[ether_payload_offset(vlan) + (size_t)i] = (uint8_t)i;
	return ether_udp_put(frame, &u, PAYLOAD);
}

static enum ether_class parse(const uint8_t *frame, size_t len, uint16_t vlan, struct ether_packet *out)
{
	struct ether_self self = self_on(vlan);

	return ether_parse(&self, frame, len, out);
}

/* Made by hand after RFC 791 and RFC 768, checksums by an independent program. */
static void test_known_frame(void **state)
{
	static const uint8_t expected[] = {
		2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0x00,
		0x45, 0, 0, 30, 0, 9, 0x40, 0, 255, 17, 0x67, 0xc3, 10, 0, 0, 1, 10, 0, 0, 2,
		0xc3, 0x50, 0x03, 0x5e, 0, 10, 0x24, 0x27, 1, 2,
	};
	struct ether_udp u = { .src_ip = FAR_IP, .dst_ip = OWN_IP, .src_port = 50000, .dst_port = 862,
			       .ip_id = 9, .ttl = 255 };
	uint8_t frame[64] = { 0 };

	(void)state;
	memcpy(u.src_mac, far_mac, 6);
	memcpy(u.dst_mac, own_mac, 6);
	frame[42] = 1;
	frame[43] = 2;
	assert_int_equal(ether_udp_put(frame, &u, 2), sizeof(expected));
	assert_memory_equal(frame, expected, sizeof(expected));
}

static void test_udp_round_trip(void **state)
{
	uint8_t frame[256];
	struct ether_packet p;

	(void)state;
	for (uint16_t vlan = 0; vlan < 4095; vlan = (uint16_t)(vlan + 819)) {
		size_t len = make(frame, vlan);

		assert_int_equal(len, ether_payload_offset(vlan) + PAYLOAD);
		assert_int_equal(parse(frame, len, vlan, &p), ETHER_UDP);
		assert_int_equal(p.len, PAYLOAD);
		assert_ptr_equal(p.payload, frame + ether_payload_offset(vlan));
		assert_int_equal(p.udp.src_ip, FAR_IP);
		assert_int_equal(p.udp.dst_ip, OWN_IP);
		assert_int_equal(p.udp.src_port, 50000);
		assert_int_equal(p.udp.dst_port, 862);
		assert_int_equal(p.udp.ttl, 255);
		assert_int_equal(p.udp.ip_id, 9);
		assert_memory_equal(p.udp.src_mac, far_mac, 6);
	}
}

static void test_padding_after_the_datagram(void **state)
{
	uint8_t frame[256] = { 0 };
	struct ether_packet p;
	size_t len = make(frame, 0);

	(void)state;
	memset(frame + len, 0xee, 20);
	assert_int_equal(parse(frame, len + 20, 0, &p), ETHER_UDP);
	assert_int_equal(p.len, PAYLOAD);
}

static void test_foreign(void **state)
{
	static const struct { size_t at; uint8_t value; } changes[] = {
		{ 0, 4 },	/* another station */
		{ 13, 0xdd },	/* not IPv4 */
		{ 23, 1 },	/* ICMP */
		{ 33, 9 },	/* another address */
		{ 37, 0 },	/* another port */
	};
	uint8_t frame[256];
	struct ether_packet p;
	size_t len;

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		len = make(frame, 0);
		frame[changes[i].at] = changes[i].value;
		if (changes[i].at == 33)	/* its sum is right: nothing but the address differs */
			put16(frame + 24, (uint16_t)(get16(frame + 24) - 7));
		assert_int_equal(parse(frame, len, 0, &p), ETHER_FOREIGN);
	}
	len = make(frame, 5);
	assert_int_equal(parse(frame, len, 0, &p), ETHER_FOREIGN);
	assert_int_equal(parse(frame, len, 6, &p), ETHER_FOREIGN);
	len = make(frame, 0);
	assert_int_equal(parse(frame, len, 5, &p), ETHER_FOREIGN);
	memset(frame, 0xff, 6);
	assert_int_equal(parse(frame, len, 0, &p), ETHER_FOREIGN);
	for (size_t cut = 0; cut < 14; cut++)
		assert_int_equal(parse(frame, cut, 0, &p), ETHER_FOREIGN);
}

static void test_priority_tag_is_untagged(void **state)
{
	uint8_t frame[256], tagged[256];
	struct ether_packet p;
	size_t len = make(frame, 0);

	(void)state;
	memcpy(tagged, frame, 12);
	put16(tagged + 12, 0x8100);
	put16(tagged + 14, 0xe000);	/* priority 7, VLAN 0 */
	memcpy(tagged + 16, frame + 12, len - 12);
	assert_int_equal(parse(tagged, len + 4, 0, &p), ETHER_UDP);
}

static void test_malformed(void **state)
{
	static const struct { size_t at; uint8_t value; } changes[] = {
		{ 14, 0x55 },	/* version 5 */
		{ 14, 0x44 },	/* a header of 16 bytes */
		{ 16, 0xff },	/* longer than the frame */
		{ 17, 19 },	/* shorter than its header */
		{ 20, 0x60 },	/* more fragments */
		{ 22, 1 },	/* the header's sum is wrong */
		{ 39, 7 },	/* a datagram shorter than its header */
		{ 39, 255 },	/* and one longer than the packet */
		{ 41, 1 },	/* its sum is wrong */
		{ 60, 0xaa },	/* and so is a payload byte */
	};
	uint8_t frame[256];
	struct ether_packet p;

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		size_t len = make(frame, 0);

		frame[changes[i].at] = changes[i].value;
		assert_int_equal(parse(frame, len, 0, &p), ETHER_MALFORMED);
	}
}

static void test_every_truncation_is_malformed(void **state)
{
	uint8_t frame[256];
	struct ether_packet p;
	size_t len = make(frame, 0);

	(void)state;
	for (size_t cut = 14; cut < len; cut++)
		assert_int_equal(parse(frame, cut, 0, &p), ETHER_MALFORMED);
}

static void test_no_checksum_is_allowed(void **state)
{
	uint8_t frame[256];
	struct ether_packet p;
	size_t len = make(frame, 0);

	(void)state;
	put16(frame + 40, 0);
	assert_int_equal(parse(frame, len, 0, &p), ETHER_UDP);
}

/* Every single changed bit of the IP packet is noticed, or makes it somebody else's. */
static void test_any_bit(void **state)
{
	uint8_t frame[256];
	struct ether_packet p;
	size_t len = make(frame, 0);

	(void)state;
	for (size_t bit = 14 * 8; bit < len * 8; bit++) {
		frame[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_int_not_equal(parse(frame, len, 0, &p), ETHER_UDP);
		frame[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}

static void test_patch_is_a_new_checksum(void **state)
{
	struct rng r = rng_seeded();
	uint8_t frame[256];
	struct ether_packet p;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint16_t vlan = (uint16_t)rng_below(&r, 2);
		size_t len, at = ether_payload_offset(vlan);
		struct ether_udp u = { .src_ip = FAR_IP, .dst_ip = OWN_IP, .dst_port = 862, .vlan = vlan,
				       .src_port = (uint16_t)rng_next(&r) };

		memcpy(u.dst_mac, own_mac, 6);
		for (size_t b = 0; b < 20; b++)
			frame[at + b] = (uint8_t)(rng_below(&r, 4) ? 0 : rng_next(&r));
		memset(frame + at + 4, 0, 8);
		len = ether_udp_put(frame, &u, 20);
		put64(frame + at + 4, rng_below(&r, 3) ? rng_next(&r) : UINT64_MAX);
		ether_udp_patch(frame, vlan, 4, 8);
		assert_int_not_equal(get16(frame + at - 2), 0);
		assert_int_equal(parse(frame, len, vlan, &p), ETHER_UDP);
	}
}

static void test_arp_round_trip(void **state)
{
	struct ether_arp a = { .src_ip = FAR_IP, .dst_ip = OWN_IP };
	uint8_t frame[64];
	struct ether_packet p;

	(void)state;
	memcpy(a.src_mac, far_mac, 6);
	for (int reply = 0; reply < 2; reply++) {
		a.reply = reply;
		if (reply)
			memcpy(a.dst_mac, own_mac, 6);
		a.vlan = (uint16_t)(reply * 7);
		assert_int_equal(ether_arp_put(frame, &a), ETHER_ARP_LEN + (reply ? 4 : 0));
		assert_int_equal(frame[0], reply ? 2 : 0xff);
		assert_int_equal(parse(frame, ETHER_ARP_LEN, a.vlan, &p), ETHER_ARP);
		assert_int_equal(p.arp.reply, reply);
		assert_int_equal(p.arp.src_ip, FAR_IP);
		assert_memory_equal(p.arp.src_mac, far_mac, 6);
	}
}

static void test_arp_of_others(void **state)
{
	struct ether_arp a = { .src_ip = FAR_IP, .dst_ip = OWN_IP + 1 };
	uint8_t frame[64];
	struct ether_packet p;

	(void)state;
	ether_arp_put(frame, &a);
	assert_int_equal(parse(frame, ETHER_ARP_LEN, 0, &p), ETHER_FOREIGN);
	a.dst_ip = OWN_IP;
	ether_arp_put(frame, &a);
	for (size_t cut = 14; cut < 42; cut++)
		assert_int_equal(parse(frame, cut, 0, &p), ETHER_MALFORMED);
	frame[21] = 3;		/* RARP */
	assert_int_equal(parse(frame, ETHER_ARP_LEN, 0, &p), ETHER_FOREIGN);
	frame[18] = 8;		/* hardware addresses of 8 bytes */
	assert_int_equal(parse(frame, ETHER_ARP_LEN, 0, &p), ETHER_MALFORMED);
}

static void test_addresses(void **state)
{
	char text[16];
	uint32_t ip = 1;

	(void)state;
	assert_int_equal(ether_ip_parse("10.0.0.2", &ip), 0);
	assert_int_equal(ip, OWN_IP);
	assert_string_equal(ether_ip_format(text, sizeof(text), 0xffffffff), "255.255.255.255");
	assert_int_equal(ether_ip_parse("10.0.0", &ip), -EINVAL);
	assert_int_equal(ether_ip_parse("10.0.0.256", &ip), -EINVAL);
	assert_int_equal(ether_ip_parse("", &ip), -EINVAL);
	assert_int_equal(ether_ip_parse("10.0.0.2 ", &ip), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_frame),
		cmocka_unit_test(test_udp_round_trip),
		cmocka_unit_test(test_padding_after_the_datagram),
		cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_priority_tag_is_untagged),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_every_truncation_is_malformed),
		cmocka_unit_test(test_no_checksum_is_allowed),
		cmocka_unit_test(test_any_bit),
		cmocka_unit_test(test_patch_is_a_new_checksum),
		cmocka_unit_test(test_arp_round_trip),
		cmocka_unit_test(test_arp_of_others),
		cmocka_unit_test(test_addresses),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
