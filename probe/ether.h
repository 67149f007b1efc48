/* ether.h: Ethernet II, 802.1Q, ARP (RFC 826), IPv4 (RFC 791) and UDP (RFC 768) as bytes. Pure, fuzzed.
 *
 * IPv4 addresses and ports are in host order. VLAN 0 is untagged, and so is a tag that says 0.
 * Sent frames have valid checksums, DF, no options. */
#ifndef PROBE_ETHER_H
#define PROBE_ETHER_H

#include <stddef.h>
#include <stdint.h>

#define ETHER_ARP_LEN		60	/* without a tag: padded to the shortest frame */
#define ETHER_HEADERS_MAX	(18 + 20 + 8)

/* Whom frames are for. */
struct ether_self {
	uint8_t mac[6];
	uint32_t ip;
	uint16_t vlan;
	uint16_t port;		/* UDP */
};

struct ether_udp {
	uint8_t src_mac[6], dst_mac[6];
	uint32_t src_ip, dst_ip;
	uint16_t src_port, dst_port;
	uint16_t vlan;
	uint16_t ip_id;
	uint8_t ttl;
	uint8_t tos;
};

struct ether_arp {
	uint8_t src_mac[6], dst_mac[6];	/* dst_mac: all 0 in a request */
	uint32_t src_ip, dst_ip;
	uint16_t vlan;
	int reply;
};

enum ether_class {
	ETHER_UDP,		/* for us */
	ETHER_ARP,		/* asks for us, or answers us */
	ETHER_FOREIGN,		/* not for us */
	ETHER_MALFORMED		/* for us, and no good */
};

/* What a payload travels in. */
enum carrier { CARRIER_UDP, CARRIER_L2_PTP, CARRIER_COUNT };
/* "udp" "l2-ptp"; NULL for what is no carrier */
const char *carrier_name(enum carrier carrier);

struct ether_packet {
	enum carrier carrier;
	struct ether_udp udp;	/* ETHER_UDP; of l2-ptp what it says in its place */
	const uint8_t *payload;
	size_t len;
	struct ether_arp arp;	/* ETHER_ARP */
};

enum ether_class ether_parse(const struct ether_self *self, const uint8_t *frame, size_t len,
	struct ether_packet *out);

/* Where the UDP payload starts in a frame with or without a tag. */
size_t ether_payload_offset(uint16_t vlan);
/* Writes the headers in front of a payload that is already in place. Returns the frame's length. */
size_t ether_udp_put(uint8_t *frame, const struct ether_udp *u, size_t payload_len);
/* Corrects the UDP checksum after `len` bytes at `at` (both even, from the payload's start) that were
 * all 0 when the checksum was made have been written. */
void ether_udp_patch(uint8_t *frame, uint16_t vlan, size_t at, size_t len);
/* A request is broadcast, a reply goes to dst_mac. Returns the frame's length. */
size_t ether_arp_put(uint8_t *frame, const struct ether_arp *a);

/* "10.0.0.1" -> host order; -EINVAL. */
int ether_ip_parse(const char *text, uint32_t *ip);
/* 16 bytes always suffice. Returns buf. */
char *ether_ip_format(char *buf, size_t size, uint32_t ip);

#endif
