/* publish.h: a running probe's numbers in one place, for its segment, its slice log and its report.
 *
 * Files may wait for a disk, a probe may not: a thread of its own writes them. The run hands it a copy of
 * its numbers once a second. */
#ifndef PROBE_PUBLISH_H
#define PROBE_PUBLISH_H

#include "err.h"
#include "segment.h"
#include "slices.h"

struct publish;
/* `segment` (a path), `gate` and `slices` may be NULL. */
int publish_open(struct publish **out, const char *name, const char *segment, const struct gate *gate,
	struct slices_log *slices, struct err *e);
void publish_close(struct publish *p);	/* NULL is allowed */
/* The run writes its numbers and round trips straight into it. */
struct probe_data *publish_data(struct publish *p);
/* Once a second: has the windows turned and everything written. Never waits. */
void publish_turn(struct publish *p);
/* At the end: ends the thread and publishes the last numbers. */
void publish_finish(struct publish *p);

#endif
