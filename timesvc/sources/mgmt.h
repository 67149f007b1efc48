/* mgmt.h: polls one ptp4l over its management socket.
 *
 * The descriptor comes from the monitor (a bound and connected SOCK_DGRAM). A successful
 * send proves nothing, only a reply does. Replies are matched by sequence, by the client's
 * portNumber and by the answering clock (whoever answers first after mgmt_attach()); what
 * matches nothing is counted, not used. Port data sets are taken from the instance's port 1,
 * those of its other ports are passed over.
 *
 * Port-state events are subscribed to under a portNumber of their own, so that a push is
 * never taken for a reply, and for a short time only: ptp4l's sends block, and a client that
 * was stopped must not be written to for ever.
 *
 * Never blocks. Thread rule: the engine's loop only. */
#ifndef TIMESVC_MGMT_H
#define TIMESVC_MGMT_H

#include "../ptp.h"

struct mgmt;

struct mgmt_counters {
	uint64_t polls;		/* begun */
	uint64_t answered;	/* polls that brought all they asked for, refusals aside */
	uint64_t late;		/* replies to a poll that was given up, and duplicates */
	uint64_t malformed;
	uint64_t foreign;	/* for another client, from another clock or domain */
	uint64_t refused;	/* requests that ptp4l answered with an error */
	uint64_t send_errors;
	uint64_t events;	/* port-state events pushed */
};

struct mgmt *mgmt_new(uint8_t domain, uint8_t transport_specific);	/* NULL: out of memory */
void mgmt_free(struct mgmt *m);		/* closes the descriptor */

/* Takes the descriptor over; forgets what the last instance could do. -1 for none. */
void mgmt_attach(struct mgmt *m, int fd);
int mgmt_fd(const struct mgmt *m);

/* Sends the requests of one poll: all data sets but those that this instance refused as
 * unknown. What the last poll did not get is given up.
 * 0, -ENOTCONN without a descriptor, or the send's -errno (-EAGAIN: its queue is full;
 * -ECONNREFUSED, -ENOENT: nobody listens any more). */
int mgmt_poll(struct mgmt *m, int64_t now_mono_ns);

/* Reads what has arrived, at most a few dozen datagrams at once. Returns a mask of what to
 * do: MGMT_POLL_COMPLETE once per poll, when nothing more is awaited. */
enum { MGMT_POLL_COMPLETE = 1, MGMT_STATE_EVENT = 2 };
int mgmt_receive(struct mgmt *m, int64_t now_mono_ns);

/* The poll under way or finished; valid until the next mgmt_poll(). */
const struct ptp_reading *mgmt_reading(const struct mgmt *m);
const struct mgmt_counters *mgmt_counters(const struct mgmt *m);

#endif
