/* reflector.h: the Session-Reflector, stateful (RFC 8762 4.3): a sequence number of its own per session.
 *
 * Answers each whole packet of its peer in place, at the same length, at once. T3 is T2 plus the ticks
 * in between, so that no step of the clock can tear them; the trust TLV says the epoch at both. The
 * next reply carries the tick at which this one really left; when the epoch changed in
 * between, it says that there is no such stamp. Never answers what is malformed. */
#ifndef PROBE_REFLECTOR_H
#define PROBE_REFLECTOR_H

#include "clock.h"
#include "net.h"
#include "pace.h"
#include "segment.h"

#define REFLECTOR_SESSIONS 16	/* more at once push out the one that was silent the longest */

struct reflector_session {
	uint16_t port, ssid;
	uint32_t seq;			/* of the next reply */
	int64_t used_ns;
	/* the reply before */
	uint8_t method;
	int64_t left_ns;
};

struct reflector {
	struct net *net;
	const struct clock *clock;
	struct probe_numbers *numbers;
	int64_t last_ns;		/* of a packet that was reflected */
	struct pace_arrivals arrivals;
	int sessions;
	struct reflector_session session[REFLECTOR_SESSIONS];
};

void reflector_init(struct reflector *r, struct net *net, const struct clock *clock,
	struct probe_numbers *numbers);
void reflector_input(struct reflector *r, const struct ether_packet *p, const struct port_frame *f,
	int64_t now_ns);
void reflector_pace(const struct reflector *r, int64_t now_ns, struct pace *out);

#endif
