/* flight.h: the probes in flight, by sequence number: which reply answers which, and how often.
 *
 * A fixed ring of FLIGHT_SLOTS. Pure bookkeeping: it knows no clock but the instants it is given. */
#ifndef PROBE_FLIGHT_H
#define PROBE_FLIGHT_H

#include <stdint.h>
#include "ether.h"
#include "gate.h"
#include "port.h"

#define FLIGHT_SLOTS 4096

enum flight_state { FLIGHT_UNSENT, FLIGHT_SENT, FLIGHT_REPLIED, FLIGHT_DONE, FLIGHT_LOST };

struct flight_probe {
	uint64_t seq;
	enum flight_state state;
	int measured;		/* 0: sent for what its reply tells of the far end only */
	int64_t sent_ns;
	enum carrier carrier;
	struct port_sent departure;
	struct stamp t1, t4;
	int t1_pending;		/* its hardware stamp has not come yet */
	int followed;		/* t3 has come, or will not */
	uint32_t map_epoch;	/* of the device clock, at t1 */
	uint8_t far_in, far_out;	/* enum stamp_kind of t2 and t3 */
	int far_says;		/* the far end tells of what kind its stamps are */
	uint32_t reply_seq;	/* the reflector's number of the reply */
	struct gate_sample sample;
};

enum flight_match {
	FLIGHT_FIRST,		/* the first reply in order */
	FLIGHT_REORDERED,	/* the first reply, after one to a later probe */
	FLIGHT_DUPLICATE,
	FLIGHT_LATE,		/* its probe had been given up */
	FLIGHT_STRANGE		/* answers nothing that was sent */
};

struct flight {
	uint64_t next;		/* the number of the next probe */
	uint64_t oldest;	/* all before it are DONE or LOST */
	uint64_t newest_reply;	/* highest number answered, + 1 */
	uint64_t open;		/* measured ones that are SENT or REPLIED */
	uint64_t unanswered;	/* all that are SENT */
	uint64_t by_reply[FLIGHT_SLOTS];	/* the number of the probe that a reply answered */
	struct flight_probe probe[FLIGHT_SLOTS];
};

/* The slot of the next probe, UNSENT; the caller has made room (flight_full()). */
struct flight_probe *flight_take(struct flight *f);
int flight_full(const struct flight *f);
/* Changes the state of a probe; every change goes through here. */
void flight_set(struct flight *f, struct flight_probe *p, enum flight_state state);
/* *p is set for FIRST and REORDERED, which the caller then fills and marks REPLIED. */
enum flight_match flight_match(struct flight *f, uint32_t wire_seq, struct flight_probe **p);
/* Remembers under which number its reply came, for the follow-up. */
void flight_await(struct flight *f, struct flight_probe *p, uint32_t reply_seq);
/* The REPLIED probe whose reply had that number, NULL when there is none. */
struct flight_probe *flight_followed(struct flight *f, uint32_t reply_seq);
/* The slot of a probe while it is remembered, else NULL. */
struct flight_probe *flight_at(struct flight *f, uint64_t seq);
/* The newest probe still waits for its reply. */
int flight_newest_open(const struct flight *f);
/* The oldest probe that is not yet DONE or LOST, NULL when there is none. */
struct flight_probe *flight_oldest(struct flight *f);

#endif
