/* view.h: everything the front knows at one instant; what status.h and metrics.h render. */
#ifndef FRONT_VIEW_H
#define FRONT_VIEW_H

#include "probe/segment.h"
#include "store.h"

/* A snapshot older than its void_after_ns and this is a dead or stuck engine. */
#define VIEW_MARGIN_NS (500 * NS_PER_MS)
/* A running probe publishes every second. */
#define VIEW_PROBE_LATE_NS (5 * NS_PER_S)

struct view {
	const struct settings *settings;
	const struct store *store;
	const struct probe_data *probe[PROBES_MAX];	/* NULL: nothing was published */
	const char *host;
	int pid;			/* of the daemon */
	int64_t now_wall_ns, now_mono_ns;
};

int view_stale(const struct view *v);
int64_t view_age_ns(const struct view *v);
int view_clocks(const struct view *v);

/* What may be said of a clock now. Returns 1, or 0 when the engine has nothing current to say:
 * then *c holds what the configuration knows and the state STALE, or UNKNOWN before the
 * engine's first word is due. */
int view_clock(const struct view *v, int clock, struct clock_snapshot *c);

/* NULL when not known now. */
const struct child_status *view_probe_child(const struct view *v, int probe);
/* Whether the windows of the last seconds are still about the last seconds. */
int view_probe_current(const struct view *v, const struct probe_data *d);

#endif
