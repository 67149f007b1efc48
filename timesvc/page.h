/* page.h: the one writer of the trust page (layout: lib/page.h).
 *
 * Thread rule: one thread. Publishing makes no system call and cannot fail. */
#ifndef TIMESVC_PAGE_H
#define TIMESVC_PAGE_H

#include <sys/types.h>
#include "err.h"
#include "lib/page.h"
#include "timesvc.h"

struct page;

/* For the privileged side: makes the file, owned by uid:gid. A file of another layout is marked
 * SUPERSEDED for those who have it mapped, and replaced. */
int page_prepare(const char *path, uid_t uid, gid_t gid, struct err *e);

/* Maps the file and takes the writer's lock. -EWOULDBLOCK: another writer has it. The clocks' lines keep
 * what an earlier writer left (its void_after still binds readers) until they are published anew. */
int page_open(struct page **page, const char *path, enum tsv_timebase timebase, struct err *e);
void page_close(struct page *page);	/* NULL is allowed */

/* Adds or finds the clock; returns its index, or -ENOSPC. Call for every clock before page_live(). */
int page_clock(struct page *page, const char *name);
void page_live(struct page *page);

/* The last epoch that was ever published for the clock, 0 for none. */
uint32_t page_epoch(const struct page *page, int clock);

/* `line->seq` is the page's own business. */
void page_publish(struct page *page, int clock, const struct tsv_line *line);
void page_publish_info(struct page *page, int clock, const struct tsv_info *info);

/* Growth of a bound per nanosecond (2^-32) as the page has it: per tick, rounded up. */
uint32_t page_growth(uint32_t per_ns, uint64_t mult);
uint64_t page_trust_word(int state, int alarm, uint64_t void_after_tick);

#endif
