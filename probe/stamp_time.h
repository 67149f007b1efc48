/* stamp_time.h: the timestamps and the error estimate of STAMP packets. Used by stamp*.c and their tests. */
#ifndef PROBE_STAMP_TIME_H
#define PROBE_STAMP_TIME_H

#include "stamp.h"

void stamp_time_encode(uint8_t *buf, int64_t ns, int ptp_format);
/* -EBADMSG when the PTP format holds 10^9 ns or more. */
int stamp_time_decode(const uint8_t *buf, int ptp_format, int64_t near_ns, int64_t *ns);

uint16_t stamp_error_encode(const struct stamp_error_estimate *e);
/* -EBADMSG for multiplier 0 (RFC 4656 4.1.2: such a packet is corrupt). */
int stamp_error_decode(uint16_t word, struct stamp_error_estimate *e);

#endif
