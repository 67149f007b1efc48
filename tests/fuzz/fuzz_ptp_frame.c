/* Frames that look like a Sync. A payload lies within the frame and is for us; put again it is the same. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "probe/ptp_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void again(const struct ether_self *self, const struct ether_packet *p)
{
	static uint8_t frame[UINT16_MAX + 256];
	struct ether_packet q;

	memcpy(frame + PTP_FRAME_PAYLOAD, p->payload, p->len);
	assert(ptp_frame_parse(self, frame, ptp_frame_put(frame, &p->udp, p->len), &q) == ETHER_UDP);
	assert(q.len == p->len + (p->len & 1));
	assert(!memcmp(q.payload, p->payload, p->len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ether_self self = { .mac = { 2, 0, 0, 0, 0, 2 }, .ip = 0x0a000002, .port = 862 };
	struct ether_packet p;

	if (ptp_frame_parse(&self, data, size, &p) != ETHER_UDP)
		return 0;
	assert(p.payload == data + PTP_FRAME_PAYLOAD);
	assert(p.len <= size - PTP_FRAME_PAYLOAD);
	assert(p.udp.dst_ip == self.ip && p.udp.dst_port == self.port);
	if (p.len < 60000)
		again(&self, &p);
	return 0;
}
