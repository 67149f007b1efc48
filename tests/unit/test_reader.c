#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "nstime.h"
#include "page_fixture.h"
#include "tsc.h"

#define ONE		(UINT64_C(1) << 48)	/* 1 ns a tick */

static struct tsv *open_main(struct page_fixture *f)
{
	struct tsv *h = NULL;

	assert_int_equal(tsv_open(&h, f->path, "main"), 0);
	return h;
}

static void publish(struct page_fixture *f, const struct tsv_line *l)
{
	page_publish(f->page, 0, l);
}

static void publish_plain(struct page_fixture *f)
{
	struct tsv_line l = plain_line();

	publish(f, &l);
}

static int64_t ns_at(const struct tsv *h, uint64_t tick)
{
	struct tsv_time t;

	assert_true(tsv_at(h, tick, &t) >= 0);
	return t.ns;
}

static int64_t bound_at(const struct tsv *h, uint64_t tick)
{
	struct tsv_time t;

	assert_true(tsv_at(h, tick, &t) >= 0);
	return t.bound_ns;
}

static int opens(const struct page_fixture *f, const char *clock)
{
	struct tsv *h = NULL;
	int r = tsv_open(&h, f->path, clock);

	if (r == 0)
		tsv_close(h);
	else
		assert_null(h);
	return r;
}

static void open_errors(void **state)
{
	struct page_fixture *f = *state;
	struct tsv *h;

	assert_int_equal(tsv_open(&h, "/tmp/timesvc-no-such/page", NULL), -ENOENT);
	assert_int_equal(opens(f, NULL), -EAGAIN);		/* an empty file */
	start_writer(f, TSV_TIMEBASE_TSC);
	assert_int_equal(opens(f, NULL), -EAGAIN);		/* not live yet */
	page_live(f->page);
	assert_int_equal(opens(f, NULL), 0);
	assert_int_equal(opens(f, "main"), 0);
	assert_int_equal(opens(f, "other"), -EAGAIN);
	assert_int_equal(opens(f, "mai"), -EAGAIN);
	assert_int_equal(opens(f, ""), -EAGAIN);
}

static void foreign_pages(void **state)
{
	struct page_fixture *f = *state;

	go_live(f, TSV_TIMEBASE_TSC);
	f->bytes->state = TSV_PAGE_SUPERSEDED;
	assert_int_equal(opens(f, NULL), -ESTALE);
	f->bytes->state = TSV_PAGE_NEW;
	assert_int_equal(opens(f, NULL), -EAGAIN);
	f->bytes->state = TSV_PAGE_LIVE;
	f->bytes->timebase = 3;
	assert_int_equal(opens(f, NULL), -EPROTO);
	f->bytes->timebase = TSV_TIMEBASE_TSC;
	f->bytes->version = 1;
	assert_int_equal(opens(f, NULL), -EPROTO);
	f->bytes->version = 2;
	f->bytes->size = 6143;
	assert_int_equal(opens(f, NULL), -EPROTO);
	f->bytes->size = 6144;
	f->bytes->magic++;
	assert_int_equal(opens(f, NULL), -EPROTO);
	f->bytes->magic--;
	assert_int_equal(opens(f, NULL), 0);
	assert_int_equal(truncate(f->path, 6143), 0);
	assert_int_equal(opens(f, NULL), -EPROTO);
}

static void the_path_comes_from_the_environment(void **state)
{
	struct page_fixture *f = *state;
	struct tsv *h;

	go_live(f, TSV_TIMEBASE_TSC);
	setenv("TIMESVC_PAGE", f->path, 1);
	assert_int_equal(tsv_open(&h, NULL, NULL), 0);
	tsv_close(h);
	setenv("TIMESVC_PAGE", "/tmp/timesvc-no-such/page", 1);
	assert_int_equal(tsv_open(&h, NULL, NULL), -ENOENT);
	unsetenv("TIMESVC_PAGE");
	tsv_close(NULL);
}

