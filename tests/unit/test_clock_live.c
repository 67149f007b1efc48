#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "nstime.h"
#include "probe/clock_live.h"
#include "timesvc/page.h"
#include "tsc.h"

#define CLOCK "link0"
#define LATER (NS_PER_S * 3600)

struct world {
	char dir[64], path[96];
	struct page *page;
	struct clock_live *live;
};

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	strcpy(w->dir, "/tmp/test_clock_live.XXXXXX");
	if (!mkdtemp(w->dir))
		return -1;
	snprintf(w->path, sizeof(w->path), "%s/page", w->dir);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	clock_live_close(w->live);
	page_close(w->page);
	unlink(w->path);
	rmdir(w->dir);
	free(w);
	return 0;
}

static void open_clock(struct world *w)
{
	struct err e = { 0 };

	assert_int_equal(clock_live_open(&w->live, w->path, CLOCK, &e), 0);
}

static void make_page(struct world *w, enum tsv_timebase timebase)
{
	struct err e = { 0 };

	assert_int_equal(page_prepare(w->path, getuid(), getgid(), &e), 0);
	assert_int_equal(page_open(&w->page, w->path, timebase, &e), 0);
	assert_int_equal(page_clock(w->page, CLOCK), 0);
	page_live(w->page);
}

/* A line of 1 ns a tick from tick0 on. */
static void publish(struct world *w, uint64_t tick0, int state, uint32_t epoch)
{
	struct tsv_line line = {
		.t0_ns = 5000, .tsc0 = tick0, .mult = UINT64_C(1) << 48, .bound0_ns = 900, .growth = 0,
		.trust = page_trust_word(state, 0, UINT64_MAX), .good_until_ns = 4000, .epoch = epoch,
		.flags = TSV_REFERENCE,
	};
	struct tsv_info info = {
		.name = CLOCK, .clock_identity = { 1 }, .parent_identity = { 2 }, .gm_identity = { 3 },
		.bound_parent_ns = 700, .bound_gm_ns = -1, .bound_utc_ns = 2000, .port_budget_ns = 11,
		.domain = 4,
	};

	page_publish_info(w->page, 0, &info);
	page_publish(w->page, 0, &line);
}

static void read_at(struct world *w, uint64_t tick, struct clock_reading *r)
{
	struct clock *c = clock_live_clock(w->live);

	c->ops->read(c, tick, r);
}

static void test_without_a_page(void **state)
{
	struct world *w = *state;
	struct clock_reading r;
	struct clock *c;
	int64_t wall;

	open_clock(w);
	c = clock_live_clock(w->live);
	wall = nstime_now(CLOCK_REALTIME);
	assert_false(clock_live_has_page(w->live));
	read_at(w, c->ops->ticks(c), &r);
	assert_true(nstime_abs(r.ns - wall) < 5 * NS_PER_MS);
	assert_true(nstime_abs(clock_mono_ns(c, c->ops->ticks(c)) - nstime_mono()) < 5 * NS_PER_MS);
	assert_int_equal(r.end.known, 0);
	assert_int_equal(r.end.state, TSV_UNKNOWN);
	assert_int_equal(r.end.bound_parent_ns, -1);
	assert_int_equal(r.end.epoch, 0);
}

static void test_spans(void **state)
{
	struct world *w = *state;
	struct timespec ts = { .tv_nsec = 20 * NS_PER_MS };
	struct clock *c;
	uint64_t from, to;
	int64_t before, after, span;

	open_clock(w);
	c = clock_live_clock(w->live);
	before = nstime_mono();
	from = c->ops->ticks(c);
	nanosleep(&ts, NULL);
	to = c->ops->ticks(c);
	after = nstime_mono();
	span = clock_span_ns(c, from, to);
	assert_true(span >= 20 * NS_PER_MS * 999 / 1000);
	assert_true(span <= after - before + (after - before) / 1000);
	assert_true(nstime_abs(span + clock_span_ns(c, to, from)) <= 1);
}

static void test_page(void **state)
{
	struct world *w = *state;
	struct clock_reading r;
	uint64_t tick = tsc_read();

	make_page(w, TSV_TIMEBASE_TSC);
	publish(w, tick, TSV_TRUSTED, 6);
	open_clock(w);
	read_at(w, tick + 30, &r);
	assert_int_equal(r.ns, 5030);
	assert_int_equal(r.end.known, 1);
	assert_int_equal(r.end.state, TSV_TRUSTED);
	assert_int_equal(r.end.epoch, 6);
	assert_int_equal(r.end.flags & TSV_REFERENCE, TSV_REFERENCE);
	assert_int_equal(r.end.good_until_ns, 4000);
	assert_int_equal(r.end.domain, 4);
	assert_int_equal(r.end.parent[0], 2);
	assert_int_equal(r.end.port_budget_ns, 11);
	/* the page's bound has grown by 200 since the bounds were told apart */
	assert_in_range(r.end.bound_parent_ns, 900, 901);
	assert_int_equal(r.end.bound_gm_ns, -1);
	assert_in_range(r.end.bound_utc_ns, 2200, 2201);
}

static void test_page_comes_and_goes(void **state)
{
	struct world *w = *state;
	struct clock_reading r;
	struct err e = { 0 };
	uint64_t tick = tsc_read();

	open_clock(w);
	make_page(w, TSV_TIMEBASE_TSC);
	clock_live_work(w->live, nstime_mono() + LATER);
	assert_true(clock_live_has_page(w->live));
	read_at(w, tick, &r);
	assert_int_equal(r.end.known, 0);	/* there is a page, and nothing on it */
	publish(w, tick, TSV_SETTLING, 1);
	read_at(w, tick, &r);
	assert_int_equal(r.end.state, TSV_SETTLING);
	page_close(w->page);			/* the daemon comes back on another counter */
	w->page = NULL;
	assert_int_equal(page_open(&w->page, w->path, TSV_TIMEBASE_RAW, &e), 0);
	page_clock(w->page, CLOCK);
	page_live(w->page);
	clock_live_work(w->live, nstime_mono() + 2 * LATER);
	read_at(w, tick, &r);
	assert_int_equal(r.end.known, 0);
}

static void test_raw_page_decides_the_counter(void **state)
{
	struct world *w = *state;
	struct clock_reading r;
	struct clock *c;
	uint64_t tick = (uint64_t)nstime_now(CLOCK_MONOTONIC_RAW);

	make_page(w, TSV_TIMEBASE_RAW);
	publish(w, tick, TSV_TRUSTED, 2);
	open_clock(w);
	c = clock_live_clock(w->live);
	assert_true(c->ops->ticks(c) - tick < (uint64_t)NS_PER_S);
	assert_int_equal(clock_span_ns(c, 100, 350), 250);
	assert_true(clock_live_ticks(w->live)() - tick < (uint64_t)NS_PER_S);
	read_at(w, tick, &r);
	assert_int_equal(r.ns, 5000);
	assert_int_equal(r.end.state, TSV_TRUSTED);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_without_a_page), TEST(test_spans), TEST(test_page),
		TEST(test_page_comes_and_goes), TEST(test_raw_page_decides_the_counter),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
