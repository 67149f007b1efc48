/* world.h: two clocks, a path and a ptp4l between them, in virtual time.
 *
 * The grandmaster's time is the truth. What ptp4l would measure is computed from the model's own delays,
 * with ptp4l's filter (median of ten path delays); the pipeline under test sees only what the daemon would
 * see. Every run is a function of its seed. */
#ifndef TESTS_SIM_WORLD_H
#define TESTS_SIM_WORLD_H

#include "timesvc/pipeline.h"
#include "timesvc/sources/sysclk.h"
#include "tests/unit/rng.h"

#define TICKS_PER_NS 3

struct world {
	struct rng rng;
	int64_t now;			/* virtual time = true time, ns */

	/* knobs */
	double drift_ppm, wander_ppm;	/* of the local clock; wander per sqrt(s) */
	int64_t delay_ab, delay_ba;	/* grandmaster to us, and back */
	int64_t jitter;			/* each one-way delay adds up to this */
	double outlier_p;		/* chance of a late receive stamp of up to outlier_ns */
	int64_t outlier_ns;
	double sync_loss;
	int log_sync, log_delay_req;
	int servo;			/* the local clock is steered by what is measured */
	int hardware;			/* the servo is that for hardware stamps */
	int64_t read_half_ns;		/* of a reading of the clock */
	int reference;			/* this host is the grandmaster */
	int64_t engine_stall_ns;	/* now and then the engine sleeps up to this long */

	/* faults, switched by scenarios while running */
	int sync_off, announce_off, ptp4l_dead, ptp4l_hung, link_off, reads_fail;
	int64_t gm_shift;		/* the grandmaster serves truth + this */
	int negative_path;
	struct ptp_identity gm;
	int port_state;

	/* the model's state */
	double local_minus_true;	/* ns */
	double rate, adjustment, integral;	/* ns per ns; the servo's two */
	int64_t next_sync, next_delay, next_poll, next_refresh, stalled_until;
	double path[10];
	int paths;
	double path_filtered;
	struct ptp_reading status;	/* what ptp4l would answer now */
	uint64_t rx_sync, rx_other, rx_delay_resp, tx_sync;

	struct settings settings;
	struct pipeline pipeline;
	struct pipeline_output out;	/* as last published */
	int published;

	/* findings */
	uint64_t checks, violations, trusted_steps, vouched_steps, steps;
	int64_t worst_excess;		/* of error over bound, ns */
	int64_t blind_from, blind_until;	/* a fault that nothing could have shown yet */
	int64_t last_page_ns;
	uint32_t last_epoch;
	uint64_t backwards;
	uint64_t reasons_seen;
	uint32_t states_seen;		/* bit per enum tsv_state */
	int alarm_seen;
	int64_t fell_at, held_at, alarmed_at, trusted_at;	/* first time in that state; 0 never */
};

void world_init(struct world *w, uint64_t seed);
/* Starts the pipeline with the knobs as they are. */
void world_start(struct world *w);
void world_run(struct world *w, int64_t span_ns);
/* As with a NIC's hardware clock, stamps and all, steered or not. */
void world_hardware(struct world *w, int servo);
/* The local clock jumps. */
void world_step_clock(struct world *w, int64_t ns);
/* Its rate does. */
void world_bend_clock(struct world *w, double ppm);
/* ptp4l dies, and starts again. */
void world_kill(struct world *w);
void world_revive(struct world *w);
/* The grandmaster goes away so that the port listens for another, and comes back: ptp4l forgets its path
 * delay, but not its last offset. */
void world_lose_master(struct world *w);
void world_find_master(struct world *w);
/* Forgets the findings about states, keeps those about bounds. */
void world_mark(struct world *w);

#endif
