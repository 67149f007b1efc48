#include "stamp_tlv.h"

#include <errno.h>
#include <string.h>
#include "bytes.h"
#include "stamp_time.h"

#define TIMESTAMP_LEN	4
#define FOLLOW_UP_LEN	16
#define TRUST_LEN	60
#define NO_BOUND	UINT32_MAX

_Static_assert(STAMP_FULL == STAMP_BASE + 3 * TLV_HEADER + TIMESTAMP_LEN + FOLLOW_UP_LEN + TRUST_LEN,
	       "STAMP_FULL counts all TLVs");

static uint32_t bound_encode(int64_t ns)
{
	return ns < 0 || ns >= NO_BOUND ? NO_BOUND : (uint32_t)ns;
}

static int64_t bound_decode(const uint8_t *p)
{
	uint32_t v = get32(p);

	return v == NO_BOUND ? -1 : (int64_t)v;
}

static void timestamp_put(uint8_t *v, const struct stamp_packet *p)
{
	v[0] = p->sync_in;
	v[1] = p->method_in;
	v[2] = p->sync_out;
	v[3] = p->method_out;
}

static int timestamp_get(const uint8_t *v, int64_t near_ns, struct stamp_packet *p)
{
	(void)near_ns;
	p->has_timestamp_info = 1;
	p->sync_in = v[0];
	p->method_in = v[1];
	p->sync_out = v[2];
	p->method_out = v[3];
	return 0;
}

static void follow_up_put(uint8_t *v, const struct stamp_packet *p)
{
	memset(v, 0, FOLLOW_UP_LEN);
	if (p->follow_up_method == STAMP_METHOD_NONE)
		return;
	put32(v, p->follow_up_seq);
	stamp_time_encode(v + 4, p->follow_up_ns, p->error.ptp_format);
	v[12] = p->follow_up_method;
}

static int follow_up_get(const uint8_t *v, int64_t near_ns, struct stamp_packet *p)
{
	p->has_follow_up = 1;
	p->follow_up_seq = get32(v);
	p->follow_up_method = v[12];
	return stamp_time_decode(v + 4, p->error.ptp_format, near_ns, &p->follow_up_ns);
}

static void trust_put(uint8_t *v, const struct stamp_packet *p)
{
	const struct stamp_trust *t = &p->trust;

	v[0] = t->state;
	v[1] = t->flags;
	v[2] = t->domain;
	v[3] = 0;
	put32(v + 4, t->epoch_before);
	put32(v + 8, t->epoch_after);
	put32(v + 12, bound_encode(t->bound_parent_ns));
	put32(v + 16, bound_encode(t->bound_gm_ns));
	put32(v + 20, bound_encode(t->bound_utc_ns));
	put32(v + 24, bound_encode(t->port_budget_ns));
	put64(v + 28, (uint64_t)t->good_until_ns);
	put64(v + 36, (uint64_t)t->page_ns);
	memcpy(v + 44, t->parent, 8);
	memcpy(v + 52, t->gm, 8);
}

static int trust_get(const uint8_t *v, int64_t near_ns, struct stamp_packet *p)
{
	struct stamp_trust *t = &p->trust;

	(void)near_ns;
	p->has_trust = 1;
	t->state = v[0];
	t->flags = v[1];
	t->domain = v[2];
	t->epoch_before = get32(v + 4);
	t->epoch_after = get32(v + 8);
	t->bound_parent_ns = bound_decode(v + 12);
	t->bound_gm_ns = bound_decode(v + 16);
	t->bound_utc_ns = bound_decode(v + 20);
	t->port_budget_ns = bound_decode(v + 24);
	t->good_until_ns = (int64_t)get64(v + 28);
	t->page_ns = (int64_t)get64(v + 36);
	memcpy(t->parent, v + 44, 8);
	memcpy(t->gm, v + 52, 8);
	return 0;
}

