/* Frames. What is taken for a datagram or for ARP lies within the frame and is for us. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/ether.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t vlans[] = { 0, 5 };

	for (int i = 0; i < 2; i++) {
		struct ether_self self = { .mac = { 2, 0, 0, 0, 0, 2 }, .ip = 0x0a000002, .vlan = vlans[i],
					   .port = 862 };
		struct ether_packet p;

		switch (ether_parse(&self, data, size, &p)) {
		case ETHER_UDP:
			assert(p.payload >= data + ether_payload_offset(vlans[i]));
			assert(p.len <= size - (size_t)(p.payload - data));
			assert(p.udp.dst_ip == self.ip && p.udp.dst_port == self.port);
			break;
		case ETHER_ARP:
			assert(p.arp.dst_ip == self.ip);
			break;
		default:
			break;
		}
	}
	return 0;
}
