/* Whatever happens in whatever order, the gate keeps its promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gate_ends.h"
#include "rng.h"

#define SEEDS	20
#define STEPS	4000
#define WAITING	8192

/* A sample as the test remembers it while it waits. */
struct memory {
	int64_t slice, near_last, far_last;
	uint32_t near_epoch, far_epoch;
	int near_vouched, far_vouched, broken;
};

struct run {
	struct rng rng;
	struct gate *gate;
	int64_t now;
	uint32_t near_epoch, far_epoch;
	int64_t near_good, far_good;	/* the furthest that was vouched for in these epochs */
	uint64_t added, no_stamp, admitted;
	struct memory memory[WAITING];
	int count;
};

static int is_of(const struct memory *m, const struct gate_slice_result *r)
{
	return m->slice == (r->start_ns - NEAR_PAGE) / GATE_SLICE_NS &&
	       m->near_epoch == r->near_epoch && m->far_epoch == r->far_epoch;
}

static void resolved(void *arg, const struct gate_slice_result *r)
{
	struct run *run = arg;
	uint64_t found = 0;
	int kept = 0;

	for (int i = 0; i < run->count; i++) {
		struct memory *m = &run->memory[i];

		if (!is_of(m, r)) {
			run->memory[kept++] = *m;
			continue;
		}
		found++;
		if (r->verdict != GATE_ADMITTED)
			continue;
		assert_true(m->near_vouched);
		assert_true(m->far_vouched);
		assert_false(m->broken);
		run->admitted++;
	}
	run->count = kept;
	assert_int_equal(r->count, found);
}

static int any_state(struct rng *rng)
{
	static const int states[] = {
		TSV_TRUSTED, TSV_TRUSTED, TSV_TRUSTED, TSV_TRUSTED, TSV_TRUSTED, TSV_TRUSTED,
		TSV_TRUSTED, TSV_TRUSTED, TSV_TRUSTED, TSV_TRUSTED, TSV_TRUSTED, TSV_TRUSTED,
		TSV_HOLDOVER, TSV_HOLDOVER, TSV_STALE, TSV_STALE, TSV_LOCAL_RTT, TSV_SETTLING,
		TSV_UNKNOWN,
	};

	return states[rng_below(rng, sizeof(states) / sizeof(states[0]))];
}

static int rarely(struct rng *rng, uint64_t one_in)
{
	return rng_below(rng, one_in) == 0;
}

static void spoil(struct run *run, struct gate_sample *s)
{
	struct gate_end *ends[] = {
		&s->near_before, &s->near_after, &s->far_before, &s->far_after
	};
	struct gate_end *e = ends[rng_below(&run->rng, 4)];

	switch (rng_below(&run->rng, 7)) {
	case 0:
		e->state = any_state(&run->rng);
		break;
	case 1:
		e->epoch++;
		break;
	case 2:
		e->flags ^= TSV_PTP_SCALE;
		break;
	case 3:
		e->domain ^= 1;
		break;
	case 4:
		e->known = 0;
		break;
	case 5:
		s->has_stamps = 0;
		break;
	default:
		s->t2_ns += rng_signed_log(&run->rng) >> 40;
	}
}

static void remember(struct run *run, const struct gate_sample *s)
{
	struct memory *m = &run->memory[run->count++];

	assert_true(run->count <= WAITING);
	*m = (struct memory){
		.slice = s->mono_ns / GATE_SLICE_NS,
		.near_last = s->t1_ns > s->t4_ns ? s->t1_ns : s->t4_ns,
		.far_last = s->t2_ns > s->t3_ns ? s->t2_ns : s->t3_ns,
		.near_epoch = s->near_before.epoch, .far_epoch = s->far_before.epoch,
	};
	m->near_vouched = run->near_good >= m->near_last;
	m->far_vouched = run->far_good >= m->far_last;
}

static void add(struct run *run)
{
	struct gate_sample s = sample_at(run->now - (int64_t)rng_below(&run->rng, 20 * NS_PER_MS));

	s.near_before.epoch = s.near_after.epoch = run->near_epoch;
	s.far_before.epoch = s.far_after.epoch = run->far_epoch;
	if (rarely(&run->rng, 8))
		spoil(run, &s);
	run->added++;
	run->no_stamp += !s.has_stamps;
	if (gate_add(run->gate, &s) == GATE_ADMITTED)
		remember(run, &s);
}

static void next_epoch(struct run *run, int far)
{
	*(far ? &run->far_epoch : &run->near_epoch) += 1;
	*(far ? &run->far_good : &run->near_good) = INT64_MIN;
}

static void say(struct run *run, int far)
{
	int64_t *good = far ? &run->far_good : &run->near_good;
	struct gate_end e = far ? far_end() : near_end();

	e.state = any_state(&run->rng);
	e.epoch = far ? run->far_epoch : run->near_epoch;
	e.known = !rarely(&run->rng, 30);
	e.good_until_ns = NEAR_PAGE + run->now - (int64_t)rng_below(&run->rng, 120 * NS_PER_MS);
	if (e.known && e.good_until_ns > *good)
		*good = e.good_until_ns;
	for (int i = 0; i < run->count && e.known; i++) {
		struct memory *m = &run->memory[i];

		if (e.epoch != (far ? m->far_epoch : m->near_epoch))
			m->broken = 1;
		else if (*good >= (far ? m->far_last : m->near_last))
			*(far ? &m->far_vouched : &m->near_vouched) = 1;
	}
	(far ? gate_far : gate_near)(run->gate, &e, run->now);
}

static void assert_sums(const struct run *run)
{
	const struct gate_numbers *n = gate_numbers(run->gate);
	const struct gate_sums *s = gate_sums(run->gate);

	assert_int_equal(n->admitted + n->waiting + all_refused(n), run->added);
	assert_int_equal(n->admitted, run->admitted);
	assert_int_equal(n->waiting, run->count);
	assert_int_equal(s->ab_trusted.count, n->admitted);
	assert_int_equal(s->ba_trusted.count, n->admitted);
	assert_int_equal(s->ab_untrusted.count, all_refused(n) - run->no_stamp);
	assert_int_equal(s->ba_untrusted.count, all_refused(n) - run->no_stamp);
	assert_int_equal(n->contradictions, n->refused[GATE_contradiction]);
}

static void run_once(struct run *run)
{
	for (int i = 0; i < STEPS; i++) {
		uint64_t what = rng_below(&run->rng, 100);

		int64_t pause = rarely(&run->rng, 200) ? NS_PER_S : 20 * NS_PER_MS;

		run->now += (int64_t)rng_below(&run->rng, (uint64_t)pause);
		if (what < 60)
			add(run);
		else if (what < 98)
			say(run, what & 1);
		else
			next_epoch(run, what & 1);
		assert_sums(run);
	}
	gate_finish(run->gate);
	assert_sums(run);
	assert_int_equal(gate_numbers(run->gate)->waiting, 0);
}

static void test_every_sample_ends_exactly_once(void **state)
{
	struct rng seeds = rng_seeded();
	uint64_t admitted = 0;
	static struct run run;

	(void)state;
	for (int i = 0; i < SEEDS; i++) {
		run = (struct run){ .rng = { rng_next(&seeds) }, .now = NS_PER_S };
		next_epoch(&run, 0);
		next_epoch(&run, 1);
		run.gate = gate_new(HOLD_LIMIT, resolved, &run);
		assert_non_null(run.gate);
		run_once(&run);
		admitted += run.admitted;
		gate_free(run.gate);
	}
	assert_true(admitted > 1000);		/* a gate that admits nothing has not passed */
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_sample_ends_exactly_once),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