static void nothing_published_is_no_time(void **state)
{
	struct page_fixture *f = *state;
	struct tsv_time t;
	struct tsv *h;

	go_live(f, TSV_TIMEBASE_TSC);
	h = open_main(f);
	assert_int_equal(tsv_now(h, &t), -ENODATA);
	assert_int_equal(tsv_at(h, 1000, &t), -ENODATA);
	assert_int_equal(tsv_trust(h, 1000), TSV_STALE);
	assert_int_equal(tsv_usable(h, 1000), 0);
	assert_true(tsv_tick_hz(h) == 0);
	tsv_close(h);
}

static void every_field_arrives(void **state)
{
	struct page_fixture *f = *state;
	struct tsv_line l = plain_line();
	struct tsv_time t;
	struct tsv *h;

	l.flags = TSV_ALARM | TSV_PTP_SCALE | TSV_REFERENCE;
	l.trust = page_trust_word(TSV_HOLDOVER, 1, 1001008);
	go_live(f, TSV_TIMEBASE_TSC);
	publish(f, &l);
	h = open_main(f);
	memset(&t, 0xff, sizeof(t));
	assert_int_equal(tsv_at(h, 1010, &t), TSV_HOLDOVER);
	assert_int_equal(t.ns, 5010);
	assert_int_equal(t.bound_ns, 301);
	assert_int_equal(t.good_until_ns, 4900);
	assert_int_equal(t.tsc, 1010);
	assert_int_equal(t.epoch, 3);
	assert_int_equal(t.flags, TSV_ALARM | TSV_PTP_SCALE | TSV_REFERENCE);
	assert_int_equal(t.state, TSV_HOLDOVER);
	assert_int_equal(t.reserved, 0);
	tsv_close(h);
}

static void times_of_ticks(void **state)
{
	struct page_fixture *f = *state;
	struct tsv_line l = plain_line();
	struct tsv *h;

	go_live(f, TSV_TIMEBASE_TSC);
	publish(f, &l);
	h = open_main(f);
	assert_int_equal(ns_at(h, 1000), 5000);
	assert_int_equal(ns_at(h, 1001), 5001);
	assert_int_equal(ns_at(h, 999), 4999);
	assert_int_equal(ns_at(h, 0), 4000);
	l.mult = ONE / 2;
	publish(f, &l);
	assert_int_equal(ns_at(h, 1003), 5001);		/* floor of 1.5 */
	assert_int_equal(ns_at(h, 997), 4998);		/* floor of -1.5 */
	l.mult = 41 * ONE + ONE / 4;
	publish(f, &l);
	assert_int_equal(ns_at(h, 1004), 5165);
	l.mult = ONE / 3;				/* a day at 3 GHz */
	l.t0_ns = INT64_C(1700000000000000000);
	publish(f, &l);
	assert_in_range(ns_at(h, 1000 + UINT64_C(259200000000000)) - l.t0_ns, INT64_C(86399999999999),
		INT64_C(86400000000000));
	l.t0_ns = -7;
	publish(f, &l);
	assert_int_equal(ns_at(h, 1000), -7);
	tsv_close(h);
}

static void bounds_grow_and_round_up(void **state)
{
	const uint64_t second = 1000000000;
	struct page_fixture *f = *state;
	struct tsv_line l = plain_line();
	struct tsv *h;

	l.tsc0 = 10 * second;
	l.growth = 1;			/* 2^-32 ns a tick */
	go_live(f, TSV_TIMEBASE_TSC);
	publish(f, &l);
	h = open_main(f);
	assert_int_equal(bound_at(h, l.tsc0), 301);
	assert_int_equal(bound_at(h, l.tsc0 + 1), 301);
	assert_int_equal(bound_at(h, l.tsc0 + (UINT64_C(1) << 32) - 1), 301);
	assert_int_equal(bound_at(h, l.tsc0 + (UINT64_C(1) << 32)), 302);
	assert_int_equal(bound_at(h, l.tsc0 - (UINT64_C(1) << 32)), 302);
	assert_int_equal(bound_at(h, l.tsc0 - 1), 301);
	l.growth = 4295;		/* 1 ppm */
	publish(f, &l);
	assert_int_equal(bound_at(h, l.tsc0 + second), 300 + 1 + 1000);
	assert_int_equal(bound_at(h, l.tsc0 - second), 300 + 1 + 1000);
	l.growth = UINT32_MAX;
	publish(f, &l);
	assert_int_equal(bound_at(h, l.tsc0 + second), 300 + second);
	/* An age of 292 years still does not overflow. */
	assert_int_equal(bound_at(h, l.tsc0 + INT64_MAX), INT64_MAX - (INT64_C(1) << 31) + 301);
	tsv_close(h);
}