static const struct tlv {
	uint8_t type;
	uint8_t len;
	size_t has;	/* where in struct stamp_packet its has_… is */
	void (*put)(uint8_t *v, const struct stamp_packet *p);
	int (*get)(const uint8_t *v, int64_t near_ns, struct stamp_packet *p);
} tlvs[] = {
	{ STAMP_TLV_TIMESTAMP, TIMESTAMP_LEN, offsetof(struct stamp_packet, has_timestamp_info),
	  timestamp_put, timestamp_get },
	{ STAMP_TLV_FOLLOW_UP, FOLLOW_UP_LEN, offsetof(struct stamp_packet, has_follow_up),
	  follow_up_put, follow_up_get },
	{ STAMP_TLV_TRUST, TRUST_LEN, offsetof(struct stamp_packet, has_trust), trust_put, trust_get },
};
#define TLVS (sizeof(tlvs) / sizeof(tlvs[0]))

static const struct tlv *find(uint8_t type)
{
	for (size_t i = 0; i < TLVS; i++)
		if (tlvs[i].type == type)
			return &tlvs[i];
	return NULL;
}

static int wanted(const struct tlv *t, const struct stamp_packet *p)
{
	int has;

	memcpy(&has, (const char *)p + t->has, sizeof(has));
	return has;
}

/* A sender asks with an empty value, except for the trust that it tells of itself. */
static void put_one(uint8_t *buf, const struct tlv *t, int role, const struct stamp_packet *p)
{
	buf[0] = role == STAMP_SENDER ? TLV_UNKNOWN : 0;
	buf[1] = t->type;
	put16(buf + 2, t->len);
	if (role == STAMP_SENDER && t->type != STAMP_TLV_TRUST)
		memset(buf + TLV_HEADER, 0, t->len);
	else
		t->put(buf + TLV_HEADER, p);
}

int stamp_tlv_encode(uint8_t *buf, size_t size, int role, const struct stamp_packet *p)
{
	size_t used = 0;

	for (size_t i = 0; i < TLVS; i++) {
		size_t need = TLV_HEADER + (size_t)tlvs[i].len;

		if (!wanted(&tlvs[i], p))
			continue;
		if (size - used < need)
			return -EMSGSIZE;
		put_one(buf + used, &tlvs[i], role, p);
		used += need;
	}
	return (int)used;
}

/* What a reflector did not fill in still holds what its sender wrote. */
static int filled(uint8_t flags, int role)
{
	return role == STAMP_SENDER || !(flags & (TLV_UNKNOWN | TLV_MALFORMED | TLV_INTEGRITY));
}

static int get_one(const uint8_t *buf, size_t len, int role, int64_t near_ns, struct stamp_packet *p)
{
	const struct tlv *t = find(buf[1]);

	if (!t) {
		p->unknown_tlvs += buf[1] != STAMP_TLV_PADDING;
		return 0;
	}
	if (!filled(buf[0], role))
		return 0;
	return len == t->len ? t->get(buf + TLV_HEADER, near_ns, p) : -EBADMSG;
}

int stamp_tlv_decode(const uint8_t *buf, size_t len, int role, int64_t near_ns, struct stamp_packet *p)
{
	while (len) {
		size_t value;
		int err;

		if (len < TLV_HEADER || len - TLV_HEADER < get16(buf + 2))
			return -EBADMSG;
		value = get16(buf + 2);
		err = get_one(buf, value, role, near_ns, p);
		if (err)
			return err;
		buf += TLV_HEADER + value;
		len -= TLV_HEADER + value;
	}
	return 0;
}

void stamp_tlv_reflect(uint8_t *buf, size_t len, const struct stamp_packet *reply)
{
	while (len) {
		size_t whole = TLV_HEADER + (size_t)get16(buf + 2);
		const struct tlv *t = find(buf[1]);

		if (t)
			put_one(buf, t, STAMP_REFLECTOR, reply);
		else
			buf[0] = buf[1] == STAMP_TLV_PADDING ? 0 : TLV_UNKNOWN;
		buf += whole;
		len -= whole;
	}
}
