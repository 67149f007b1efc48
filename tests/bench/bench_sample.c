/* One round-trip sample from ticks to distributions: map, gate, histogram, all of it hot. */
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "hist.h"
#include "nstime.h"
#include "probe/clock.h"
#include "probe/gate.h"
#include "timesvc.h"

#define ROUNDS		501
#define SAMPLES		20000
#define SPACING_NS	(20 * NS_PER_US)	/* 50,000 probes a second */
#define TELL_EVERY	2500			/* pages are looked at every 50 ms of that */

struct bed {
	struct gate *gate;
	struct hist_sum rtt;
	struct clock clock;
	struct gate_end end;
	int64_t mono_ns;
};

static struct gate_end trusted_end(void)
{
	return (struct gate_end){
		.state = TSV_TRUSTED, .epoch = 1, .bound_parent_ns = 2500, .bound_gm_ns = 2500,
		.bound_utc_ns = -1, .port_budget_ns = 0, .clock = { 1 }, .parent = { 2 }, .gm = { 2 },
		.known = 1,
	};
}

static void feed(struct bed *b, struct gate_sample *s)
{
	uint64_t t1 = (uint64_t)b->mono_ns * 2, t4 = t1 + 2 * 90 * NS_PER_US;

	s->mono_ns = b->mono_ns;
	s->t1_ns = clock_mono_ns(&b->clock, t1);
	s->t4_ns = clock_mono_ns(&b->clock, t4);
	s->t2_ns = s->t1_ns + 40 * NS_PER_US + (b->mono_ns & 1023);
	s->t3_ns = s->t2_ns + 10 * NS_PER_US;
	s->rtt_ns = s->t4_ns - s->t1_ns - (s->t3_ns - s->t2_ns);
	hist_sum_record(&b->rtt, s->rtt_ns);
	gate_add(b->gate, s);
}

static void tell(struct bed *b)
{
	b->end.good_until_ns = clock_mono_ns(&b->clock, (uint64_t)b->mono_ns * 2);
	gate_near(b->gate, &b->end, b->mono_ns);
	gate_far(b->gate, &b->end, b->mono_ns);
}

static double round_ns(struct bed *b)
{
	struct gate_sample s = {
		.has_stamps = 1, .near_before = b->end, .near_after = b->end, .far_before = b->end,
		.far_after = b->end,
	};
	int64_t start = nstime_mono();

	for (int i = 0; i < SAMPLES; i++) {
		feed(b, &s);
		b->mono_ns += SPACING_NS;
		if (i % TELL_EVERY == TELL_EVERY - 1)
			tell(b);
	}
	return (double)(nstime_mono() - start) / SAMPLES;
}

int bench_sample(struct figures *f)
{
	static struct bed b;
	static double ns[ROUNDS];
	const struct gate_numbers *n;
	int r = 0;

	b.gate = gate_new(5 * NS_PER_S, NULL, NULL);
	if (b.gate == NULL)
		return -ENOMEM;
	b.end = trusted_end();
	b.clock.mult = UINT64_C(1) << 47;
	b.mono_ns = NS_PER_S;
	for (int i = 0; i < ROUNDS; i++)
		ns[i] = round_ns(&b);
	n = gate_numbers(b.gate);
	if (n->admitted < (uint64_t)SAMPLES * (ROUNDS - 1)) {
		fprintf(stderr, "bench: the gate admitted only %llu samples\n",
			(unsigned long long)n->admitted);
		r = -EIO;
	} else {
		figures_add(f, "sample_cost_ns", quantile(ns, ROUNDS, 0.5), "ns", NULL);
		figures_add(f, "hist_bytes", sizeof(struct hist), "bytes", NULL);
	}
	gate_free(b.gate);
	return r;
}
