/* port_sim.h: two ports joined in memory, and a clock at each, in virtual time. For tests.
 *
 * A tick is a nanosecond since the start of the world. What one end sends arrives at the other after the
 * delay of that direction, unless it is lost; it may arrive twice, or later than what was sent after it. */
#ifndef PROBE_PORT_SIM_H
#define PROBE_PORT_SIM_H

#include "clock.h"
#include "port.h"
#include "port_sim_nic.h"

struct sim_config {
	int64_t delay_ns[2];	/* of what end 0 and what end 1 sends */
	int64_t jitter_ns;	/* 0 to this much more */
	unsigned lost_ppm, twice_ppm, late_ppm;
	int64_t late_ns;	/* how much later a late one arrives */
	uint64_t seed;
};

struct sim;
struct sim *sim_new(const struct sim_config *config);	/* NULL: out of memory */
void sim_free(struct sim *sim);

struct port *sim_port(struct sim *sim, int end);	/* belongs to the world: port_close() does nothing */
struct clock *sim_clock(struct sim *sim, int end);

int64_t sim_now(const struct sim *sim);
void sim_advance(struct sim *sim, int64_t ns);

/* The clock of an end: how far it is off, what its page says, and how far behind now its good_until is;
 * good_lag_ns < 0 leaves the one in `page` alone. */
void sim_set_clock(struct sim *sim, int end, int64_t offset_ns, const struct gate_end *page,
	int64_t good_lag_ns);

/* An end's NIC, for its faults; and what it can do. */
struct sim_nic *sim_nic(struct sim *sim, int end);
void sim_set_nic(struct sim *sim, int end, const struct sim_nic_config *config);

/* The fate of the next n frames that an end sends, before chance has its say. */
void sim_lose(struct sim *sim, int end, int n);
void sim_repeat(struct sim *sim, int end, int n);
/* The next n transmits of an end fail for want of room. */
void sim_refuse(struct sim *sim, int end, int n);
/* The last frame that an end sent, NULL before the first. */
const uint8_t *sim_last(const struct sim *sim, int end, size_t *len);

#endif
