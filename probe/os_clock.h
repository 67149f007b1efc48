/* os_clock.h: a device clock that is none: some drivers' "device clock" is the host's own. Pure.
 *
 * It would be mapped perfectly, and mean nothing. */
#ifndef PROBE_OS_CLOCK_H
#define PROBE_OS_CLOCK_H

#include "clockmap.h"

#define OS_CLOCKS	5
#define OS_CLOCK_LOOKS	4	/* in a row, and it is taken for the host's */

struct os_clock {
	int looks[OS_CLOCKS + 1];	/* in a row that agreed with that clock, or with the counter */
};

/* What the host's clocks said right after the device clock was read, each within `slack_ns`. Returns the
 * name of the one that the device clock has proved to be, or NULL. */
const char *os_clock_look(struct os_clock *o, const struct clockmap *map, const struct port_clock_reading *r,
	const int64_t host_ns[OS_CLOCKS], int64_t slack_ns);

#endif
