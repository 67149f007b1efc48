/* mgmt.h: polls one ptp4l over its management socket.
 *
 * The descriptor comes from the monitor (a bound and connected SOCK_DGRAM). A successful
 * send proves nothing, only a reply does. Replies are matched by sequence, by the client's
 * portNumber and by the answering clock; what matches nothing is counted, not used.
 * Port data sets are taken from the instance's port `port_number` (1 unless configured).
 * Never blocks. Thread rule: the engine's loop only. */
#ifndef TIMESVC_MGMT_H
#define TIMESVC_MGMT_H

#include "../ptp.h"

struct mgmt;

struct mgmt_counters { uint64_t polls, answered, late, malformed, foreign, refused, send_errors, events; };

struct mgmt *mgmt_new(uint8_t domain, uint8_t transport_specific);	/* NULL: out of memory */
void mgmt_free(struct mgmt *m);		/* closes the descriptor */

/* Takes the descriptor over; forgets what the last instance could do. -1 for none. */
void mgmt_attach(struct mgmt *m, int fd);
int mgmt_fd(const struct mgmt *m);

/* Sends the requests of one poll. What the last poll did not get is given up.
 * 0, -ENOTCONN without a descriptor, or the send's -errno (-EAGAIN: its queue is full;
 * -ECONNREFUSED, -ENOENT: nobody listens any more). */
int mgmt_poll(struct mgmt *m, int64_t now_mono_ns);

/* Reads all that has arrived. Returns a mask of what to do. */
enum { MGMT_POLL_COMPLETE = 1, MGMT_STATE_EVENT = 2 };
int mgmt_receive(struct mgmt *m, int64_t now_mono_ns);

/* The poll under way or finished; valid until the next mgmt_poll(). */
const struct ptp_reading *mgmt_reading(const struct mgmt *m);
const struct mgmt_counters *mgmt_counters(const struct mgmt *m);

#endif
