#include "mgmt_wire.h"

#include <errno.h>
#include <string.h>

/* Offsets within a management message; every multi-byte field is big-endian. */
enum {
	AT_TYPE = 0, AT_VERSION = 1, AT_LENGTH = 2, AT_DOMAIN = 4, AT_SOURCE = 20, AT_SEQUENCE = 30,
	AT_CONTROL = 32, AT_LOG_INTERVAL = 33, AT_TARGET = 34, AT_ACTION = 46, AT_TLV = 48
};
/* Offsets within its TLV. The TLV's length counts all that follows the length field. */
enum { TLV_TYPE = 0, TLV_LENGTH = 2, TLV_BODY = 4, TLV_ID = 4, TLV_DATA = 6 };

enum { TLV_MANAGEMENT = 0x0001, TLV_MANAGEMENT_ERROR_STATUS = 0x0002 };
enum { TYPE_MANAGEMENT = 0xD, CONTROL_MANAGEMENT = 4, PORT_IDENTITY_LEN = 10, ERROR_LEN = 8 };
enum { SUBSCRIBE_LEN = 2 + 64, SUBSCRIBE_PORT_STATE = 0x01 };

static void put_be16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static uint16_t get_be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static uint32_t get_be32(const uint8_t *p)
{
	return (uint32_t)get_be16(p) << 16 | get_be16(p + 2);
}

static int64_t get_be64(const uint8_t *p)
{
	return (int64_t)((uint64_t)get_be32(p) << 32 | get_be32(p + 4));
}

static uint64_t get_le64(const uint8_t *p)
{
	uint64_t v = 0;

	for (int i = 7; i >= 0; i--)
		v = v << 8 | p[i];
	return v;
}

static struct ptp_identity get_identity(const uint8_t *p)
{
	struct ptp_identity id;

	memcpy(id.id, p, sizeof(id.id));
	return id;
}

static struct ptp_port_identity get_port_identity(const uint8_t *p)
{
	return (struct ptp_port_identity){ .clock = get_identity(p), .port = get_be16(p + 8) };
}

/* TimeInterval: nanoseconds times 2^16 (IEEE 1588-2008 5.3.2). */
static int64_t get_interval(const uint8_t *p)
{
	return get_be64(p) / 65536;
}

static void read_default(const uint8_t *d, struct ptp_reading *r)
{
	r->defaults = (struct ptp_default_ds){
		.slave_only = d[0] >> 1 & 1,
		.ports = get_be16(d + 2),
		.clock = get_identity(d + 10),
		.domain = d[18],
	};
}

static void read_current(const uint8_t *d, struct ptp_reading *r)
{
	r->current = (struct ptp_current_ds){
		.steps_removed = get_be16(d),
		.offset_from_master_ns = get_interval(d + 2),
		.mean_path_delay_ns = get_interval(d + 10),
	};
}

static void read_parent(const uint8_t *d, struct ptp_reading *r)
{
	r->parent = (struct ptp_parent_ds){
		.parent = get_port_identity(d),
		.gm_priority1 = d[18],
		.gm_class = d[19],
		.gm_accuracy = d[20],
		.gm_variance = get_be16(d + 21),
		.gm_priority2 = d[23],
		.gm = get_identity(d + 24),
	};
}

static void read_properties(const uint8_t *d, struct ptp_reading *r)
{
	r->properties = (struct ptp_time_properties){
		.utc_offset = (int16_t)get_be16(d),
		.leap61 = d[2] & 1,
		.leap59 = d[2] >> 1 & 1,
		.utc_offset_valid = d[2] >> 2 & 1,
		.ptp_timescale = d[2] >> 3 & 1,
		.time_traceable = d[2] >> 4 & 1,
		.frequency_traceable = d[2] >> 5 & 1,
		.time_source = d[3],
	};
}

