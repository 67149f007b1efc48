/* How tight the published bound is, and that it holds: virtual hosts against the truth. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>

#include "nstime.h"
#include "tests/sim/world.h"

#define SEEDS	8
#define RUN_NS	(20 * NS_PER_S)
#define STEP_NS	(50 * NS_PER_MS)
#define STEPS	(RUN_NS / STEP_NS)
#define KINDS	4

struct tally {
	double ratio[SEEDS * KINDS * STEPS];
	size_t ratios;
	uint64_t judgements, violations;
};

static void set_kind(struct world *w, int kind)
{
	switch (kind) {
	case 1:
		w->jitter = 8 * NS_PER_US;
		w->wander_ppm = 0.02;
		break;
	case 2:
		w->servo = 1;
		w->drift_ppm = 15;
		break;
	case 3:
		w->delay_ab = 2 * NS_PER_US;
		w->delay_ba = 8 * NS_PER_US;
		break;
	default:
		break;
	}
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
	world_run(&w, w.servo ? 30 * NS_PER_S : 5 * NS_PER_S);
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
			"sim_error_ns");
	return 0;
}
