#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "rng.h"
#include "timesvc/monitor/supervisor.h"

#define S NS_PER_S
#define MS NS_PER_MS
#define TERM_AFTER (1 * S)

static struct supervisor v;

static void up_at(int64_t now)
{
	supervisor_init(&v, TERM_AFTER);
	assert_int_equal(supervisor_start(&v), SUPERVISOR_SPAWN);
	assert_int_equal(supervisor_started(&v, now, 100), 0);
	assert_int_equal(v.state, SUPERVISOR_UP);
}

/* Lets a death be followed by its restart; returns how long that took. */
static int64_t die_and_return(int64_t *now, unsigned *loop_edges)
{
	unsigned out = supervisor_exited(&v, *now, 9);
	int64_t waited = 0;

	*loop_edges = out & (SUPERVISOR_LOOP_ON | SUPERVISOR_LOOP_OFF);
	if (!(out & SUPERVISOR_SPAWN)) {
		waited = supervisor_deadline(&v) - *now;
		assert_int_equal(supervisor_tick(&v, *now + waited - 1), 0);
		assert_int_equal(supervisor_tick(&v, *now + waited), SUPERVISOR_SPAWN);
	}
	*now += waited;
	assert_int_equal(supervisor_started(&v, *now, 101), 0);
	return waited;
}

static void starts_at_once(void **state)
{
	(void)state;
	supervisor_init(&v, TERM_AFTER);
	assert_int_equal(supervisor_deadline(&v), INT64_MAX);
	assert_int_equal(supervisor_tick(&v, 5 * S), 0);
	assert_int_equal(supervisor_start(&v), SUPERVISOR_SPAWN);
	assert_int_equal(supervisor_start(&v), 0);
	assert_int_equal(supervisor_deadline(&v), INT64_MAX);
	assert_int_equal(supervisor_started(&v, 0, 7), 0);
	assert_int_equal(v.pid, 7);
	assert_int_equal(supervisor_deadline(&v), 30 * S);
}

static void backs_off(void **state)
{
	static const int64_t want[] = { 0, 100, 200, 400, 800, 1600, 3200, 6400, 10000, 10000 };
	int64_t now = 0;
	unsigned edges;

	(void)state;
	up_at(now);
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		now += 10 * MS;
		assert_int_equal(die_and_return(&now, &edges), want[i] * MS);
	}
}

static void thirty_seconds_are_forgiven(void **state)
{
	int64_t now = 0;
	unsigned edges;

	(void)state;
	up_at(now);
	die_and_return(&now, &edges);
	die_and_return(&now, &edges);
	now += 30 * S - 1;
	assert_int_equal(die_and_return(&now, &edges), 200 * MS);
	now += 30 * S;
	assert_int_equal(supervisor_tick(&v, now), 0);
	assert_int_equal(supervisor_deadline(&v), INT64_MAX);
	assert_int_equal(die_and_return(&now, &edges), 0);
	assert_int_equal(die_and_return(&now, &edges), 100 * MS);
	/* A death at the very end of the time, before anybody ticked. */
	now += 30 * S;
	assert_int_equal(die_and_return(&now, &edges), 0);
}

static void five_deaths_in_a_minute_are_a_loop(void **state)
{
	int64_t now = 0;
	unsigned edges;

	(void)state;
	up_at(now);
	for (int i = 0; i < 4; i++) {
		die_and_return(&now, &edges);
		assert_int_equal(edges, 0);
	}
	die_and_return(&now, &edges);
	assert_int_equal(edges, SUPERVISOR_LOOP_ON);
	assert_int_equal(v.crash_loop, 1);
	die_and_return(&now, &edges);
	assert_int_equal(edges, 0);
	assert_int_equal(supervisor_tick(&v, now + 30 * S - 1), 0);
	assert_int_equal(supervisor_tick(&v, now + 30 * S), SUPERVISOR_LOOP_OFF);
	assert_int_equal(v.crash_loop, 0);
	assert_int_equal(supervisor_tick(&v, now + 60 * S), 0);
}

static void five_deaths_in_more_than_a_minute_are_none(void **state)
{
	int64_t now = 0, first;
	unsigned edges;

	(void)state;
	up_at(now);
	now = first = 10 * S;
	for (int i = 0; i < 4; i++) {
		die_and_return(&now, &edges);
		now += 14 * S;
	}
	now = first + 60 * S + 1;
	die_and_return(&now, &edges);
	assert_int_equal(edges, 0);
	/* The next one has four others within its minute. */
	now += MS;
	die_and_return(&now, &edges);
	assert_int_equal(edges, SUPERVISOR_LOOP_ON);
}

