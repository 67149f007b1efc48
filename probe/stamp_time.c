#include "stamp_time.h"

#include <errno.h>
#include "bytes.h"
#include "nstime.h"

#define NTP_UNIX_OFFSET	UINT32_C(2208988800)	/* 1900-01-01 to 1970-01-01 */
#define ERROR_S		0x8000
#define ERROR_Z		0x4000
#define ERROR_SCALE_MAX	63
#define ERROR_MULT_MAX	255

static int64_t floor_seconds(int64_t ns)
{
	return ns / NS_PER_S - (ns % NS_PER_S < 0);
}

/* The fraction is rounded up, and down again by the decoder: 2^-32 s is less than 1 ns. */
void stamp_time_encode(uint8_t *buf, int64_t ns, int ptp_format)
{
	int64_t s = floor_seconds(ns);
	uint64_t rest = (uint64_t)(ns - s * NS_PER_S);

	if (ptp_format) {
		put32(buf, (uint32_t)s);
		put32(buf + 4, (uint32_t)rest);
		return;
	}
	put32(buf, (uint32_t)s + NTP_UNIX_OFFSET);
	put32(buf + 4, (uint32_t)(((rest << 32) + NS_PER_S - 1) / NS_PER_S));
}

int stamp_time_decode(const uint8_t *buf, int ptp_format, int64_t near_ns, int64_t *ns)
{
	uint32_t s = get32(buf) - (ptp_format ? 0 : NTP_UNIX_OFFSET);
	uint64_t fraction = get32(buf + 4);
	int64_t near_s = floor_seconds(near_ns), rest;

	if (ptp_format && fraction >= NS_PER_S)
		return -EBADMSG;
	rest = (int64_t)(ptp_format ? fraction : fraction * NS_PER_S >> 32);
	if (__builtin_mul_overflow(near_s + (int32_t)(s - (uint32_t)near_s), NS_PER_S, ns) ||
	    __builtin_add_overflow(*ns, rest, ns))
		return -EBADMSG;
	return 0;
}

uint16_t stamp_error_encode(const struct stamp_error_estimate *e)
{
	unsigned __int128 units = ((unsigned __int128)(uint64_t)e->error_ns << 32) + NS_PER_S - 1;
	unsigned scale = ERROR_SCALE_MAX, mult = ERROR_MULT_MAX;

	if (e->error_ns >= 0) {
		units /= NS_PER_S;
		for (scale = 0; units > (unsigned __int128)ERROR_MULT_MAX << scale; scale++)
			;
		mult = (unsigned)((units + ((unsigned __int128)1 << scale) - 1) >> scale);
	}
	return (uint16_t)((e->synced ? ERROR_S : 0) | (e->ptp_format ? ERROR_Z : 0) |
			  scale << 8 | (mult ? mult : 1));
}

int stamp_error_decode(uint16_t word, struct stamp_error_estimate *e)
{
	unsigned scale = word >> 8 & ERROR_SCALE_MAX, mult = word & ERROR_MULT_MAX;
	unsigned __int128 ns = (((unsigned __int128)mult << scale) * NS_PER_S + UINT32_MAX) >> 32;

	if (!mult)
		return -EBADMSG;
	e->synced = !!(word & ERROR_S);
	e->ptp_format = !!(word & ERROR_Z);
	e->error_ns = ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
	return 0;
}
