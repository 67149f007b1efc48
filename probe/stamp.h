/* stamp.h: STAMP test packets as bytes (RFC 8762 unauthenticated, RFC 8972 TLVs). Pure, fuzzed.
 *
 * Timestamps: Z = 1 is the truncated PTPv2 format (32 bit seconds, 32 bit nanoseconds) on the PTP
 * timescale, Z = 0 the NTP format, used for ARB whose time is UTC by convention. Nanoseconds
 * survive both exactly. Seconds are 32 bits: a decoder is given an instant within 2^31 s.
 *
 * The follow-up TLV carries the real transmit stamp of the *previous* reply. Our trust TLV is of
 * private type 252 and has the same length both ways. */
#ifndef PROBE_STAMP_H
#define PROBE_STAMP_H

#include <stddef.h>
#include <stdint.h>
#include "port.h"

#define STAMP_UDP_PORT		862
#define STAMP_BASE		44
#define STAMP_TLV_PADDING	1	/* RFC 8972 4.1 */
#define STAMP_TLV_TIMESTAMP	3	/* RFC 8972 4.3 */
#define STAMP_TLV_FOLLOW_UP	7	/* RFC 8972 4.7 */
#define STAMP_TLV_TRUST		252	/* private use, RFC 8972 5.1 */

/* A packet with all of our TLVs. */
#define STAMP_FULL		(STAMP_BASE + 8 + 20 + 64)

/* RFC 8972 table 7 and table 8. */
enum stamp_sync { STAMP_SYNC_NTP = 1, STAMP_SYNC_PTP, STAMP_SYNC_SSU, STAMP_SYNC_GNSS, STAMP_SYNC_LOCAL };
enum stamp_method { STAMP_METHOD_NONE, STAMP_METHOD_HARDWARE, STAMP_METHOD_SOFTWARE, STAMP_METHOD_CONTROL };
enum stamp_method stamp_method_of(enum stamp_kind kind);
enum stamp_kind stamp_kind_of(uint8_t method);

struct stamp_error_estimate {	/* RFC 4656 4.1.2, RFC 8762 4.2.1 */
	int synced;		/* S: only where a bound against UTC exists */
	int ptp_format;		/* Z */
	int64_t error_ns;	/* rounded up to multiplier * 2^(scale-32) s, multiplier >= 1;
				 * < 0 not known: sent as the largest, read back as INT64_MAX */
};

/* One end's trust, as its page said it. */
struct stamp_trust {
	uint8_t state, flags, domain;	/* tsv_state, low byte of tsv flags */
	uint32_t epoch_before, epoch_after;	/* at the receive and at the transmit stamp */
	int64_t bound_parent_ns, bound_gm_ns, bound_utc_ns;	/* -1: none; carried as uint32 */
	int64_t port_budget_ns;			/* likewise */
	int64_t good_until_ns, page_ns;
	uint8_t parent[8], gm[8];
};

struct stamp_packet {
	uint32_t seq;
	int64_t timestamp_ns;		/* T1, or T3 in a reply */
	struct stamp_error_estimate error;
	uint16_t ssid;
	/* reply only */
	int64_t receive_ns;		/* T2 */
	uint32_t sender_seq;
	int64_t sender_timestamp_ns;
	struct stamp_error_estimate sender_error;
	uint8_t sender_ttl;
	/* TLVs; has_… says which are there, and, in a reply, were understood by the reflector */
	int has_timestamp_info, has_follow_up, has_trust;
	uint8_t sync_in, method_in, sync_out, method_out;	/* RFC 8972 tables 7 and 8 */
	uint32_t follow_up_seq;
	int64_t follow_up_ns;
	uint8_t follow_up_method;	/* STAMP_METHOD_NONE: it carries no stamp */
	struct stamp_trust trust;
	int unknown_tlvs;		/* decoded: how many were not known */
};

enum { STAMP_SENDER, STAMP_REFLECTOR };

/* Writes the UDP payload; returns its length or -EMSGSIZE. Where the timestamp sits, so that it can be
 * written last: stamp_put_time(). */
int stamp_encode(uint8_t *buf, size_t size, int role, const struct stamp_packet *p);
/* `near_ns` resolves the era of the timestamps. 0, or -EBADMSG when the base packet or a TLV is cut short,
 * a TLV of ours has another length, or a field holds what it cannot (multiplier 0, 10^9 ns).
 * A TLV list that is not whole makes the whole packet malformed. */
int stamp_decode(const uint8_t *buf, size_t len, int role, int64_t near_ns, struct stamp_packet *p);
/* Turns a sender's packet, which stamp_decode() has accepted, into the reply to it, in place and of the
 * same length: what the sender wrote is moved to its place, the rest is taken from `reply`. Of the TLVs,
 * ours are filled in, the ones not known are copied with the U flag. */
void stamp_reflect(uint8_t *buf, size_t len, const struct stamp_packet *reply);
/* Overwrites the timestamp field of an encoded packet in place. */
#define STAMP_TIME_OFFSET 4
void stamp_put_time(uint8_t *buf, int64_t ns, int ptp_format);

#endif
