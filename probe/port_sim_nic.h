/* port_sim_nic.h: the stamps of a simulated port: a device clock, one register each way, and its faults.
 *
 * Instants are nanoseconds of the virtual world, which its ticks are too. */
#ifndef PROBE_PORT_SIM_NIC_H
#define PROBE_PORT_SIM_NIC_H

#include "port.h"
#include "tx_slot.h"

struct sim_nic_config {
	enum stamp_scope scope;	/* SCOPE_NONE: no hardware stamps */
	int no_tx;		/* transmit stamps are never made: a driver without the flag */
	int64_t offset_ns;	/* of the device clock at the start of the world */
	int64_t ppb;		/* how much faster it runs */
	int64_t tick_ns;	/* granularity; 0: 1 */
	int bits;		/* of the raw stamps; 0: 64 */
	int64_t tx_after_ns;	/* a transmit stamp is there so long after the frame left */
	uint64_t half_ticks;	/* of a reading of the clock */
	int doubtful;		/* the port says that its clock may be the host's */
};

struct sim_nic {
	struct sim_nic_config config;
	int64_t stepped_ns;		/* since the start */
	struct tx_slot slot;
	int64_t tx_at_ns, tx_raw_ns;	/* when the stamp is there; < 0: never */
	int rx_latched;			/* the register is in use */
	int64_t rx_raw_ns, rx_last_ns;
	/* Faults, so many times. */
	int zero_rx, zero_tx, stale_rx, early_rx, late_rx, lost_tx, torn_clock, deaf_clock;
	const struct clockmap *const *map;	/* the port's */
};

int64_t sim_nic_time(const struct sim_nic *n, int64_t at_ns);
void sim_nic_caps(const struct sim_nic *n, struct port_caps *caps);
/* A frame leaves. */
void sim_nic_sent(struct sim_nic *n, unsigned flags, int64_t now_ns, struct port_sent *sent);
int sim_nic_tx_stamp(struct sim_nic *n, uint32_t id, int64_t now_ns, struct stamp *out);
/* A frame arrives: 1 when the register took its instant. */
int sim_nic_arrived(struct sim_nic *n, const uint8_t *frame, size_t len, int64_t at_ns);
/* It is polled. */
void sim_nic_rx_stamp(struct sim_nic *n, int latched, struct stamp *out);
int sim_nic_clock(struct sim_nic *n, int64_t now_ns, struct port_clock_reading *out);

#endif