static void a_loop_ends_when_the_death_comes_late(void **state)
{
	int64_t now = 0;
	unsigned edges;

	(void)state;
	up_at(now);
	for (int i = 0; i < 5; i++)
		die_and_return(&now, &edges);
	assert_int_equal(edges, SUPERVISOR_LOOP_ON);
	now += 31 * S;	/* nobody ticked */
	assert_int_equal(die_and_return(&now, &edges), 0);
	assert_int_equal(edges, SUPERVISOR_LOOP_OFF);
}

static void what_waits_can_be_hurried(void **state)
{
	(void)state;
	up_at(0);
	assert_int_equal(supervisor_hurry(&v), 0);
	assert_int_equal(supervisor_exited(&v, 1 * S, 0), SUPERVISOR_SPAWN);
	assert_int_equal(supervisor_hurry(&v), 0);
	assert_int_equal(supervisor_exited(&v, 2 * S, 0), 0);
	assert_int_equal(v.state, SUPERVISOR_WAITING);
	assert_int_equal(supervisor_hurry(&v), SUPERVISOR_SPAWN);
	assert_int_equal(v.state, SUPERVISOR_STARTING);
	assert_int_equal(supervisor_deadline(&v), INT64_MAX);
}

static void a_restart_asks_first_then_kills(void **state)
{
	(void)state;
	up_at(0);
	assert_int_equal(supervisor_restart(&v, 2 * S, SUPERVISOR_FAULT), SUPERVISOR_TERM);
	assert_int_equal(supervisor_restart(&v, 2 * S, SUPERVISOR_FAULT), 0);
	assert_int_equal(supervisor_deadline(&v), 3 * S);
	assert_int_equal(supervisor_tick(&v, 3 * S - 1), 0);
	assert_int_equal(supervisor_tick(&v, 3 * S), SUPERVISOR_KILL);
	assert_int_equal(supervisor_tick(&v, 90 * S), 0);
	assert_int_equal(supervisor_deadline(&v), INT64_MAX);
	assert_int_equal(supervisor_exited(&v, 3 * S + 1, 9), SUPERVISOR_SPAWN);
	assert_int_equal(v.last_status, 9);
}

static void faults_count_as_deaths_plans_do_not(void **state)
{
	int64_t now = 0;

	(void)state;
	up_at(now);
	for (int i = 0; i < 20; i++) {
		now += MS;
		assert_int_equal(supervisor_restart(&v, now, SUPERVISOR_PLANNED), SUPERVISOR_TERM);
		assert_int_equal(supervisor_exited(&v, now, 0), SUPERVISOR_SPAWN);
		assert_int_equal(supervisor_started(&v, now, 5), 0);
	}
	assert_int_equal(v.deaths, 0);
	assert_int_equal(supervisor_restart(&v, now, SUPERVISOR_FAULT), SUPERVISOR_TERM);
	assert_int_equal(supervisor_exited(&v, now, 15), SUPERVISOR_SPAWN);
	assert_int_equal(v.deaths, 1);
}

static void restarts_are_for_running_children_only(void **state)
{
	(void)state;
	up_at(0);
	supervisor_exited(&v, MS, 9);
	assert_int_equal(v.state, SUPERVISOR_STARTING);
	assert_int_equal(supervisor_restart(&v, MS, SUPERVISOR_FAULT), 0);
	supervisor_started(&v, MS, 1);
	supervisor_exited(&v, 2 * MS, 9);
	assert_int_equal(v.state, SUPERVISOR_WAITING);
	assert_int_equal(supervisor_restart(&v, 3 * MS, SUPERVISOR_PLANNED), 0);
	assert_int_equal(v.state, SUPERVISOR_WAITING);
}

static void a_program_that_cannot_be_run_backs_off_too(void **state)
{
	int64_t now = 0;
	int loop = 0;

	(void)state;
	supervisor_init(&v, TERM_AFTER);
	assert_int_equal(supervisor_start(&v), SUPERVISOR_SPAWN);
	assert_int_equal(supervisor_exited(&v, now, 127 << 8), SUPERVISOR_SPAWN);
	for (int i = 0; i < 6; i++) {
		unsigned out = supervisor_exited(&v, now, 127 << 8);

		loop |= out & SUPERVISOR_LOOP_ON;
		assert_int_equal(v.state, SUPERVISOR_WAITING);
		now = supervisor_deadline(&v);
		assert_int_equal(supervisor_tick(&v, now), SUPERVISOR_SPAWN);
	}
	assert_int_equal(loop, SUPERVISOR_LOOP_ON);
}

static void stops_for_good(void **state)
{
	(void)state;
	up_at(0);
	assert_int_equal(supervisor_stop(&v, S), SUPERVISOR_TERM);
	assert_int_equal(supervisor_exited(&v, S + 1, 0), 0);
	assert_int_equal(v.state, SUPERVISOR_STOPPED);
	assert_int_equal(supervisor_tick(&v, 100 * S), 0);
	assert_int_equal(supervisor_start(&v), SUPERVISOR_SPAWN);
}

