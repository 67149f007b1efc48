/* pipeline_own.h: what the files of the pipeline share among themselves. */
#ifndef TIMESVC_PIPELINE_OWN_H
#define TIMESVC_PIPELINE_OWN_H

#include "pipeline.h"

#include <string.h>

#include "bound.h"

/* The local clock, or what a reference makes of it. */
static inline int64_t page_time(const struct pipeline *p, uint64_t tick)
{
	return clockline_time(&p->line, tick) + (p->role == ROLE_REFERENCE ? p->shift_ns : 0);
}

/* Somebody may rely on what is said. */
static inline int vouching(const struct pipeline *p)
{
	return p->judge.state == TSV_TRUSTED || p->judge.state == TSV_HOLDOVER;
}

static inline int software_stamps(const struct clock_settings *s)
{
	return strcmp(s->time_stamping, "hardware") != 0;
}

/* The bound that is claimed for a page time. */
void pipeline_claim(const struct pipeline *p, int64_t page_ns, struct bound *b);
/* The port is in a state that gives time, for the role. */
int pipeline_port_gives_time(const struct pipeline *p, const struct ptp_reading *r);

#endif
