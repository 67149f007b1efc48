/* reflector.h: the Session-Reflector, stateful (RFC 8762 4.3): a sequence number of its own per session.
 *
 * Answers each whole packet of its peer in place, at the same length, at once, by the carrier it came.
 * T3 is T2 plus the ticks in between, so that no step of the clock can tear them; the trust TLV says the
 * epoch at both. The next reply carries the instant at which this one really left; when the epoch changed
 * in between, or the stamp was lost, it says that there is no such stamp. Until this end's stamps have
 * proved what they are it says that there are none. Never answers what is malformed. */
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
	int pending;			/* its transmit stamp has not come yet */
	enum carrier carrier;
	struct port_sent departure;
	struct stamp t2;
	int64_t t2_ns;
	uint32_t epoch_said, map_epoch;
};

struct reflector {
	struct net *net;
	struct hwclock *hw;
	const struct clock *clock;
	struct probe_numbers *numbers;
	int64_t last_ns;		/* of a packet that was reflected */
	struct pace_arrivals arrivals;
	int sessions;
	struct reflector_session session[REFLECTOR_SESSIONS];
};

void reflector_init(struct reflector *r, struct net *net, struct probe_numbers *numbers);
/* Fetches the transmit stamps of replies. */
void reflector_work(struct reflector *r);
void reflector_input(struct reflector *r, const struct ether_packet *p, const struct port_frame *f,
	int64_t now_ns);
void reflector_pace(const struct reflector *r, int64_t now_ns, struct pace *out);

#endif