static void stops_from_any_state(void **state)
{
	(void)state;
	/* before it was ever started */
	supervisor_init(&v, TERM_AFTER);
	assert_int_equal(supervisor_stop(&v, 0), 0);
	assert_int_equal(v.state, SUPERVISOR_STOPPED);
	/* between SPAWN and the answer */
	supervisor_start(&v);
	assert_int_equal(supervisor_stop(&v, 0), 0);
	assert_int_equal(supervisor_started(&v, 1, 9), SUPERVISOR_TERM);
	assert_int_equal(supervisor_exited(&v, 2, 0), 0);
	/* waiting */
	up_at(0);
	supervisor_exited(&v, 1, 9);
	supervisor_started(&v, 1, 9);
	supervisor_exited(&v, 2, 9);
	assert_int_equal(v.state, SUPERVISOR_WAITING);
	assert_int_equal(supervisor_stop(&v, 3), 0);
	assert_int_equal(v.state, SUPERVISOR_STOPPED);
	assert_int_equal(supervisor_tick(&v, 100 * S), 0);
	/* being restarted by plan */
	up_at(0);
	supervisor_restart(&v, 1, SUPERVISOR_PLANNED);
	assert_int_equal(supervisor_stop(&v, 2), 0);
	assert_int_equal(supervisor_exited(&v, 3, 0), 0);
	assert_int_equal(v.state, SUPERVISOR_STOPPED);
}

static void exits_nobody_waits_for_are_ignored(void **state)
{
	(void)state;
	supervisor_init(&v, TERM_AFTER);
	assert_int_equal(supervisor_exited(&v, 0, 1), 0);
	up_at(0);
	supervisor_exited(&v, 1, 9);
	supervisor_started(&v, 1, 9);
	supervisor_exited(&v, 2, 9);
	assert_int_equal(supervisor_exited(&v, 3, 9), 0);
	assert_int_equal(v.deaths, 2);
}

struct seen { int running; };

/* One random step, checked against what must always hold. */
static void step(struct rng *r, int64_t now, struct seen *x)
{
	unsigned out = 0;
	int64_t due = supervisor_deadline(&v);
	int waiting = v.state == SUPERVISOR_WAITING;

	switch (rng_below(r, 6)) {
	case 0:
		if (!x->running)
			break;
		x->running = 0;
		out = supervisor_exited(&v, now, 9);
		assert_true(out & SUPERVISOR_SPAWN || supervisor_deadline(&v) - now <= 10 * S);
		break;
	case 1:
		out = supervisor_restart(&v, now, (enum supervisor_why)rng_below(r, 2));
		break;
	default:
		out = supervisor_tick(&v, now);
	}
	if (out & (SUPERVISOR_TERM | SUPERVISOR_KILL))
		assert_true(x->running);
	if (out & SUPERVISOR_SPAWN) {
		assert_false(x->running);
		assert_true(!waiting || now >= due);
		supervisor_started(&v, now, 1);
		x->running = 1;
	}
	assert_true(x->running == (v.state == SUPERVISOR_UP || v.state == SUPERVISOR_STOPPING ||
		v.state == SUPERVISOR_KILLED));
	if (!x->running)
		assert_int_equal(v.state, SUPERVISOR_WAITING);
}

static void any_order_of_events(void **state)
{
	struct rng r = rng_seeded();

	(void)state;
	for (int run = 0; run < 200; run++) {
		struct seen x = { .running = 1 };
		int64_t now = 0;

		up_at(0);
		for (int i = 0; i < 500; i++) {
			now += (int64_t)rng_below(&r, (uint64_t)(run % 2 ? 2 * S : 50 * MS));
			step(&r, now, &x);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_at_once),
		cmocka_unit_test(backs_off),
		cmocka_unit_test(thirty_seconds_are_forgiven),
		cmocka_unit_test(five_deaths_in_a_minute_are_a_loop),
		cmocka_unit_test(five_deaths_in_more_than_a_minute_are_none),
		cmocka_unit_test(a_loop_ends_when_the_death_comes_late),
		cmocka_unit_test(what_waits_can_be_hurried),
		cmocka_unit_test(a_restart_asks_first_then_kills),
		cmocka_unit_test(faults_count_as_deaths_plans_do_not),
		cmocka_unit_test(restarts_are_for_running_children_only),
		cmocka_unit_test(a_program_that_cannot_be_run_backs_off_too),
		cmocka_unit_test(stops_for_good),
		cmocka_unit_test(stops_from_any_state),
		cmocka_unit_test(exits_nobody_waits_for_are_ignored),
		cmocka_unit_test(any_order_of_events),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