static void read_port(const uint8_t *d, struct ptp_reading *r)
{
	r->port = (struct ptp_port_ds){
		.port = get_port_identity(d),
		.state = d[10],
		.log_min_delay_req = (int8_t)d[11],
		.peer_mean_path_delay_ns = get_interval(d + 12),
		.log_announce = (int8_t)d[20],
		.announce_receipt_timeout = d[21],
		.log_sync = (int8_t)d[22],
		.delay_mechanism = d[23],
		.log_min_pdelay_req = (int8_t)d[24],
		.version = d[25] & 0xf,
	};
}

static void read_time_status(const uint8_t *d, struct ptp_reading *r)
{
	r->time_status = (struct ptp_time_status){
		.master_offset_ns = get_be64(d),
		.ingress_ns = get_be64(d + 8),
		.cumulative_scaled_rate_offset = (int32_t)get_be32(d + 16),
		.gm_present = get_be32(d + 38) != 0,
		.gm = get_identity(d + 42),
	};
}

static void read_stats(const uint8_t *d, struct ptp_reading *r)
{
	r->stats.port = get_port_identity(d);
	for (int i = 0; i < 16; i++) {	/* linuxptp sends these, and only these, little-endian */
		r->stats.rx[i] = get_le64(d + 10 + 8 * i);
		r->stats.tx[i] = get_le64(d + 138 + 8 * i);
	}
}

static const struct data_set {
	uint16_t id, len;
	uint32_t have;
	void (*read)(const uint8_t *data, struct ptp_reading *r);
} data_sets[] = {
	{ MGMT_DEFAULT_DATA_SET, 20, PTP_HAVE_DEFAULT, read_default },
	{ MGMT_CURRENT_DATA_SET, 18, PTP_HAVE_CURRENT, read_current },
	{ MGMT_PARENT_DATA_SET, 32, PTP_HAVE_PARENT, read_parent },
	{ MGMT_TIME_PROPERTIES_DATA_SET, 4, PTP_HAVE_PROPERTIES, read_properties },
	{ MGMT_PORT_DATA_SET, 26, PTP_HAVE_PORT, read_port },
	{ MGMT_TIME_STATUS_NP, 50, PTP_HAVE_TIME_STATUS, read_time_status },
	{ MGMT_PORT_STATS_NP, 266, PTP_HAVE_STATS, read_stats },
};

static const struct data_set *find_data_set(uint16_t id)
{
	for (size_t i = 0; i < sizeof(data_sets) / sizeof(data_sets[0]); i++)
		if (data_sets[i].id == id)
			return &data_sets[i];
	return NULL;
}

/* Everything up to the data of a request; returns the whole message's length. */
static int encode_head(uint8_t *buf, size_t size, enum mgmt_action action, uint16_t id,
	uint16_t data_len, uint16_t sequence, uint16_t port, uint8_t domain, uint8_t transport_specific)
{
	uint16_t len = AT_TLV + TLV_DATA + data_len;

	if (size < len)
		return -EMSGSIZE;
	memset(buf, 0, len);
	buf[AT_TYPE] = (uint8_t)(transport_specific << 4 | TYPE_MANAGEMENT);
	buf[AT_VERSION] = 2;
	put_be16(buf + AT_LENGTH, len);
	buf[AT_DOMAIN] = domain;
	put_be16(buf + AT_SOURCE + 8, port);
	put_be16(buf + AT_SEQUENCE, sequence);
	buf[AT_CONTROL] = CONTROL_MANAGEMENT;
	buf[AT_LOG_INTERVAL] = 0x7f;
	memset(buf + AT_TARGET, 0xff, PORT_IDENTITY_LEN);
	buf[AT_ACTION] = (uint8_t)action;
	put_be16(buf + AT_TLV + TLV_TYPE, TLV_MANAGEMENT);
	put_be16(buf + AT_TLV + TLV_LENGTH, 2 + data_len);
	put_be16(buf + AT_TLV + TLV_ID, id);
	return len;
}

