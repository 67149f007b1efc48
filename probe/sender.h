/* sender.h: the Session-Sender: probes on a schedule, replies matched to them, samples for the gate.
 *
 * The schedule is open-loop: probe k is due at start + k / rate whatever became of the others; one that
 * leaves late is sent all the same and its lateness recorded. A sample is complete when its follow-up
 * has come: the next reply carries the real transmit stamp of the one before. A reflector that sends no
 * follow-up is taken at the word of its in-frame stamp.
 *
 * Where the port has hardware stamps to offer, probes that are not measured test them first, over one
 * carrier after the other (sender_test.h). A measured probe without a stamp of its end's kind
 * is counted under its reason and makes no sample.
 *
 * After the last probe the sender lingers: it sends a few more, which are not measured, until the gate
 * has heard from both ends what it needs to decide, at most 2 s.
 *
 * Lost: no reply within 1 s, or 4096 newer ones sent. Instants named now_ns are clock_mono_ns(). */
#ifndef PROBE_SENDER_H
#define PROBE_SENDER_H

#include "clock.h"
#include "gate.h"
#include "hist.h"
#include "net.h"
#include "pace.h"
#include "segment.h"

struct sender_config {
	int64_t rate;		/* probes a second */
	uint64_t count;		/* 0: no limit */
	int64_t span_ns;	/* from the first probe on; 0: no limit */
	uint16_t ssid;		/* not 0 (RFC 8972 3) */
	uint16_t remote_port;
	enum carrier carrier;	/* CARRIER_COUNT: whichever brings hardware stamps, else UDP */
};

struct sender;
/* Everything must outlive the sender. NULL: out of memory. */
struct sender *sender_new(const struct sender_config *config, struct net *net, struct gate *gate,
	struct hist_sum *rtt, struct probe_numbers *numbers);
void sender_free(struct sender *s);	/* NULL is allowed */

/* A payload from the peer, as net_input() gave it. */
void sender_input(struct sender *s, const struct ether_packet *p, const struct port_frame *f, int64_t now_ns);
/* Sends what is due, gives up what is lost, lets the gate hear this end's page. */
void sender_work(struct sender *s, int64_t now_ns);
void sender_pace(const struct sender *s, int64_t now_ns, struct pace *out);
/* No more probes: only the replies on their way are waited for, 100 ms at most. */
void sender_stop(struct sender *s, int64_t now_ns);
int sender_done(const struct sender *s, int64_t now_ns);
/* Accounts for what is still open, and closes the gate. */
void sender_finish(struct sender *s);

#endif
