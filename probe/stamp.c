#include "stamp.h"

#include <errno.h>
#include <string.h>
#include "bytes.h"
#include "stamp_time.h"
#include "stamp_tlv.h"

/* Offsets of RFC 8762 figures 3 and 5, with the SSID of RFC 8972 figure 1. */
enum {
	AT_SEQ = 0, AT_TIME = STAMP_TIME_OFFSET, AT_ERROR = 12, AT_SSID = 14, AT_RECEIVE = 16,
	AT_SENDER_SEQ = 24, AT_SENDER_TIME = 28, AT_SENDER_ERROR = 36, AT_SENDER_TTL = 40
};

enum stamp_method stamp_method_of(enum stamp_kind kind)
{
	switch (kind) {
	case STAMP_HARDWARE: return STAMP_METHOD_HARDWARE;
	case STAMP_SOFTWARE: return STAMP_METHOD_SOFTWARE;
	default: return STAMP_METHOD_NONE;
	}
}

enum stamp_kind stamp_kind_of(uint8_t method)
{
	switch (method) {
	case STAMP_METHOD_HARDWARE: return STAMP_HARDWARE;
	case STAMP_METHOD_SOFTWARE: return STAMP_SOFTWARE;
	default: return STAMP_NONE;
	}
}

static void put_head(uint8_t *buf, const struct stamp_packet *p)
{
	put32(buf + AT_SEQ, p->seq);
	stamp_time_encode(buf + AT_TIME, p->timestamp_ns, p->error.ptp_format);
	put16(buf + AT_ERROR, stamp_error_encode(&p->error));
	put16(buf + AT_SSID, p->ssid);
}

int stamp_encode(uint8_t *buf, size_t size, int role, const struct stamp_packet *p)
{
	int tlvs;

	if (size < STAMP_BASE)
		return -EMSGSIZE;
	memset(buf, 0, STAMP_BASE);
	put_head(buf, p);
	if (role == STAMP_REFLECTOR) {
		stamp_time_encode(buf + AT_RECEIVE, p->receive_ns, p->error.ptp_format);
		put32(buf + AT_SENDER_SEQ, p->sender_seq);
		stamp_time_encode(buf + AT_SENDER_TIME, p->sender_timestamp_ns, p->sender_error.ptp_format);
		put16(buf + AT_SENDER_ERROR, stamp_error_encode(&p->sender_error));
		buf[AT_SENDER_TTL] = p->sender_ttl;
	}
	tlvs = stamp_tlv_encode(buf + STAMP_BASE, size - STAMP_BASE, role, p);
	return tlvs < 0 ? tlvs : STAMP_BASE + tlvs;
}

static int get_reply(const uint8_t *buf, int64_t near_ns, struct stamp_packet *p)
{
	if (stamp_error_decode(get16(buf + AT_SENDER_ERROR), &p->sender_error))
		return -EBADMSG;
	p->sender_seq = get32(buf + AT_SENDER_SEQ);
	p->sender_ttl = buf[AT_SENDER_TTL];
	if (stamp_time_decode(buf + AT_RECEIVE, p->error.ptp_format, near_ns, &p->receive_ns))
		return -EBADMSG;
	return stamp_time_decode(buf + AT_SENDER_TIME, p->sender_error.ptp_format, near_ns,
				 &p->sender_timestamp_ns);
}

int stamp_decode(const uint8_t *buf, size_t len, int role, int64_t near_ns, struct stamp_packet *p)
{
	int err;

	memset(p, 0, sizeof(*p));
	if (len < STAMP_BASE || stamp_error_decode(get16(buf + AT_ERROR), &p->error))
		return -EBADMSG;
	p->seq = get32(buf + AT_SEQ);
	p->ssid = get16(buf + AT_SSID);
	err = stamp_time_decode(buf + AT_TIME, p->error.ptp_format, near_ns, &p->timestamp_ns);
	if (!err && role == STAMP_REFLECTOR)
		err = get_reply(buf, near_ns, p);
	return err ? err : stamp_tlv_decode(buf + STAMP_BASE, len - STAMP_BASE, role, near_ns, p);
}

/* The sender's sequence number, timestamp and error estimate are the first 14 bytes, and one block again. */
void stamp_reflect(uint8_t *buf, size_t len, const struct stamp_packet *reply)
{
	uint16_t ssid = get16(buf + AT_SSID);

	memmove(buf + AT_SENDER_SEQ, buf + AT_SEQ, AT_SSID - AT_SEQ);
	put_head(buf, reply);
	put16(buf + AT_SSID, ssid);
	stamp_time_encode(buf + AT_RECEIVE, reply->receive_ns, reply->error.ptp_format);
	memset(buf + AT_SENDER_ERROR + 2, 0, STAMP_BASE - AT_SENDER_ERROR - 2);
	buf[AT_SENDER_TTL] = reply->sender_ttl;
	stamp_tlv_reflect(buf + STAMP_BASE, len - STAMP_BASE, reply);
}

void stamp_put_time(uint8_t *buf, int64_t ns, int ptp_format)
{
	stamp_time_encode(buf + AT_TIME, ns, ptp_format);
}
