/* clock_live.h: the clock of a real host: the trust page, or CLOCK_REALTIME and no trust without one.
 *
 * The counter is chosen once, at start: the one that the page runs on when there is a page already, else
 * the time stamp counter where it can be used and CLOCK_MONOTONIC_RAW where it cannot. A page that turns
 * up later on another counter is not used, and the log says so. */
#ifndef PROBE_CLOCK_LIVE_H
#define PROBE_CLOCK_LIVE_H

#include "clock.h"
#include "err.h"

struct clock_live;
/* `path` and `name` as in tsv_open(); both must outlive the clock. Blocks for about 100 ms. */
int clock_live_open(struct clock_live **live, const char *path, const char *name, struct err *e);
void clock_live_close(struct clock_live *live);	/* NULL is allowed */
struct clock *clock_live_clock(struct clock_live *live);
uint64_t (*clock_live_ticks(const struct clock_live *live))(void);
int clock_live_has_page(const struct clock_live *live);
/* Looks for the page, follows the wall clock. Call often; it acts a few times a second. */
void clock_live_work(struct clock_live *live, int64_t now_ns);

#endif
