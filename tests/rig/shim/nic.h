/* nic.h: what the rig knows of a NIC: its oscillator, its end of the cable, its time stamps, and
 * the truth.
 *
 * The true time is QEMU's virtual clock. All of this runs under QEMU's big lock. */
#ifndef RIG_NIC_H
#define RIG_NIC_H

#include "../device.h"

#include <stdbool.h>
#include <stdint.h>

/* Registers of the 82576, as indices of QEMU's array of them. */
enum {
	MAC_ETQF7 = 0x5CB0 / 4 + 7,
	MAC_TSYNCRXCFG = 0x5F50 / 4,
	MAC_TIMINCA = 0xB608 / 4,
	MAC_TXSTMPL = 0xB618 / 4,
	MAC_TSYNCRXCTL = 0xB620 / 4,
	MAC_RXSTMPL = 0xB624 / 4,
	MAC_RXSTMPH = 0xB628 / 4
};
#define TSYNCRXCTL_VALID	0x01u
#define TSYNCRXCTL_TYPE		0x0eu
#define TSYNCRXCTL_EVENT_V2	0x0au
#define TSYNCRXCTL_ENABLED	0x10u

struct nic {
	int number;			/* from 1, in the order of QEMU's command line */
	void *opaque;			/* QEMU's IGBState */
	uint32_t *mac;			/* its registers; NULL until the driver starts its clock */
	int64_t *timadj;		/* QEMU's offset of its clock */
	int64_t key[RIG_KEY_COUNT];	/* as in device.h */
	int64_t osc0_ns, true0_ns;	/* the oscillator's line begins here */
	int64_t arrival_ns;		/* of the frame that it is being given */
	uint64_t transmission;		/* the latest stamped transmission that reached it */
	int64_t read_at_ns, reads;
};

#define nic_key(n, name) ((n)->key[RIG_##name / 8])

/* Reads RIG_TOPOLOGY ("1:osc_ppb=25000,delay_ns=500 2:…") and opens RIG_TRUTH for the log. */
void nic_setup(int64_t (*true_time)(void));

/* The next NIC in order, or NULL when there are too many. */
struct nic *nic_add(void *opaque);
struct nic *nic_by_opaque(const void *opaque);
struct nic *nic_by_number(int64_t number);
int nic_count(void);
int64_t nic_now(void);

/* 0: no such key. A changed oscillator goes on from where it is. */
bool nic_set(struct nic *n, int64_t offset, int64_t value);
void nic_step(struct nic *n, int64_t ns);

/* A frame begins to reach the NIC; its own stamp follows from that of the transmission, if that
 * had one. */
void nic_arrival(struct nic *n);
/* What QEMU's e1000x_set_timinca() and e1000x_timestamp() should do. */
void nic_set_rate(struct nic *n, uint32_t *mac, int64_t *timadj, uint32_t rate);
void nic_stamp(struct nic *n, uint32_t *mac, int64_t timadj, int low, int high);
/* The registers of the NIC are no longer being written: what was transmitted has arrived. */
void nic_transmitted(void);

/* Logs all clocks, if the last time is long enough ago. */
void nic_truth(void);
void nic_truth_end(void);

#endif