static void no_bound_is_none(void **state)
{
	struct page_fixture *f = *state;
	struct tsv_line l = plain_line();
	struct tsv *h;

	go_live(f, TSV_TIMEBASE_TSC);
	l.bound0_ns = UINT32_MAX;
	l.growth = 4295;
	publish(f, &l);
	h = open_main(f);
	assert_int_equal(bound_at(h, 1000), INT64_MAX);
	assert_int_equal(bound_at(h, 5000), INT64_MAX);
	l.bound0_ns = UINT32_MAX - 1;
	publish(f, &l);
	assert_int_equal(bound_at(h, 1000), INT64_C(4294967295));
	tsv_close(h);
}

static void stale_by_itself(void **state)
{
	struct page_fixture *f = *state;
	struct tsv_line l = plain_line();
	struct tsv_time t;
	struct tsv *h;

	go_live(f, TSV_TIMEBASE_TSC);
	publish(f, &l);
	h = open_main(f);
	/* 1001008 is cut down to the 16 ticks of a trust word. */
	assert_int_equal(tsv_at(h, 1001008, &t), TSV_TRUSTED);
	assert_int_equal(tsv_trust(h, 1001008), TSV_TRUSTED);
	assert_int_equal(tsv_usable(h, 1001008), 1);
	assert_int_equal(tsv_at(h, 1001009, &t), TSV_STALE);
	assert_int_equal(t.state, TSV_STALE);
	assert_int_equal(t.ns, 5000 + 1000009);
	assert_int_equal(tsv_trust(h, 1001009), TSV_STALE);
	assert_int_equal(tsv_usable(h, 1001009), 0);
	/* The counter of this host is long past that. */
	assert_int_equal(tsv_now(h, &t), TSV_STALE);
	tsv_close(h);
}

static void states_and_what_is_usable(void **state)
{
	struct page_fixture *f = *state;
	struct tsv_line l = plain_line();
	struct tsv *h;

	go_live(f, TSV_TIMEBASE_TSC);
	h = open_main(f);
	for (int s = TSV_UNKNOWN; s <= TSV_LOCAL_RTT; s++)
		for (int alarm = 0; alarm <= 1; alarm++) {
			l.trust = page_trust_word(s, alarm, 1001008);
			publish(f, &l);
			assert_int_equal(tsv_trust(h, 1000), s);
			assert_int_equal(tsv_usable(h, 1000) != 0, s == TSV_TRUSTED);
		}
	tsv_close(h);
}

static void now_is_between_two_ticks(void **state)
{
	struct page_fixture *f = *state;
	struct tsv_line l = plain_line();
	struct tsv_time t;
	struct tsv *h;

	l.trust = page_trust_word(TSV_TRUSTED, 0, UINT64_MAX);
	l.tsc0 = tsc_read();
	go_live(f, TSV_TIMEBASE_TSC);
	publish(f, &l);
	h = open_main(f);
	for (int i = 0; i < 1000; i++) {
		uint64_t before = tsc_read();

		assert_int_equal(tsv_now(h, &t), TSV_TRUSTED);
		assert_in_range(t.tsc, before, tsc_read());
		assert_int_equal(t.ns, 5000 + (int64_t)(t.tsc - l.tsc0));
	}
	/* A line from the next moment: the tick was taken before it. */
	l.tsc0 = tsc_read() + UINT64_C(1000000000000);
	publish(f, &l);
	assert_int_equal(tsv_now(h, &t), TSV_TRUSTED);
	assert_int_equal(t.ns, 5000 - (int64_t)(l.tsc0 - t.tsc));
	assert_true(t.ns < 5000);
	tsv_close(h);
}

