/* gate_check.h: what can be said of one sample by itself. Private to the gate; pure. */
#ifndef PROBE_GATE_CHECK_H
#define PROBE_GATE_CHECK_H

#include "gate.h"
#include "nstime.h"

/* GATE_ADMITTED: it may wait, with *bound_ns as its bound. Else why not. */
int gate_check(const struct gate_sample *s, int64_t *bound_ns);
/* An end was in HOLDOVER when it was taken. */
int gate_in_holdover(const struct gate_sample *s);

static inline int64_t gate_delay_ab(const struct gate_sample *s)
{
	return nstime_sub(s->t2_ns, s->t1_ns);
}

static inline int64_t gate_delay_ba(const struct gate_sample *s)
{
	return nstime_sub(s->t4_ns, s->t3_ns);
}

#endif
