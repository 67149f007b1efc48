/* ptp_frame.h: the same payload in a frame that NICs take for a PTP Sync (IEEE 1588-2008 13.6). Pure, fuzzed.
 *
 * Some NICs stamp nothing else. Domain 127 is user-defined; the payload stands behind the message, in what is
 * shaped like an organization extension TLV with the addresses and ports that UDP would have carried. Were it
 * in the message, a ptp4l on the cable would log each frame as bad: it knows no TLV of a Sync. Never tagged,
 * sent to one MAC address. A boundary clock consumes it, a transparent clock writes into it: it is for direct
 * cables. */
#ifndef PROBE_PTP_FRAME_H
#define PROBE_PTP_FRAME_H

#include "ether.h"

#define PTP_FRAME_TYPE		0x88f7
#define PTP_FRAME_DOMAIN	127
#define PTP_FRAME_PAYLOAD	(14 + 44 + 10 + 12)	/* where it starts */

int ptp_frame_is(const uint8_t *frame, size_t len);
/* As ether_parse(): ETHER_UDP, ETHER_FOREIGN or ETHER_MALFORMED. */
enum ether_class ptp_frame_parse(const struct ether_self *self, const uint8_t *frame, size_t len,
	struct ether_packet *out);
/* Writes everything in front of a payload that is already in place; an odd payload is followed by a 0.
 * vlan, ttl and tos of `u` do not matter. Returns the frame's length. */
size_t ptp_frame_put(uint8_t *frame, const struct ether_udp *u, size_t payload_len);

#endif
