/* sender_state.h: what the files of the sender share. */
#ifndef PROBE_SENDER_STATE_H
#define PROBE_SENDER_STATE_H

#include "flight.h"
#include "sender.h"
#include "sender_test.h"

enum phase { RESOLVING, TESTING, RUNNING, LINGERING, STOPPING };

struct sender {
	struct sender_config config;
	struct net *net;
	struct hwclock *hw;
	const struct clock *clock;
	struct gate *gate;
	struct hist_sum *rtt;
	struct probe_numbers *numbers;
	enum phase phase;
	int64_t start_ns, ends_ns, last_sent_ns, linger_due_ns, gate_due_ns;
	uint64_t scheduled;	/* measured probes so far, sent or failed */
	struct sender_test test;
	int64_t away_ns;	/* how long replies take to be seen; the longest, slowly forgotten */
	/* The kinds of stamps of the run, once a sample has been made. */
	int near_known, far_known;
	uint8_t near_kind, far_kind;
	uint64_t pending[FLIGHT_SLOTS];	/* numbers of the probes whose transmit stamps have not come */
	unsigned pending_head, pending_tail;
	struct flight flight;
};

/* Hands out, in the order in which they left, the transmit stamps that have come. */
void sender_poll_stamps(struct sender *s);
/* A probe has left: its stamp is here, or will be waited for. */
void sender_await_t1(struct sender *s, struct flight_probe *p);
/* What is sent now would not be stamped: the port can hold no more stamps, or, where it holds few, the reply
 * to the newest probe is on its way and the far end may hold no more. */
int sender_slots_full(const struct sender *s, int64_t now_ns);
void sender_give_up_t1(struct flight_probe *p);
/* t3 is known: the far end's real stamp, or what stands in the reply itself; then, without has_stamps, it
 * counts for the round trip alone. */
void sender_complete(struct sender *s, struct flight_probe *p, int64_t t3_ns, enum stamp_kind kind,
	int has_stamps);
/* Everything of a probe is known, or will never be. */
void sender_sample(struct sender *s, struct flight_probe *p);

#endif
