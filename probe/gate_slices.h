/* gate_slices.h: the fixed store of 100 ms slices in which samples wait for the gate's verdict.
 *
 * Private to the gate. Slices are kept in the order in which they were opened; the one freed last
 * is opened next, so that in the usual case the same few stay in the cache. Nothing is allocated
 * after slices_new(). */
#ifndef PROBE_GATE_SLICES_H
#define PROBE_GATE_SLICES_H

#include <stdint.h>
#include "gate.h"
#include "hist.h"

enum gate_side { GATE_NEAR, GATE_FAR, GATE_SIDES };

struct slice_key {
	int64_t number;			/* CLOCK_MONOTONIC / GATE_SLICE_NS */
	uint32_t epoch[GATE_SIDES];
};

struct slice {
	struct slice_key key;
	int64_t first_ns;		/* smallest t1 */
	int64_t last_ns[GATE_SIDES];	/* largest stamp of that end, in its page time */
	int64_t good_ns[GATE_SIDES];	/* how far that end has vouched in this epoch */
	int64_t bound_ns;
	uint64_t count;
	int waited_holdover;
	int poisoned;			/* a sample was impossible: nothing here may count */
	struct hist *ab, *ba;
};

struct slices;
struct slices *slices_new(void);	/* NULL: out of memory */
void slices_free(struct slices *s);

int slices_used(const struct slices *s);
struct slice *slices_at(struct slices *s, int i);	/* 0 is the oldest */
struct slice *slices_find(struct slices *s, const struct slice_key *key);
/* There must be room: slices_used() < GATE_SLICES. */
struct slice *slices_open(struct slices *s, const struct slice_key *key);
void slices_close(struct slices *s, int i);

#endif
