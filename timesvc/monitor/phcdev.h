/* phcdev.h: the PTP hardware clock behind a clock's interface, opened for the engine. */
#ifndef TIMESVC_PHCDEV_H
#define TIMESVC_PHCDEV_H

#include "err.h"
#include "../ipc.h"
#include "../settings.h"

/* The clock's page time is that of a PTP hardware clock. */
int phcdev_used(const struct clock_settings *c);

/* The descriptor, read-only (nobody can steer through it), and what it is of. Only what a configured
 * interface names is ever opened. -ENODEV: no such interface, or it has no hardware clock. */
int phcdev_open(const struct clock_settings *c, struct phc_identity *id, struct err *e);

/* 0 when the interface stamps in hardware by a clock of its own. */
int phcdev_check(const struct clock_settings *c, struct err *e);

#endif
