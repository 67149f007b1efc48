#include "ether.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "bytes.h"

#define TYPE_IPV4	0x0800
#define TYPE_ARP	0x0806
#define TYPE_VLAN	0x8100
#define MAC_HEADER	14
#define TAG		4
#define VID_MASK	0x0fff
#define IP_HEADER	20
#define IP_DF		0x4000
#define IP_FRAGMENT	0x3fff	/* MF and the offset */
#define IP_UDP		17
#define UDP_HEADER	8
#define ARP_BODY	28
#define ARP_REQUEST	1
#define ARP_REPLY	2

static const uint8_t broadcast[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

static uint32_t sum_words(uint32_t sum, const uint8_t *p, size_t len)
{
	for (; len > 1; p += 2, len -= 2)
		sum += get16(p);
	return len ? sum + (uint32_t)(p[0] << 8) : sum;
}

static uint16_t fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

/* Of the pseudo header and the whole datagram; 0xffff when a checksum in it is right. */
static uint16_t udp_sum(const uint8_t *ip, const uint8_t *udp, size_t len)
{
	uint32_t sum = sum_words(IP_UDP + (uint32_t)len, ip + 12, 8);

	return fold(sum_words(sum, udp, len));
}

/* 0 means "no checksum" on the wire, so a sum of 0 is sent as its other form. */
static uint16_t udp_checksum(uint16_t sum)
{
	return sum == 0xffff ? 0xffff : (uint16_t)~sum;
}

static enum ether_class parse_arp(const struct ether_self *self, const uint8_t *p, size_t len,
	struct ether_arp *a)
{
	if (len < ARP_BODY || get16(p) != 1 || get16(p + 2) != TYPE_IPV4 || p[4] != 6 || p[5] != 4)
		return ETHER_MALFORMED;
	if (get16(p + 6) != ARP_REQUEST && get16(p + 6) != ARP_REPLY)
		return ETHER_FOREIGN;
	a->reply = get16(p + 6) == ARP_REPLY;
	a->vlan = self->vlan;
	memcpy(a->src_mac, p + 8, 6);
	a->src_ip = get32(p + 14);
	memcpy(a->dst_mac, p + 18, 6);
	a->dst_ip = get32(p + 24);
	return a->dst_ip == self->ip ? ETHER_ARP : ETHER_FOREIGN;
}

static enum ether_class parse_udp(const struct ether_self *self, const uint8_t *ip, const uint8_t *p,
	size_t len, struct ether_packet *out)
{
	size_t datagram;

	if (len < UDP_HEADER)
		return ETHER_MALFORMED;
	if (get16(p + 2) != self->port)
		return ETHER_FOREIGN;
	datagram = get16(p + 4);
	if (datagram < UDP_HEADER || datagram > len)
		return ETHER_MALFORMED;
	if (get16(p + 6) && udp_sum(ip, p, datagram) != 0xffff)
		return ETHER_MALFORMED;
	out->udp.src_port = get16(p);
	out->udp.dst_port = get16(p + 2);
	out->payload = p + UDP_HEADER;
	out->len = datagram - UDP_HEADER;
	return ETHER_UDP;
}

static enum ether_class parse_ip(const struct ether_self *self, const uint8_t *p, size_t len,
	struct ether_packet *out)
{
	size_t head, total;

	if (len < IP_HEADER || p[0] >> 4 != 4)
		return ETHER_MALFORMED;
	if (get32(p + 16) != self->ip || p[9] != IP_UDP)
		return ETHER_FOREIGN;
	head = (size_t)(p[0] & 15) * 4;
	total = get16(p + 2);
	if (head < IP_HEADER || total < head || total > len)
		return ETHER_MALFORMED;
	if (fold(sum_words(0, p, head)) != 0xffff || get16(p + 6) & IP_FRAGMENT)
		return ETHER_MALFORMED;
	out->udp.tos = p[1];
	out->udp.ip_id = get16(p + 4);
	out->udp.ttl = p[8];
	out->udp.src_ip = get32(p + 12);
	out->udp.dst_ip = self->ip;
	return parse_udp(self, p, p + head, total - head, out);
}

enum ether_class ether_parse(const struct ether_self *self, const uint8_t *frame, size_t len,
	struct ether_packet *out)
{
	int to_all, to_us;
	uint16_t type, vlan = 0;
	size_t at = MAC_HEADER;

	if (len < MAC_HEADER)
		return ETHER_FOREIGN;
	to_us = !memcmp(frame, self->mac, 6);
	to_all = !memcmp(frame, broadcast, 6);
	type = get16(frame + 12);
	if (type == TYPE_VLAN && len >= MAC_HEADER + TAG) {
		vlan = get16(frame + 14) & VID_MASK;
		type = get16(frame + 16);
		at += TAG;
	}
	if (vlan != self->vlan || (!to_us && !to_all))
		return ETHER_FOREIGN;
	if (type == TYPE_ARP)
		return parse_arp(self, frame + at, len - at, &out->arp);
	if (type != TYPE_IPV4 || !to_us)
		return ETHER_FOREIGN;
	memcpy(out->udp.dst_mac, frame, 6);
	memcpy(out->udp.src_mac, frame + 6, 6);
	out->udp.vlan = vlan;
	out->carrier = CARRIER_UDP;
	return parse_ip(self, frame + at, len - at, out);
}

static size_t put_mac(uint8_t *frame, const uint8_t dst[6], const uint8_t src[6], uint16_t vlan,
	uint16_t type)
{
	memcpy(frame, dst, 6);
	memcpy(frame + 6, src, 6);
	if (vlan) {
		put16(frame + 12, TYPE_VLAN);
		put16(frame + 14, vlan);
		put16(frame + 16, type);
		return MAC_HEADER + TAG;
	}
	put16(frame + 12, type);
	return MAC_HEADER;
}

size_t ether_payload_offset(uint16_t vlan)
{
	return MAC_HEADER + (vlan ? TAG : 0) + IP_HEADER + UDP_HEADER;
}

static void put_ip(uint8_t *p, const struct ether_udp *u, size_t len)
{
	p[0] = 0x45;
	p[1] = u->tos;
	put16(p + 2, (uint16_t)len);
	put16(p + 4, u->ip_id);
	put16(p + 6, IP_DF);
	p[8] = u->ttl;
	p[9] = IP_UDP;
	put16(p + 10, 0);
	put32(p + 12, u->src_ip);
	put32(p + 16, u->dst_ip);
	put16(p + 10, (uint16_t)~fold(sum_words(0, p, IP_HEADER)));
}

size_t ether_udp_put(uint8_t *frame, const struct ether_udp *u, size_t payload_len)
{
	uint8_t *ip = frame + put_mac(frame, u->dst_mac, u->src_mac, u->vlan, TYPE_IPV4);
	uint8_t *udp = ip + IP_HEADER;
	size_t len = UDP_HEADER + payload_len;

	put_ip(ip, u, IP_HEADER + len);
	put16(udp, u->src_port);
	put16(udp + 2, u->dst_port);
	put16(udp + 4, (uint16_t)len);
	put16(udp + 6, 0);
	put16(udp + 6, udp_checksum(udp_sum(ip, udp, len)));
	return (size_t)(udp - frame) + len;
}

/* RFC 1624 eqn. 3 with m = 0. */
void ether_udp_patch(uint8_t *frame, uint16_t vlan, size_t at, size_t len)
{
	uint8_t *payload = frame + ether_payload_offset(vlan);
	uint8_t *checksum = payload - 2;
	uint32_t sum = (uint16_t)~get16(checksum);

	put16(checksum, udp_checksum(fold(sum_words(sum, payload + at, len))));
}

size_t ether_arp_put(uint8_t *frame, const struct ether_arp *a)
{
	size_t at = put_mac(frame, a->reply ? a->dst_mac : broadcast, a->src_mac, a->vlan, TYPE_ARP);
	uint8_t *p = frame + at;
	size_t len = ETHER_ARP_LEN - MAC_HEADER;

	memset(p, 0, len);
	put16(p, 1);
	put16(p + 2, TYPE_IPV4);
	p[4] = 6;
	p[5] = 4;
	put16(p + 6, a->reply ? ARP_REPLY : ARP_REQUEST);
	memcpy(p + 8, a->src_mac, 6);
	put32(p + 14, a->src_ip);
	if (a->reply)
		memcpy(p + 18, a->dst_mac, 6);
	put32(p + 24, a->dst_ip);
	return at + len;
}

int ether_ip_parse(const char *text, uint32_t *ip)
{
	struct in_addr addr;

	if (inet_pton(AF_INET, text, &addr) != 1)
		return -EINVAL;
	*ip = ntohl(addr.s_addr);
	return 0;
}

char *ether_ip_format(char *buf, size_t size, uint32_t ip)
{
	snprintf(buf, size, "%u.%u.%u.%u", ip >> 24, ip >> 16 & 255, ip >> 8 & 255, ip & 255);
	return buf;
}
