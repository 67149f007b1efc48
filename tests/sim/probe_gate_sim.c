/* The gate between two simulated hosts, in virtual time.
 *
 * Each host has a clock that wanders, jumps now and then and is sometimes left without Sync or
 * without its daemon, and a page that is honest: it learns of its clock's error from Syncs alone,
 * 16 times a second, and publishes every 50 ms. So for a moment after each jump the page says
 * TRUSTED with a bound that no longer holds, and only the gate can still put that right.
 *
 * Promised, over every seed: no admitted delay is wrong by more than its bound, none was stamped
 * by a clock that jumped before it was vouched for, every sample is counted exactly once, and
 * where nothing is amiss nearly all are admitted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../unit/gate_ends.h"
#include "../unit/rng.h"

#define MS		NS_PER_MS
#define US		NS_PER_US
#define PAGE		NEAR_PAGE
#define SEEDS		24
#define CLEAN_SEEDS	4
#define LENGTH		(40 * NS_PER_S)
#define PROBE_EVERY	(4 * MS)
#define SYNC_EVERY	(62500 * US)
#define PUBLISH_EVERY	(50 * MS)
#define SILENCE		(156 * MS)
#define VOID_AFTER	(200 * MS)
#define RECOVER		(2 * NS_PER_S)
#define NOISE		200		/* of one Sync's offset, at most */
#define MARGIN		700		/* of the bound over the last offset */
#define DRIFT_PPB	1000		/* of the clock, at most */
#define GROWTH_PPB	2000		/* of the bound */
#define JUMP_SEEN	(5 * US)	/* the page's line shows a larger jump */
#define FALLBACK	(100 * US)
#define WAITING		16384
#define HISTORY		1024

