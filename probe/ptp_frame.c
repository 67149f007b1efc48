#include "ptp_frame.h"

#include <string.h>
#include "bytes.h"

#define MAC_HEADER	14
#define SYNC_LEN	44		/* header and originTimestamp */
#define TLV_EXTENSION	3		/* ORGANIZATION_EXTENSION */
#define TLV_HEAD	10		/* type, length, organization, subtype */
#define ADDRESSES	12

/* A locally administered number, as it is nobody's. */
static const uint8_t organization[6] = { 0x02, 0x74, 0x73, 0x00, 0x00, 0x01 };

int ptp_frame_is(const uint8_t *frame, size_t len)
{
	return len >= MAC_HEADER && get16(frame + 12) == PTP_FRAME_TYPE;
}

static int is_ours(const uint8_t *ptp, size_t len)
{
	return len >= SYNC_LEN + TLV_HEAD && (ptp[0] & 0x0f) == 0 && ptp[4] == PTP_FRAME_DOMAIN &&
	       get16(ptp + SYNC_LEN) == TLV_EXTENSION &&
	       !memcmp(ptp + SYNC_LEN + 4, organization, sizeof(organization));
}

enum ether_class ptp_frame_parse(const struct ether_self *self, const uint8_t *frame, size_t len,
	struct ether_packet *out)
{
	const uint8_t *ptp = frame + MAC_HEADER, *at = frame + PTP_FRAME_PAYLOAD - ADDRESSES;
	size_t value;

	if (!ptp_frame_is(frame, len) || memcmp(frame, self->mac, 6) || self->vlan)
		return ETHER_FOREIGN;
	if (!is_ours(ptp, len - MAC_HEADER))
		return ETHER_FOREIGN;
	value = get16(ptp + SYNC_LEN + 2);
	if (get16(ptp + 2) != SYNC_LEN || value < 6 + ADDRESSES || SYNC_LEN + 4 + value > len - MAC_HEADER ||
	    get64(ptp + 8))		/* somebody on the way has corrected it */
		return ETHER_MALFORMED;
	memset(&out->udp, 0, sizeof(out->udp));
	memcpy(out->udp.dst_mac, frame, 6);
	memcpy(out->udp.src_mac, frame + 6, 6);
	out->udp.src_ip = get32(at);
	out->udp.dst_ip = get32(at + 4);
	out->udp.src_port = get16(at + 8);
	out->udp.dst_port = get16(at + 10);
	if (out->udp.dst_ip != self->ip || out->udp.dst_port != self->port)
		return ETHER_FOREIGN;
	out->udp.ttl = 255;
	out->carrier = CARRIER_L2_PTP;
	out->payload = frame + PTP_FRAME_PAYLOAD;
	out->len = value - 6 - ADDRESSES;
	return ETHER_UDP;
}

static void put_port_identity(uint8_t *p, const uint8_t mac[6])
{
	memcpy(p, mac, 3);
	p[3] = 0xff;
	p[4] = 0xfe;
	memcpy(p + 5, mac + 3, 3);
	put16(p + 8, 1);
}

size_t ptp_frame_put(uint8_t *frame, const struct ether_udp *u, size_t payload_len)
{
	uint8_t *ptp = frame + MAC_HEADER, *tlv = ptp + SYNC_LEN, *at = tlv + TLV_HEAD;
	size_t padded = payload_len + (payload_len & 1);

	memcpy(frame, u->dst_mac, 6);
	memcpy(frame + 6, u->src_mac, 6);
	put16(frame + 12, PTP_FRAME_TYPE);
	memset(ptp, 0, SYNC_LEN);
	ptp[1] = 2;
	put16(ptp + 2, SYNC_LEN);
	ptp[4] = PTP_FRAME_DOMAIN;
	ptp[6] = 0x02;			/* twoStep */
	put_port_identity(ptp + 20, u->src_mac);
	put16(ptp + 30, u->ip_id);
	ptp[33] = 0x7f;
	put16(tlv, TLV_EXTENSION);
	put16(tlv + 2, (uint16_t)(6 + ADDRESSES + padded));
	memcpy(tlv + 4, organization, sizeof(organization));
	put32(at, u->src_ip);
	put32(at + 4, u->dst_ip);
	put16(at + 8, u->src_port);
	put16(at + 10, u->dst_port);
	if (payload_len & 1)
		frame[PTP_FRAME_PAYLOAD + payload_len] = 0;
	return PTP_FRAME_PAYLOAD + padded;
}
