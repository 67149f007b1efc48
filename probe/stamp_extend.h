/* stamp_extend.h: the low bits of a device clock made whole, against what the clock should say. Pure.
 *
 * A stamp may be earlier than the last one (two registers, two queues, a stale value): it is placed
 * next to the prediction, and so is never taken for a wrap. */
#ifndef PROBE_STAMP_EXTEND_H
#define PROBE_STAMP_EXTEND_H

#include "clockmap.h"

/* The value nearest to `predicted_ns` whose low `bits` (2 to 64) are those of `raw_ns`. */
int64_t stamp_extend(int64_t predicted_ns, uint64_t raw_ns, int bits);

/* Makes a hardware stamp of a raw one, given its software tick; or says in stamp->loss why not. */
void stamp_whole(const struct clockmap *map, int64_t raw_ns, int bits, struct stamp *stamp);

#endif
