/* stamp_tlv.h: the TLVs of RFC 8972 that the probe knows. Used by stamp.c alone. */
#ifndef PROBE_STAMP_TLV_H
#define PROBE_STAMP_TLV_H

#include "stamp.h"

#define TLV_HEADER	4
#define TLV_UNKNOWN	0x80	/* U; set by a sender, cleared by a reflector that knows the type */
#define TLV_MALFORMED	0x40	/* M */
#define TLV_INTEGRITY	0x20	/* I */

/* Writes the TLVs that has_… asks for; returns the number of bytes or -EMSGSIZE. */
int stamp_tlv_encode(uint8_t *buf, size_t size, int role, const struct stamp_packet *p);
/* -EBADMSG when the list is not whole. */
int stamp_tlv_decode(const uint8_t *buf, size_t len, int role, int64_t near_ns, struct stamp_packet *p);
/* Turns a whole list that a sender wrote into a reflector's, in place. */
void stamp_tlv_reflect(uint8_t *buf, size_t len, const struct stamp_packet *reply);

#endif
