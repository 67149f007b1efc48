/* mgmt_wire.h: PTP management messages as bytes (IEEE 1588-2008 13.12 and 15, version 2
 * as linuxptp 3.1.1 to 4.x speak it). Pure: no descriptor, no clock, fuzzed. */
#ifndef TIMESVC_MGMT_WIRE_H
#define TIMESVC_MGMT_WIRE_H

#include <stddef.h>
#include "../ptp.h"

#define MGMT_MAX 1500

enum mgmt_id {
	MGMT_DEFAULT_DATA_SET = 0x2000, MGMT_CURRENT_DATA_SET = 0x2001,
	MGMT_PARENT_DATA_SET = 0x2002, MGMT_TIME_PROPERTIES_DATA_SET = 0x2003,
	MGMT_PORT_DATA_SET = 0x2004, MGMT_TIME_STATUS_NP = 0xC000,
	MGMT_SUBSCRIBE_EVENTS_NP = 0xC003, MGMT_PORT_STATS_NP = 0xC005
};
enum mgmt_action { MGMT_GET, MGMT_SET, MGMT_RESPONSE, MGMT_COMMAND, MGMT_ACKNOWLEDGE };

struct mgmt_message {
	struct ptp_port_identity source, target;
	uint16_t sequence;
	uint8_t domain, action;
	uint16_t id;		/* enum mgmt_id; of the refused request when error != 0 */
	uint16_t error;		/* managementErrorId of a MANAGEMENT_ERROR_STATUS, else 0 */
	uint32_t have;		/* the PTP_HAVE_… bit of what was decoded into *reading, or 0 */
};

/* A GET with an empty body, boundaryHops 0, target all ports. Returns its length, or
 * -EMSGSIZE. `port` is the sender's portNumber (any 16-bit value of its own). */
int mgmt_encode_get(uint8_t *buf, size_t size, uint16_t id, uint16_t sequence, uint16_t port,
	uint8_t domain, uint8_t transport_specific);
/* SET SUBSCRIBE_EVENTS_NP: port-state events for `seconds`. */
int mgmt_encode_subscribe(uint8_t *buf, size_t size, uint16_t seconds, uint16_t sequence,
	uint16_t port, uint8_t domain, uint8_t transport_specific);

/* Decodes one datagram; the data set, if it is one of ours, goes into its place in *reading
 * (whose other fields stay). 0, or -EBADMSG for anything that is not a whole, well-formed
 * management response, acknowledge or error; *reading is then untouched. */
int mgmt_decode(const uint8_t *buf, size_t len, struct mgmt_message *msg, struct ptp_reading *reading);

#endif
