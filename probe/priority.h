/* priority.h: lets the probe run at once when its time has come, and takes that back when it polls too much.
 *
 * A probe that sleeps most of the time gets the lowest real-time priority: what else runs on the host then
 * does not shift its stamps. One that was awake for more than half of a second falls back to the ordinary
 * scheduler for good, so that it cannot starve the host. With one CPU it is never asked for. */
#ifndef PROBE_PRIORITY_H
#define PROBE_PRIORITY_H

#include <stdint.h>

struct priority {
	int raised;
	int64_t since_ns, slept_ns;
};

/* For the calling thread. Without the privilege nothing changes, and the log says so. */
void priority_raise(struct priority *p, int64_t now_ns);
/* After each round of the loop: how long it slept in it. */
void priority_note(struct priority *p, int64_t now_ns, int64_t slept_ns);

#endif
