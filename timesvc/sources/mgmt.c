#include "mgmt.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mgmt_wire.h"
#include "nstime.h"

enum { SUBSCRIBE_SECONDS = 30, RENEW_SECONDS = 10, RECEIVE_AT_ONCE = 64, DATA_SETS = 7 };
enum { OUR_PORT = 1 };	/* the port of the instance whose data sets are used */
enum { NO_SUCH_ID = 0x0002, NOT_SUPPORTED = 0x0006 };	/* IEEE 1588-2008 Table 72 */

/* In the order they are asked for: what dates the reading comes first. */
static const struct { uint16_t id; uint32_t have; } asked[DATA_SETS] = {
	{ MGMT_TIME_STATUS_NP, PTP_HAVE_TIME_STATUS },
	{ MGMT_PORT_DATA_SET, PTP_HAVE_PORT },
	{ MGMT_PORT_STATS_NP, PTP_HAVE_STATS },
	{ MGMT_CURRENT_DATA_SET, PTP_HAVE_CURRENT },
	{ MGMT_PARENT_DATA_SET, PTP_HAVE_PARENT },
	{ MGMT_TIME_PROPERTIES_DATA_SET, PTP_HAVE_PROPERTIES },
	{ MGMT_DEFAULT_DATA_SET, PTP_HAVE_DEFAULT },
};

struct mgmt {
	int fd;
	uint8_t domain, transport_specific;
	uint16_t poll_port, event_port;		/* our portNumbers */
	uint16_t next_sequence, first_sequence;	/* of the poll under way */
	uint16_t subscribe_sequence;
	uint32_t pending;			/* PTP_HAVE_… bits awaited */
	uint32_t unknown;			/* bits this instance has no data set for */
	int subscribing;			/* until it is refused */
	int64_t renew_ns;
	int clock_known;
	struct ptp_identity clock;		/* of the instance */
	struct ptp_reading reading;
	struct mgmt_counters counters;
};

struct mgmt *mgmt_new(uint8_t domain, uint8_t transport_specific)
{
	struct mgmt *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->fd = -1;
	m->domain = domain;
	m->transport_specific = transport_specific;
	/* Neither 0 nor the all-ones wildcard, and never the same. */
	m->poll_port = (uint16_t)(1 + getpid() % 0x7ffe);
	m->event_port = m->poll_port | 0x8000;
	return m;
}

void mgmt_free(struct mgmt *m)
{
	if (!m)
		return;
	mgmt_attach(m, -1);
	free(m);
}

void mgmt_attach(struct mgmt *m, int fd)
{
	if (m->fd >= 0)
		close(m->fd);
	m->fd = fd;
	m->pending = 0;
	m->unknown = 0;
	m->subscribing = 1;
	m->renew_ns = INT64_MIN;
	m->clock_known = 0;
	m->reading = (struct ptp_reading){ 0 };
}

int mgmt_fd(const struct mgmt *m)
{
	return m->fd;
}

static int send_request(struct mgmt *m, const uint8_t *buf, int len)
{
	ssize_t n;

	do
		n = send(m->fd, buf, (size_t)len, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n == len)
		return 0;
	m->counters.send_errors++;
	return n < 0 ? -errno : -EMSGSIZE;
}

static int subscribe(struct mgmt *m, int64_t now_ns)
{
	uint8_t buf[MGMT_MAX];
	int rc;

	if (!m->subscribing || now_ns < m->renew_ns)
		return 0;
	m->subscribe_sequence++;
	rc = send_request(m, buf, mgmt_encode_subscribe(buf, sizeof(buf), SUBSCRIBE_SECONDS,
		m->subscribe_sequence, m->event_port, m->domain, m->transport_specific));
	if (rc == 0)
		m->renew_ns = nstime_add(now_ns, RENEW_SECONDS * NS_PER_S);
	return rc;
}

static int ask(struct mgmt *m, int i)
{
	uint8_t buf[MGMT_MAX];

	return send_request(m, buf, mgmt_encode_get(buf, sizeof(buf), asked[i].id,
		(uint16_t)(m->first_sequence + i), m->poll_port, m->domain, m->transport_specific));
}

int mgmt_poll(struct mgmt *m, int64_t now_mono_ns)
{
	int rc = 0;

	if (m->fd < 0)
		return -ENOTCONN;
	m->counters.polls++;
	m->first_sequence = m->next_sequence;
	m->next_sequence = (uint16_t)(m->next_sequence + DATA_SETS);
	m->reading = (struct ptp_reading){ .asked_ns = now_mono_ns };
	m->pending = 0;
	for (int i = 0; i < DATA_SETS; i++)
		m->pending |= asked[i].have & ~m->unknown;
	for (int i = 0; i < DATA_SETS && rc == 0; i++)
		if (m->pending & asked[i].have)
			rc = ask(m, i);
	return rc < 0 ? rc : subscribe(m, now_mono_ns);
}

