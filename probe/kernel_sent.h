/* kernel_sent.h: frames whose transmit stamps are awaited, by the number that the kernel counts them with.
 * Pure bookkeeping, fixed size. */
#ifndef PROBE_KERNEL_SENT_H
#define PROBE_KERNEL_SENT_H

#include <stdint.h>
#include "port.h"

#define KERNEL_SENT_SLOTS 1024	/* more at once push out the oldest */

enum kernel_sent_state { SENT_NONE, SENT_WAITING, SENT_STAMPED, SENT_LOST };

struct kernel_sent_slot {
	uint32_t id;
	enum kernel_sent_state state;
	uint64_t tick;		/* handed over */
	struct stamp stamp;
};

struct kernel_sent {
	uint32_t next;		/* the number of the next frame */
	uint32_t base;		/* the number of the frame that the kernel counts as 0 */
	uint32_t oldest;	/* all before it are not WAITING */
	int waiting;
	int limit;		/* how many may wait at once; 0: no limit but the slots */
	uint64_t *lost;		/* [STAMP_LOSS_COUNT], the owner's */
	struct kernel_sent_slot slot[KERNEL_SENT_SLOTS];
};

void kernel_sent_init(struct kernel_sent *s, int limit, uint64_t *lost);
/* 1: there is room for one more; else that one is counted as no_slot. */
int kernel_sent_room(struct kernel_sent *s);
/* A frame was handed over that asked for a stamp; returns its number. */
uint32_t kernel_sent_add(struct kernel_sent *s, uint64_t tick);
/* The frame that waits under the kernel's number, NULL when none does. */
struct kernel_sent_slot *kernel_sent_find(struct kernel_sent *s, uint32_t kernel_id);
/* `stamp` NULL: it is lost, for that reason. */
void kernel_sent_settle(struct kernel_sent *s, struct kernel_sent_slot *slot, const struct stamp *stamp,
	enum stamp_loss loss);
/* Gives up all that were handed over before that tick. */
void kernel_sent_expire(struct kernel_sent *s, uint64_t before);
/* Gives up all: the kernel counts from 0 again. Numbers given out go on, so that none stands for two. */
void kernel_sent_restart(struct kernel_sent *s);
/* As tx_stamp() of port.h. */
int kernel_sent_take(struct kernel_sent *s, uint32_t id, struct stamp *out);

#endif