int mgmt_encode_get(uint8_t *buf, size_t size, uint16_t id, uint16_t sequence, uint16_t port,
	uint8_t domain, uint8_t transport_specific)
{
	return encode_head(buf, size, MGMT_GET, id, 0, sequence, port, domain, transport_specific);
}

int mgmt_encode_subscribe(uint8_t *buf, size_t size, uint16_t seconds, uint16_t sequence,
	uint16_t port, uint8_t domain, uint8_t transport_specific)
{
	int len = encode_head(buf, size, MGMT_SET, MGMT_SUBSCRIBE_EVENTS_NP, SUBSCRIBE_LEN,
		sequence, port, domain, transport_specific);

	if (len < 0)
		return len;
	put_be16(buf + AT_TLV + TLV_DATA, seconds);
	buf[AT_TLV + TLV_DATA + 2] = SUBSCRIBE_PORT_STATE;
	return len;
}

/* The fixed part, with a message length that is the datagram's. */
static int decode_head(const uint8_t *buf, size_t len, struct mgmt_message *m)
{
	if (len < AT_TLV + TLV_DATA || len > MGMT_MAX || get_be16(buf + AT_LENGTH) != len)
		return -EBADMSG;
	if ((buf[AT_TYPE] & 0xf) != TYPE_MANAGEMENT || (buf[AT_VERSION] & 0xf) != 2)
		return -EBADMSG;
	*m = (struct mgmt_message){
		.source = get_port_identity(buf + AT_SOURCE),
		.target = get_port_identity(buf + AT_TARGET),
		.sequence = get_be16(buf + AT_SEQUENCE),
		.domain = buf[AT_DOMAIN],
		.action = buf[AT_ACTION] & 0xf,
	};
	if (m->action != MGMT_RESPONSE && m->action != MGMT_ACKNOWLEDGE)
		return -EBADMSG;
	return 0;
}

/* errorId, managementId, 4 reserved octets, then perhaps a PTPText padded to even length. */
static int decode_error(const uint8_t *body, size_t len, struct mgmt_message *m)
{
	if (len < ERROR_LEN)
		return -EBADMSG;
	if (len > ERROR_LEN) {
		size_t text = 1 + (size_t)body[ERROR_LEN];

		if (ERROR_LEN + text + (text & 1) != len)
			return -EBADMSG;
	}
	m->error = get_be16(body);
	m->id = get_be16(body + 2);
	return m->error ? 0 : -EBADMSG;
}

static int decode_data(const uint8_t *data, size_t len, struct mgmt_message *m,
	struct ptp_reading *reading)
{
	const struct data_set *set = find_data_set(m->id);

	if (!set || m->action != MGMT_RESPONSE)
		return 0;
	if (len != set->len)
		return -EBADMSG;
	set->read(data, reading);
	m->have = set->have;
	return 0;
}

int mgmt_decode(const uint8_t *buf, size_t len, struct mgmt_message *msg, struct ptp_reading *reading)
{
	const uint8_t *tlv;
	uint16_t tlv_type, tlv_len;
	int rc = decode_head(buf, len, msg);

	if (rc < 0)
		return rc;
	tlv = buf + AT_TLV;
	tlv_type = get_be16(tlv + TLV_TYPE);
	tlv_len = get_be16(tlv + TLV_LENGTH);
	if (tlv_len & 1 || AT_TLV + TLV_BODY + (size_t)tlv_len != len)
		return -EBADMSG;
	if (tlv_type == TLV_MANAGEMENT_ERROR_STATUS)
		return decode_error(tlv + TLV_BODY, tlv_len, msg);
	if (tlv_type != TLV_MANAGEMENT)
		return -EBADMSG;
	msg->id = get_be16(tlv + TLV_ID);
	return decode_data(tlv + TLV_DATA, tlv_len - 2u, msg, reading);
}