/* The slot of the poll under way that this message answers, or -1. */
static int find_slot(const struct mgmt *m, const struct mgmt_message *msg)
{
	int i = (uint16_t)(msg->sequence - m->first_sequence);

	if (i >= DATA_SETS || asked[i].id != msg->id || !(m->pending & asked[i].have))
		return -1;
	return msg->error || msg->have == asked[i].have ? i : -1;
}

static void copy_data_set(struct ptp_reading *to, const struct ptp_reading *from, uint32_t have)
{
	switch (have) {
	case PTP_HAVE_TIME_STATUS: to->time_status = from->time_status; break;
	case PTP_HAVE_DEFAULT: to->defaults = from->defaults; break;
	case PTP_HAVE_CURRENT: to->current = from->current; break;
	case PTP_HAVE_PARENT: to->parent = from->parent; break;
	case PTP_HAVE_PROPERTIES: to->properties = from->properties; break;
	case PTP_HAVE_PORT: to->port = from->port; break;
	case PTP_HAVE_STATS: to->stats = from->stats; break;
	}
	to->have |= have;
}

static int is_other_port(const struct mgmt_message *msg, const struct ptp_reading *r)
{
	return (msg->have == PTP_HAVE_PORT && r->port.port.port != OUR_PORT) ||
		(msg->have == PTP_HAVE_STATS && r->stats.port.port != OUR_PORT);
}

static int is_foreign(const struct mgmt *m, const struct mgmt_message *msg)
{
	if (msg->domain != m->domain)
		return 1;
	if (msg->target.port != m->poll_port && msg->target.port != m->event_port)
		return 1;
	return m->clock_known && !ptp_identity_equal(&msg->source.clock, &m->clock);
}

/* To our events' portNumber: a push, or the answer to the subscription. */
static int take_event(struct mgmt *m, const struct mgmt_message *msg, const struct ptp_reading *r)
{
	if (msg->id == MGMT_SUBSCRIBE_EVENTS_NP) {
		if (msg->error && msg->sequence == m->subscribe_sequence) {
			m->counters.refused++;
			m->subscribing = 0;
		}
		return 0;
	}
	if (msg->have != PTP_HAVE_PORT || is_other_port(msg, r))
		return 0;
	m->counters.events++;
	return MGMT_STATE_EVENT;
}

static int take_reply(struct mgmt *m, const struct mgmt_message *msg, const struct ptp_reading *r,
	int64_t now_ns)
{
	int slot = find_slot(m, msg);

	if (slot < 0) {
		m->counters.late++;
		return 0;
	}
	m->clock_known = 1;
	m->clock = msg->source.clock;
	m->reading.answered_ns = now_ns;
	if (msg->error) {
		m->counters.refused++;
		if (msg->error == NO_SUCH_ID || msg->error == NOT_SUPPORTED)
			m->unknown |= asked[slot].have;
	} else {
		copy_data_set(&m->reading, r, msg->have);
	}
	m->pending &= ~asked[slot].have;
	if (m->pending)
		return 0;
	m->counters.answered++;
	return MGMT_POLL_COMPLETE;
}

static int take_datagram(struct mgmt *m, const uint8_t *buf, size_t len, int64_t now_ns)
{
	struct mgmt_message msg;
	struct ptp_reading r;

	if (mgmt_decode(buf, len, &msg, &r) < 0) {
		m->counters.malformed++;
		return 0;
	}
	if (is_foreign(m, &msg)) {
		m->counters.foreign++;
		return 0;
	}
	if (msg.target.port == m->event_port)
		return take_event(m, &msg, &r);
	if (is_other_port(&msg, &r))
		return 0;
	return take_reply(m, &msg, &r, now_ns);
}

int mgmt_receive(struct mgmt *m, int64_t now_mono_ns)
{
	uint8_t buf[MGMT_MAX];
	int todo = 0;

	for (int i = 0; i < RECEIVE_AT_ONCE; i++) {
		/* MSG_TRUNC: the real length, so that an overlong datagram is seen as one. */
		ssize_t n = recv(m->fd, buf, sizeof(buf), MSG_DONTWAIT | MSG_TRUNC);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		todo |= take_datagram(m, buf, (size_t)n, now_mono_ns);
	}
	return todo;
}

const struct ptp_reading *mgmt_reading(const struct mgmt *m)
{
	return &m->reading;
}

const struct mgmt_counters *mgmt_counters(const struct mgmt *m)
{
	return &m->counters;
}
