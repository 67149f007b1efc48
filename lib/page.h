/* page.h: the trust page, the layout that writer and readers share.
 *
 * A file, mapped shared by the one writer and read-only by readers, reused in place
 * across restarts (the writer holds a lock on it), so mapped readers live on.
 *
 * Per clock a hot line exists twice, primary and shadow, each under its own sequence
 * number. The writer finishes the shadow before it touches the primary, so that at every
 * instant at least one of the two is whole, even when the writer is killed or descheduled
 * in the middle: a reader never waits. A sequence is odd while its copy is being written.
 *
 * Memory model (C11 5.1.2.4, 7.17.3): every field is accessed by relaxed atomics, so no
 * access is a data race. Writer: store seq odd; release fence; store the payload; store seq
 * even with release. Reader: load seq with acquire; load the payload; acquire fence; load
 * seq again. If a payload load saw a value of a later write, the fences make the second seq
 * load see that write's odd seq or a later one, and the copy is rejected.
 *
 * Fixed-width fields, host byte order, one host. */
#ifndef TSV_PAGE_H
#define TSV_PAGE_H

#include <stddef.h>
#include <stdint.h>

#define TSV_PAGE_MAGIC		UINT64_C(0x4547415056535431)	/* "1TSVPAGE" */
#define TSV_PAGE_VERSION	2u
#define TSV_CLOCKS_MAX		9	/* those of timesvc.conf, and CLOCK_REALTIME */
#define TSV_DEFAULT_PAGE	"/run/timesvc/page"

enum tsv_page_state { TSV_PAGE_NEW, TSV_PAGE_LIVE, TSV_PAGE_SUPERSEDED };
enum tsv_timebase { TSV_TIMEBASE_TSC = 1, TSV_TIMEBASE_RAW = 2 };

/* time(tick) = t0_ns + ((tick - tsc0) * mult) >> 48
 * bound(tick) = bound0_ns + 1 + (|tick - tsc0| * growth) >> 32, the 1 for the remainder */
struct tsv_line {
	uint64_t seq;
	int64_t t0_ns;
	uint64_t tsc0;
	uint64_t mult;		/* nanoseconds per tick, 2^-48 */
	uint32_t bound0_ns;	/* UINT32_MAX: no bound */
	uint32_t growth;	/* nanoseconds per tick, 2^-32 */
	uint64_t trust;		/* void_after tick in the upper 60 bits | alarm << 3 | state */
	int64_t good_until_ns;
	uint32_t epoch;		/* 0: nothing was ever published */
	uint32_t flags;
} __attribute__((aligned(64)));

#define TSV_TRUST_STATE(word)	((int)((word) & 7))
#define TSV_TRUST_ALARM(word)	((int)((word) >> 3 & 1))
#define TSV_TRUST_VOID(word)	((word) & ~UINT64_C(15))

/* What struct tsv_info says, under a sequence of its own. Two copies, like the line. */
struct tsv_cold {
	uint64_t seq;
	uint64_t words[31];	/* a struct tsv_info, copied word by word */
} __attribute__((aligned(64)));

struct tsv_clock_page {
	struct tsv_line line[2];	/* [0] primary, [1] shadow */
	struct tsv_cold cold[2];
} __attribute__((aligned(64)));

struct tsv_page {
	uint64_t magic;
	uint32_t version;
	uint32_t size;		/* sizeof(struct tsv_page) of the writer */
	uint32_t state;		/* enum tsv_page_state */
	uint32_t timebase;	/* enum tsv_timebase */
	uint32_t clocks;	/* how many are in use */
	uint32_t writer_pid;
	uint64_t starts;	/* how often a writer took the page over */
	char names[TSV_CLOCKS_MAX][32];
	struct tsv_clock_page clock[TSV_CLOCKS_MAX];
};

_Static_assert(sizeof(struct tsv_line) == 64, "a hot line is one cache line");
_Static_assert(sizeof(struct tsv_cold) == 256, "a cold copy is four cache lines");
_Static_assert(offsetof(struct tsv_page, clock) % 64 == 0, "lines do not share a cache line");

#endif
