/* reason.h: why a clock is not plainly trusted; one bit, one name, one sentence each.
 *
 * The names appear in the page, in metrics (label `reason`), JSON and logs, and never
 * change their meaning. Kinds:
 *   MISSING   positive evidence stopped: HOLDOVER while the bound allows, then LOCAL_RTT
 *   CONTRARY  evidence speaks against the clock: LOCAL_RTT at once
 *   LIMIT     a threshold of policy was passed
 *   NOTE      worth knowing, never judged */
#ifndef TSV_REASON_H
#define TSV_REASON_H

#include <stdint.h>

/*    bit  name                kind      sentence */
#define TSV_REASONS(X) \
	X( 0, starting,          MISSING,  "no evidence has been seen yet") \
	X( 1, settling,          MISSING,  "fewer good Syncs than needed so far") \
	X( 2, ptp4l_down,        MISSING,  "ptp4l is not running") \
	X( 3, ptp4l_no_reply,    MISSING,  "ptp4l does not answer in time") \
	X( 4, port_state,        MISSING,  "the PTP port is in no state that gives time") \
	X( 5, sync_missing,      MISSING,  "no Sync in time") \
	X( 6, rx_stalled,        MISSING,  "the port's message counters stand still") \
	X( 7, no_offset,         MISSING,  "ptp4l has measured no offset yet") \
	X( 8, clock_read,        MISSING,  "the clock could not be read") \
	X( 9, link_down,         MISSING,  "the link is down") \
	X(10, clock_step,        CONTRARY, "the clock jumped against the time stamp counter") \
	X(11, clock_rate,        CONTRARY, "the clock's rate against the counter is not plausible") \
	X(12, path_delay,        CONTRARY, "the mean path delay is not positive") \
	X(13, gm_changed,        CONTRARY, "the grandmaster changed") \
	X(14, timescale,         CONTRARY, "the timescale changed") \
	X(15, disagrees,         CONTRARY, "evidence came back and disagrees with the bound") \
	X(16, offset,            LIMIT,    "the offset is past the alarm line") \
	X(17, bound,             LIMIT,    "the bound is past the fallback line") \
	X(18, hold_limit,        LIMIT,    "evidence has been missing past the hold limit") \
	X(19, recovering,        LIMIT,    "back in limits, waiting out the recovery time") \
	X(20, unconfirmed,       NOTE,     "one reading stands alone and waits for the next") \
	X(21, crash_loop,        NOTE,     "a supervised program keeps dying") \
	X(22, upstream_budget,   NOTE,     "hops above the parent, and no budget for them") \
	X(23, utc_offset,        MISSING,  "the offset of UTC is not known")

#define TSV_REASON_ENUM(bit, name, kind, text) TSV_REASON_##name = bit,
enum tsv_reason { TSV_REASONS(TSV_REASON_ENUM) TSV_REASON_COUNT };
#undef TSV_REASON_ENUM

#define TSV_BIT(name) (UINT64_C(1) << TSV_REASON_##name)

enum tsv_reason_kind { TSV_KIND_MISSING, TSV_KIND_CONTRARY, TSV_KIND_LIMIT, TSV_KIND_NOTE };

/* NULL for a bit that has no name. */
const char *tsv_reason_name(int bit);
const char *tsv_reason_text(int bit);
enum tsv_reason_kind tsv_reason_kind(int bit);
/* All bits of a kind. */
uint64_t tsv_reasons_of(enum tsv_reason_kind kind);
/* "sync_missing,hold_limit", "" for none; cut at size, NUL-terminated. Returns buf. */
char *tsv_reasons_format(char *buf, unsigned size, uint64_t reasons);

#endif