static int64_t minimum(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t grown(int64_t ns, int64_t age_ns, int64_t ppb)
{
	return ns + age_ns * ppb / NS_PER_S;
}

/* One host. Instants are true time; its page time is PAGE + true time + error. */
struct host {
	struct rng rng;
	int64_t now;
	/* the clock, as it is */
	int64_t error, error_at, drift_ppb;
	/* what happens to it */
	int faulty;
	int64_t next_fault, silent_until, dead_until, pull_at;
	/* what the daemon knows */
	int64_t next_sync, next_publish, last_sync, offset, bound, recover_at;
	uint32_t epoch;
	int state, restarted;
	struct { int64_t at; uint32_t epoch; } syncs[HISTORY];
	int sync_count;
	/* what the page says */
	struct gate_end page;
	int64_t published;
};

static int64_t host_error(const struct host *h, int64_t t)
{
	return grown(h->error, t - h->error_at, h->drift_ppb);
}

static int64_t host_page(const struct host *h, int64_t t)
{
	return PAGE + t + host_error(h, t);
}

static int64_t between(struct rng *rng, int64_t low, int64_t high)
{
	return low + (int64_t)rng_below(rng, (uint64_t)(high - low));
}

static void host_jump(struct host *h, int64_t t, int64_t by)
{
	h->error = host_error(h, t) + by;
	h->error_at = t;
}

static void host_drift(struct host *h, int64_t t)
{
	h->error = host_error(h, t);
	h->error_at = t;
	/* It is steered towards zero, and never arrives. */
	h->drift_ppb = between(&h->rng, 0, DRIFT_PPB) * (h->error > 0 ? -1 : 1);
}

static int host_blind(const struct host *h, int64_t t)
{
	return t < h->silent_until || t < h->dead_until;
}

/* Once in a silence at most: a clock that jumps there and back unseen is past all proof. */
static void host_fault(struct host *h, int64_t t)
{
	uint64_t what = rng_below(&h->rng, 10);
	int blind = host_blind(h, t);

	h->next_fault = t + between(&h->rng, 2 * NS_PER_S, 16 * NS_PER_S);
	if (what >= 4 && what < 8)
		h->silent_until = t + between(&h->rng, 100 * MS, 7 * NS_PER_S);
	else if (what >= 8)
		h->dead_until = t + between(&h->rng, 100 * MS, 12 * NS_PER_S);
	if (!blind && (what < 6 || what == 8)) {
		int64_t by = between(&h->rng, 20 * US, 300 * US);

		host_jump(h, t, rng_below(&h->rng, 2) ? by : -by);
		h->pull_at = t + between(&h->rng, 500 * MS, 3 * NS_PER_S);
	}
}

static int judge_bound(const struct host *h, int64_t t)
{
	if (h->bound > FALLBACK)
		return TSV_LOCAL_RTT;
	return t < h->recover_at ? (h->restarted ? TSV_SETTLING : TSV_LOCAL_RTT) : TSV_TRUSTED;
}

static void host_sync(struct host *h, int64_t t)
{
	int64_t offset = host_error(h, t) + between(&h->rng, -NOISE, NOISE + 1);

	h->next_sync = t + SYNC_EVERY;
	if (host_blind(h, t))
		return;
	if (nstime_abs(offset - h->offset) > JUMP_SEEN || h->epoch == 0)
		h->epoch++;
	h->offset = offset;
	h->bound = nstime_abs(offset) + MARGIN;
	h->last_sync = t;
	assert_true(h->sync_count < HISTORY);
	h->syncs[h->sync_count].at = t;
	h->syncs[h->sync_count++].epoch = h->epoch;
	if (h->bound > FALLBACK || h->state == TSV_UNKNOWN)
		h->recover_at = t + RECOVER;
	h->state = judge_bound(h, t);
	if (h->state == TSV_TRUSTED)
		h->restarted = 0;
	if (t >= h->pull_at) {		/* put right again, by somebody who sees Syncs */
		host_jump(h, t, -host_error(h, t));
		h->pull_at = INT64_MAX;
	}
}

static void host_silence(struct host *h, int64_t t)
{
	if (h->state == TSV_TRUSTED && t - h->last_sync > SILENCE)
		h->state = TSV_HOLDOVER;
	if (h->state == TSV_HOLDOVER && t - h->last_sync > HOLD_LIMIT) {
		h->state = TSV_LOCAL_RTT;
		h->recover_at = INT64_MAX;
	}
	if (h->recover_at == INT64_MAX && t - h->last_sync < SILENCE)
		h->recover_at = t + RECOVER;
}

static void host_publish(struct host *h, int64_t t)
{
	h->next_publish = t + PUBLISH_EVERY + between(&h->rng, -5 * MS, 20 * MS);
	if (t < h->dead_until) {
		h->state = TSV_UNKNOWN;
		h->restarted = 1;
		return;
	}
	host_silence(h, t);
	h->page.state = h->state;
	h->page.epoch = h->epoch;
	h->page.flags = h->bound > 30 * US ? TSV_ALARM : 0;
	h->page.bound_parent_ns = grown(h->bound, t - h->last_sync, GROWTH_PPB);
	if (h->state == TSV_TRUSTED)
		h->page.good_until_ns = PAGE + h->last_sync + h->offset;
	h->published = t;
}

/* Everything that happens to a host until t, in order. */
static void host_advance(struct host *h, int64_t t)
{
	while (h->now < t) {
		int64_t next = minimum(minimum(h->next_sync, h->next_publish), t);

		if (h->faulty)
			next = minimum(next, h->next_fault);
		h->now = next;
		if (h->faulty && next == h->next_fault)
			host_fault(h, next);
		if (next == h->next_sync) {
			host_drift(h, next);
			host_sync(h, next);
		}
		if (next == h->next_publish)
			host_publish(h, next);
	}
}

static struct gate_end host_read(struct host *h, int64_t t)
{
	struct gate_end e;

	host_advance(h, t);
	e = h->page;
	e.bound_parent_ns = grown(e.bound_parent_ns, t - h->published, GROWTH_PPB);
	if (t - h->published > VOID_AFTER)
		e.state = TSV_STALE;
	return e;
}

/* The first Sync after t, and whether it found the clock in this epoch. */
static int host_confirmed(const struct host *h, int64_t t, uint32_t epoch)
{
	int i = h->sync_count;

	while (i > 0 && h->syncs[i - 1].at >= t)
		i--;
	return i < h->sync_count && h->syncs[i].epoch == epoch;
}

static void host_start(struct host *h, uint64_t seed, int faulty, const struct gate_end *page)
{
	*h = (struct host){
		.rng = { seed }, .faulty = faulty, .pull_at = INT64_MAX, .state = TSV_UNKNOWN,
		.page = *page,
	};
	h->page.state = TSV_UNKNOWN;
	h->error = between(&h->rng, -2 * US, 2 * US);
	h->next_sync = between(&h->rng, 1, SYNC_EVERY);
	h->next_publish = between(&h->rng, 1, PUBLISH_EVERY);
	h->next_fault = between(&h->rng, 4 * NS_PER_S, 8 * NS_PER_S);
}

/* A sample that waits, and what is really so. */
struct truth {
	int64_t slice, sent, returned, t1_ns;
	uint32_t near_epoch, far_epoch;
	int64_t error_ab, error_ba;
};

struct world {
	struct rng rng;
	struct host near, far;
	struct gate *gate;
	int64_t now, outage_until;
	uint64_t added, misled;
	struct truth truth[WAITING];
	int count;
};

static void check_admitted(const struct world *w, const struct truth *t, int64_t bound_ns)
{
	assert_true(nstime_abs(t->error_ab) <= bound_ns);
	assert_true(nstime_abs(t->error_ba) <= bound_ns);
	assert_true(host_confirmed(&w->near, t->returned, t->near_epoch));
	assert_true(host_confirmed(&w->far, t->sent, t->far_epoch));
}

static int64_t slice_of(const struct world *w, const struct gate_slice_result *r)
{
	for (int i = 0; i < w->count; i++)
		if (w->truth[i].t1_ns == r->start_ns)
			return w->truth[i].slice;
	fail_msg("a slice of no sample");
	return -1;
}

static int same_epochs(const struct truth *t, const struct gate_slice_result *r)
{
	return t->near_epoch == r->near_epoch && t->far_epoch == r->far_epoch;
}

static void resolved(void *arg, const struct gate_slice_result *r)
{
	struct world *w = arg;
	int64_t slice = slice_of(w, r);
	uint64_t found = 0;
	int kept = 0;

	for (int i = 0; i < w->count; i++) {
		struct truth *t = &w->truth[i];

		if (t->slice != slice || !same_epochs(t, r)) {
			w->truth[kept++] = *t;
			continue;
		}
		found++;
		if (r->verdict == GATE_ADMITTED)
			check_admitted(w, t, r->bound_ns);
	}
	w->count = kept;
	assert_int_equal(found, r->count);
}

/* Takes one sample; what is really so goes to *t. */
static struct gate_sample world_exchange(struct world *w, struct truth *t)
{
	const int64_t t1 = w->now, t2 = t1 + between(&w->rng, 20 * US, 80 * US);
	const int64_t t3 = t2 + between(&w->rng, 5 * US, 20 * US);
	const int64_t t4 = t3 + between(&w->rng, 20 * US, 80 * US);
	struct gate_sample s = { .mono_ns = t1, .has_stamps = 1 };

	s.near_before = host_read(&w->near, t1);
	s.t1_ns = host_page(&w->near, t1);
	s.far_before = host_read(&w->far, t2);
	s.t2_ns = host_page(&w->far, t2);
	s.far_after = host_read(&w->far, t3);
	s.t3_ns = host_page(&w->far, t3);
	s.near_after = host_read(&w->near, t4);
	s.t4_ns = host_page(&w->near, t4);
	s.rtt_ns = (s.t4_ns - s.t1_ns) - (s.t3_ns - s.t2_ns);
	*t = (struct truth){
		.slice = t1 / GATE_SLICE_NS, .sent = t1, .returned = t4, .t1_ns = s.t1_ns,
		.near_epoch = s.near_before.epoch, .far_epoch = s.far_before.epoch,
		.error_ab = s.t2_ns - s.t1_ns - (t2 - t1),
		.error_ba = s.t4_ns - s.t3_ns - (t4 - t3),
	};
	return s;
}

static void world_reply(struct world *w)
{
	struct truth t;
	struct gate_sample s = world_exchange(w, &t);

	w->added++;
	if (gate_add(w->gate, &s) == GATE_ADMITTED) {
		assert_true(w->count < WAITING);
		w->truth[w->count++] = t;
		w->misled += nstime_abs(t.error_ab) > gate_bound(&s.near_after, &s.far_after);
	}
	gate_far(w->gate, &s.far_after, t.returned);
}

static void world_check(const struct world *w)
{
	const struct gate_numbers *n = gate_numbers(w->gate);

	assert_int_equal(n->admitted + n->waiting + all_refused(n), w->added);
	assert_int_equal(n->waiting, w->count);
}

static void world_tick(struct world *w)
{
	struct gate_end near;

	if (rng_below(&w->rng, 2000) == 0)
		w->outage_until = w->now + between(&w->rng, 50 * MS, 1 * NS_PER_S);
	if (w->now >= w->outage_until && rng_below(&w->rng, 50) > 0)
		world_reply(w);
	w->now += PROBE_EVERY + between(&w->rng, -1 * MS, 1 * MS);
	near = host_read(&w->near, w->now);
	gate_near(w->gate, &near, w->now);
	world_check(w);
}

static void world_run(struct world *w, uint64_t seed, int faulty)
{
	struct gate_end near = near_end(), far = far_end();

	*w = (struct world){ .rng = { seed } };
	host_start(&w->near, rng_next(&w->rng), faulty, &near);
	host_start(&w->far, rng_next(&w->rng), faulty, &far);
	w->gate = gate_new(HOLD_LIMIT, resolved, w);
	assert_non_null(w->gate);
	while (w->now < LENGTH)
		world_tick(w);
	gate_finish(w->gate);
	world_check(w);
}

static struct world world;

static void test_clean_runs_are_admitted(void **state)
{
	struct rng seeds = rng_seeded();

	(void)state;
	for (int i = 0; i < CLEAN_SEEDS; i++) {
		const struct gate_numbers *n;
		uint64_t at_start;

		world_run(&world, rng_next(&seeds), 0);
		n = gate_numbers(world.gate);
		at_start = n->refused[GATE_near_state] + n->refused[GATE_far_state];
		assert_int_equal(n->contradictions, 0);
		assert_int_equal(n->refused[GATE_withdrawn_near_epoch], 0);
		assert_int_equal(n->refused[GATE_withdrawn_far_epoch], 0);
		assert_true((n->admitted + at_start) * 100 >= world.added * 98);
		assert_true(n->admitted * 100 >= world.added * 90);
		gate_free(world.gate);
	}
}

static void add_up(struct gate_numbers *total, const struct gate_numbers *n)
{
	total->admitted += n->admitted;
	total->admitted_after_holdover += n->admitted_after_holdover;
	for (int i = 0; i < GATE_REASON_COUNT; i++)
		total->refused[i] += n->refused[i];
}

static void print_total(const struct gate_numbers *n, uint64_t misled)
{
	print_message("# %" PRIu64 " admitted, %" PRIu64 " of them after holdover\n", n->admitted,
		      n->admitted_after_holdover);
	for (int i = 0; i < GATE_REASON_COUNT; i++)
		print_message("# %" PRIu64 " refused: %s\n", n->refused[i], gate_reason_name(i));
	print_message("# %" PRIu64 " had waited wrong beyond the bound the pages gave\n", misled);
}

static void test_broken_trust_is_never_admitted(void **state)
{
	struct rng seeds = rng_seeded();
	struct gate_numbers total = { 0 };
	const uint64_t *refused = total.refused;
	uint64_t added = 0, misled = 0;

	(void)state;
	for (int i = 0; i < SEEDS; i++) {
		world_run(&world, rng_next(&seeds), 1);
		add_up(&total, gate_numbers(world.gate));
		added += world.added;
		misled += world.misled;
		gate_free(world.gate);
	}
	print_total(&total, misled);
	assert_int_equal(total.admitted + all_refused(&total), added);
	assert_true(misled > 0);		/* there was something to withdraw */
	assert_true(refused[GATE_contradiction] > 0);
	assert_true(refused[GATE_withdrawn_near_epoch] + refused[GATE_withdrawn_far_epoch] > 0);
	assert_true(refused[GATE_withdrawn_near_state] + refused[GATE_withdrawn_far_state] > 0);
	assert_true(total.admitted_after_holdover > 0);
	assert_true(total.admitted * 5 > added);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clean_runs_are_admitted),
		cmocka_unit_test(test_broken_trust_is_never_admitted),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