static void the_raw_clock_as_counter(void **state)
{
	struct page_fixture *f = *state;
	struct tsv_line l = plain_line();
	struct tsv_time t;
	struct tsv *h;
	uint64_t tick;
	int64_t before;

	l.trust = page_trust_word(TSV_TRUSTED, 0, UINT64_MAX);
	l.tsc0 = (uint64_t)nstime_now(CLOCK_MONOTONIC_RAW);
	l.t0_ns = 0;
	go_live(f, TSV_TIMEBASE_RAW);
	publish(f, &l);
	h = open_main(f);
	before = nstime_now(CLOCK_MONOTONIC_RAW);
	tick = tsv_ticks(h);
	assert_in_range(tick, before, nstime_now(CLOCK_MONOTONIC_RAW));
	before = nstime_now(CLOCK_MONOTONIC_RAW);
	assert_int_equal(tsv_now(h, &t), TSV_TRUSTED);
	assert_in_range(t.tsc, before, nstime_now(CLOCK_MONOTONIC_RAW));
	assert_int_equal(t.ns, t.tsc - l.tsc0);
	assert_true(tsv_tick_hz(h) == 1e9);
	tsv_close(h);
}

static void one_whole_copy_is_enough(void **state)
{
	struct page_fixture *f = *state;
	struct tsv_line *line;
	struct tsv_time t;
	struct tsv *h;

	go_live(f, TSV_TIMEBASE_TSC);
	publish_plain(f);
	h = open_main(f);
	line = f->bytes->clock[0].line;
	/* Killed inside the primary. */
	line[0].seq |= 1;
	line[0].t0_ns = 77;
	assert_int_equal(ns_at(h, 1000), 5000);
	assert_true(tsv_now(h, &t) >= 0);
	assert_true(t.ns != 77);
	assert_true(tsv_tick_hz(h) == 1e9);
	/* Inside the shadow. */
	publish_plain(f);
	line[1].seq |= 1;
	line[1].t0_ns = 77;
	assert_int_equal(ns_at(h, 1000), 5000);
	/* Never both; if they were, there is an end to it. */
	line[0].seq |= 1;
	assert_int_equal(tsv_at(h, 1000, &t), -EAGAIN);
	assert_int_equal(tsv_now(h, &t), -EAGAIN);
	assert_true(tsv_tick_hz(h) == 0);
	tsv_close(h);
}

static void info_arrives_whole(void **state)
{
	struct tsv_info info = {
		.name = "main", .clock_identity = { 1, 2, 3, 4, 5, 6, 7, 8 }, .gm_identity = { 9 },
		.reasons = 0x21, .offset_ns = -35200, .path_delay_ns = 1700, .bound_parent_ns = 37000,
		.bound_gm_ns = -1, .bound_utc_ns = -1, .steps_removed = 2, .domain = 24, .has_offset = 1,
	};
	struct page_fixture *f = *state;
	struct tsv_info got;
	struct tsv *h;

	go_live(f, TSV_TIMEBASE_TSC);
	page_publish_info(f->page, 0, &info);
	h = open_main(f);
	assert_int_equal(tsv_info(h, &got), 0);
	assert_memory_equal(&got, &info, sizeof(got));
	f->bytes->clock[0].cold[0].seq |= 1;
	assert_int_equal(tsv_info(h, &got), 0);
	f->bytes->clock[0].cold[1].seq |= 1;
	assert_int_equal(tsv_info(h, &got), -EAGAIN);
	tsv_close(h);
}

