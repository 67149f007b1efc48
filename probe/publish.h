/* publish.h: a running probe's numbers in one place, for its segment and its report. */
#ifndef PROBE_PUBLISH_H
#define PROBE_PUBLISH_H

#include "err.h"
#include "segment.h"

struct publish;
/* `segment` (a path) and `gate` may be NULL. */
int publish_open(struct publish **out, const char *name, const char *segment, const struct gate *gate,
	struct err *e);
void publish_close(struct publish *p);	/* NULL is allowed */
/* The run writes its numbers and round trips straight into it. */
struct probe_data *publish_data(struct publish *p);
/* Once a second: turns the windows, gathers what the gate says, publishes. */
void publish_turn(struct publish *p);
/* At the end: the same, without a window that would be too short. */
void publish_finish(struct publish *p);

#endif
