/* timesvc.h: libtimesvc, the reader of the trust page.
 *
 * "What time is it, how wrong can that be, and may I trust it", without a system
 * call, a lock or an allocation. C99, usable from C++.
 *
 * Units: instants and bounds are nanoseconds; ticks are those of the time stamp
 * counter (or nanoseconds of CLOCK_MONOTONIC_RAW where the page says TSV_TIMEBASE_RAW).
 * Errors: negative errno. Threads: a handle is read-only after tsv_open(); every read
 * may be called from any thread and from signal handlers; tsv_open() and tsv_close()
 * may not. A handle stays valid across restarts and upgrades of the daemon. */
#ifndef TIMESVC_H
#define TIMESVC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum tsv_state {
	TSV_UNKNOWN = 0,	/* nothing is known yet */
	TSV_SETTLING = 1,	/* evidence is complete, but young */
	TSV_TRUSTED = 2,	/* the bound holds */
	TSV_HOLDOVER = 3,	/* evidence stopped a moment ago, the bound grows */
	TSV_LOCAL_RTT = 4,	/* not to be trusted: measure round trips only */
	TSV_STALE = 5		/* said by the reader: the daemon no longer vouches for it */
};

/* Flags of a time. */
#define TSV_ALARM	0x01u	/* |offset| is past the alarm line; the bound still holds */
#define TSV_PTP_SCALE	0x02u	/* the PTP timescale (TAI); otherwise ARB */
#define TSV_TSC_ASSUMED	0x04u	/* the counter does not say that it is invariant */
#define TSV_REFERENCE	0x08u	/* this clock is the reference itself */
#define TSV_SOFTWARE	0x10u	/* the evidence comes from software time stamps */

struct tsv;

/* A time and what is known of it. */
struct tsv_time {
	int64_t ns;		/* nanoseconds of the page's timescale */
	/* |error against the grandmaster, else the parent| <= this while TRUSTED or HOLDOVER;
	 * INT64_MAX: there is no bound. */
	int64_t bound_ns;
	/* Page time up to which the evidence reaches. It moves while TRUSTED, and stands still in
	 * every other state. */
	int64_t good_until_ns;
	uint64_t tsc;		/* the tick this is the time of */
	uint32_t epoch;		/* raised by every discontinuity */
	uint32_t flags;
	int32_t state;		/* enum tsv_state */
	uint32_t reserved;
};

/* What changes rarely. Identities are IEEE 1588 clockIdentity, 0 when unknown. */
struct tsv_info {
	char name[32];			/* the clock's name in timesvc.conf */
	uint8_t clock_identity[8];	/* of this host's ptp4l */
	uint8_t parent_identity[8];	/* parentPortIdentity.clockIdentity; its own for a reference */
	uint8_t gm_identity[8];
	uint64_t reasons;		/* bits of reason.h; tsv_reason_name() names them */
	int64_t offset_ns;		/* valid when has_offset */
	int64_t path_delay_ns;		/* valid when has_offset */
	int64_t bound_parent_ns;	/* at the last refresh; -1: there is none */
	int64_t bound_gm_ns;		/* -1: there is none */
	int64_t bound_utc_ns;		/* -1: there is none */
	int64_t port_budget_ns;		/* extra error between two ports of one parent */
	uint32_t steps_removed;
	uint8_t domain;
	uint8_t has_offset;
	uint8_t reserved[2];
};

/* Opens the page at `path` (NULL: $TIMESVC_PAGE, else /run/timesvc/page) for the clock
 * named `clock` (NULL: the first). 0, or:
 *   -ENOENT  no page: not configured or never started
 *   -EAGAIN  a page, but no such clock on it yet
 *   -EPROTO  a page of another layout
 *   -ESTALE  a page that was superseded; open again */
int tsv_open(struct tsv **handle, const char *path, const char *clock);
void tsv_close(struct tsv *handle);

/* The time now, or at a tick captured earlier (same boot). Returns the state (>= 0) and
 * fills *out, or:
 *   -ENODATA  no time has been published yet
 *   -EAGAIN   no whole line in three tries: distrust, and ask again
 *   -ESTALE   the page was superseded: open again
 * STALE is a state: *out then holds the extrapolated time, which nobody vouches for. */
int tsv_now(const struct tsv *handle, struct tsv_time *out);
int tsv_at(const struct tsv *handle, uint64_t tsc, struct tsv_time *out);

/* The counter that the page runs on. */
uint64_t tsv_ticks(const struct tsv *handle);
/* Its rate in ticks per second, 0 before the first line. */
double tsv_tick_hz(const struct tsv *handle);

/* The state alone, against a tick that the caller already has: one load, one compare, and inline, as a call
 * would cost more. TSV_STALE once the daemon has stopped vouching. Does not see that the page was superseded:
 * tsv_now() and tsv_usable() do. */
inline int tsv_trust(const struct tsv *handle, uint64_t tsc)
{
	const uint64_t *const *trust = (const uint64_t *const *)(const void *)handle;
	uint64_t word = __atomic_load_n(*trust, __ATOMIC_RELAXED);

	return tsc > (word & ~(uint64_t)15) ? TSV_STALE : (int)(word & 7);
}
/* Non-zero for TRUSTED (with or without ALARM): a sample may be taken. */
int tsv_usable(const struct tsv *handle, uint64_t tsc);

/* 0, or -EAGAIN when the writer was in the way three times. */
int tsv_info(const struct tsv *handle, struct tsv_info *out);

/* "TRUSTED" …; "INVALID" for anything else. Static strings. */
const char *tsv_state_name(int state);
/* "sync_missing" …; NULL for a bit without a name. */
const char *tsv_reason_name(int bit);
const char *tsv_reason_text(int bit);

/* Of the package: "0.1.0". */
const char *tsv_version(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
