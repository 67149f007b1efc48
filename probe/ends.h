/* ends.h: one end's trust between the form of its page and that of the wire. Pure. */
#ifndef PROBE_ENDS_H
#define PROBE_ENDS_H

#include "clock.h"
#include "stamp.h"

void ends_to_trust(const struct clock_reading *r, struct stamp_trust *out);
/* The far end as it was at the start (epoch_before) or at the end (epoch_after) of its part. */
void ends_from_trust(const struct stamp_trust *t, uint32_t epoch, struct gate_end *out);
/* Timestamp format and error of this end's stamps. */
void ends_to_error(const struct clock_reading *r, struct stamp_error_estimate *out);
/* RFC 8972 table 7: what this end's clock follows. */
enum stamp_sync ends_sync(const struct clock_reading *r);

#endif
