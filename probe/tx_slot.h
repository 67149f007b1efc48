/* tx_slot.h: the one transmit stamp that a NIC holds at a time. Pure. */
#ifndef PROBE_TX_SLOT_H
#define PROBE_TX_SLOT_H

#include <stdint.h>

#define TX_SLOT_WAIT_NS	INT64_C(5000000)	/* after this the stamp never comes */

struct tx_slot {
	int busy;
	uint32_t id;		/* of the frame that it belongs to; the last one when not busy */
	int64_t since_ns;
	int stale;		/* a stamp may still turn up that nobody waits for */
};

/* Takes the slot for the next frame: 0 and its id, or -EBUSY. */
int tx_slot_take(struct tx_slot *s, int64_t now_ns, uint32_t *id);
/* The frame did not leave after all. */
void tx_slot_undo(struct tx_slot *s);
/* 0: it is worth while to look for the stamp of that id. -ENODATA: it is over, or never began. */
int tx_slot_wanted(const struct tx_slot *s, uint32_t id);
/* Looked: was it there? 0, -EAGAIN: not yet, -ENODATA: given up. */
int tx_slot_looked(struct tx_slot *s, int there, int64_t now_ns);

#endif
