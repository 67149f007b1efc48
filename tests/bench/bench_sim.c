/* How tight the published bound is, and that it holds: virtual hosts against the truth. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>

#include "nstime.h"
#include "tests/sim/world.h"

#define SEEDS	8
#define SETTLE_NS (60 * NS_PER_S)
#define RUN_NS	(20 * NS_PER_S)
#define STEP_NS	(50 * NS_PER_MS)
#define STEPS	(RUN_NS / STEP_NS)
#define KINDS	4

struct tally {
	double ratio[SEEDS * KINDS * STEPS];
	size_t ratios;
	uint64_t judgements, violations;
};

/* Hosts that are steered by what they measure, over quiet, noisy, crooked and slow paths. */
static void set_kind(struct world *w, int kind)
{
	w->servo = 1;
	w->drift_ppm = 15;
	w->wander_ppm = 0.05;
	if (kind == 1)
		w->jitter = 8 * NS_PER_US;
	if (kind == 2)
		w->delay_ba = 5 * w->delay_ab;
	if (kind == 3)
		w->log_sync = w->log_delay_req = 0;
}

/* Bound over error where the line was published just now. */
static void note_ratio(struct tally *t, const struct world *w)
{
	const struct tsv_time *l = &w->out.line;
	int64_t truth = (int64_t)(l->tsc / TICKS_PER_NS);
	double error = (double)llabs(l->ns - truth);

	if (l->state == TSV_TRUSTED && l->bound_ns >= 0)
		t->ratio[t->ratios++] = (double)l->bound_ns / fmax(error, 1);
}

static void run_world(struct tally *t, uint64_t seed, int kind)
{
	static struct world w;

	world_init(&w, seed);
	set_kind(&w, kind);
	world_start(&w);
	world_run(&w, SETTLE_NS);
	for (int i = 0; i < STEPS; i++) {
		world_run(&w, STEP_NS);
		note_ratio(t, &w);
	}
	t->judgements += w.checks;
	t->violations += w.violations;
}

int bench_sim(struct figures *f)
{
	static struct tally t;

	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		for (int kind = 0; kind < KINDS; kind++)
			run_world(&t, seed, kind);
	figures_add(f, "sim_judgements", (double)t.judgements, "count", NULL);
	figures_add(f, "sim_bound_violations", (double)t.violations, "count", NULL);
	if (t.ratios)
		figures_add(f, "sim_bound_over_error_p50", quantile(t.ratio, t.ratios, 0.5), "ratio",
			"the true error");
	return 0;
}