static void a_reader_survives_a_restart(void **state)
{
	struct page_fixture *f = *state;
	struct tsv_line l = plain_line();
	struct tsv *h;

	go_live(f, TSV_TIMEBASE_TSC);
	publish(f, &l);
	h = open_main(f);
	stop_writer(f);
	assert_int_equal(ns_at(h, 1000), 5000);
	start_writer(f, TSV_TIMEBASE_TSC);
	assert_int_equal(ns_at(h, 1000), 5000);
	page_live(f->page);
	l.t0_ns = 6000;
	publish(f, &l);
	assert_int_equal(ns_at(h, 1000), 6000);
	tsv_close(h);
}

static void a_reader_sees_that_it_was_superseded(void **state)
{
	struct page_fixture *f = *state;
	struct tsv_time t;
	struct tsv *h;

	go_live(f, TSV_TIMEBASE_TSC);
	publish_plain(f);
	h = open_main(f);
	assert_int_equal(tsv_usable(h, 1000), 1);
	f->bytes->state = TSV_PAGE_SUPERSEDED;
	assert_int_equal(tsv_at(h, 1000, &t), -ESTALE);
	assert_int_equal(tsv_now(h, &t), -ESTALE);
	assert_int_equal(tsv_usable(h, 1000), 0);
	/* Whatever its lines look like by now. */
	f->bytes->clock[0].line[0].seq |= 1;
	f->bytes->clock[0].line[1].seq |= 1;
	assert_int_equal(tsv_at(h, 1000, &t), -ESTALE);
	tsv_close(h);
}

static void a_reader_sees_another_timebase(void **state)
{
	struct page_fixture *f = *state;
	struct tsv_time t;
	struct tsv *h;

	go_live(f, TSV_TIMEBASE_TSC);
	publish_plain(f);
	h = open_main(f);
	stop_writer(f);
	start_writer(f, TSV_TIMEBASE_RAW);
	assert_int_equal(tsv_at(h, 1000, &t), -ESTALE);
	assert_int_equal(tsv_trust(h, 1000), TSV_STALE);
	page_live(f->page);
	publish_plain(f);
	assert_int_equal(tsv_at(h, 1000, &t), -ESTALE);
	assert_int_equal(tsv_usable(h, 1000), 0);
	tsv_close(h);
	h = open_main(f);
	assert_int_equal(ns_at(h, 1000), 5000);
	tsv_close(h);
}

static void names_of_states(void **state)
{
	(void)state;
	assert_string_equal(tsv_state_name(TSV_UNKNOWN), "UNKNOWN");
	assert_string_equal(tsv_state_name(TSV_SETTLING), "SETTLING");
	assert_string_equal(tsv_state_name(TSV_TRUSTED), "TRUSTED");
	assert_string_equal(tsv_state_name(TSV_HOLDOVER), "HOLDOVER");
	assert_string_equal(tsv_state_name(TSV_LOCAL_RTT), "LOCAL_RTT");
	assert_string_equal(tsv_state_name(TSV_STALE), "STALE");
	assert_string_equal(tsv_state_name(-1), "INVALID");
	assert_string_equal(tsv_state_name(6), "INVALID");
}

#define WITH_PAGE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PAGE(open_errors), WITH_PAGE(foreign_pages),
		WITH_PAGE(the_path_comes_from_the_environment),
		WITH_PAGE(nothing_published_is_no_time), WITH_PAGE(every_field_arrives),
		WITH_PAGE(times_of_ticks), WITH_PAGE(bounds_grow_and_round_up),
		WITH_PAGE(no_bound_is_none), WITH_PAGE(stale_by_itself),
		WITH_PAGE(states_and_what_is_usable), WITH_PAGE(now_is_between_two_ticks),
		WITH_PAGE(the_raw_clock_as_counter), WITH_PAGE(one_whole_copy_is_enough),
		WITH_PAGE(info_arrives_whole), WITH_PAGE(a_reader_survives_a_restart),
		WITH_PAGE(a_reader_sees_that_it_was_superseded),
		WITH_PAGE(a_reader_sees_another_timebase), cmocka_unit_test(names_of_states),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("reader", tests, NULL, NULL);
}
