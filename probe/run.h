/* run.h: a probe from its first poll to its report. */
#ifndef PROBE_RUN_H
#define PROBE_RUN_H

#include <signal.h>
#include "clock_live.h"
#include "err.h"
#include "options.h"
#include "port.h"

/* Runs until its time is over or *stop is set, then reports: text on stdout, JSON where it is wanted.
 * 0, or -errno with a sentence; -EHOSTUNREACH: the run ended by itself and the far end never answered. */
int run_probe(const struct options *o, struct port *port, struct clock_live *live,
	const volatile sig_atomic_t *stop, struct err *e);

#endif
