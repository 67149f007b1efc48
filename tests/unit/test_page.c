#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "page_fixture.h"

/* These numbers are the contract with every reader ever built: change the version, not them. */
static void layout_stands(void **state)
{
	(void)state;
	assert_int_equal(TSV_PAGE_VERSION, 2);
	assert_int_equal(sizeof(struct tsv_page), 6144);
	assert_int_equal(offsetof(struct tsv_page, magic), 0);
	assert_int_equal(offsetof(struct tsv_page, version), 8);
	assert_int_equal(offsetof(struct tsv_page, size), 12);
	assert_int_equal(offsetof(struct tsv_page, state), 16);
	assert_int_equal(offsetof(struct tsv_page, timebase), 20);
	assert_int_equal(offsetof(struct tsv_page, clocks), 24);
	assert_int_equal(offsetof(struct tsv_page, writer_pid), 28);
	assert_int_equal(offsetof(struct tsv_page, starts), 32);
	assert_int_equal(offsetof(struct tsv_page, names), 40);
	assert_int_equal(offsetof(struct tsv_page, clock), 384);
	assert_int_equal(sizeof(struct tsv_clock_page), 640);
	assert_int_equal(offsetof(struct tsv_clock_page, cold), 128);
	assert_int_equal(TSV_PAGE_NEW, 0);
	assert_int_equal(TSV_PAGE_LIVE, 1);
	assert_int_equal(TSV_PAGE_SUPERSEDED, 2);
}

static void layout_of_a_line_stands(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct tsv_line), 64);
	assert_int_equal(offsetof(struct tsv_line, seq), 0);
	assert_int_equal(offsetof(struct tsv_line, t0_ns), 8);
	assert_int_equal(offsetof(struct tsv_line, tsc0), 16);
	assert_int_equal(offsetof(struct tsv_line, mult), 24);
	assert_int_equal(offsetof(struct tsv_line, bound0_ns), 32);
	assert_int_equal(offsetof(struct tsv_line, growth), 36);
	assert_int_equal(offsetof(struct tsv_line, trust), 40);
	assert_int_equal(offsetof(struct tsv_line, good_until_ns), 48);
	assert_int_equal(offsetof(struct tsv_line, epoch), 56);
	assert_int_equal(offsetof(struct tsv_line, flags), 60);
}

static void layout_of_what_readers_get_stands(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct tsv_time), 48);
	assert_int_equal(offsetof(struct tsv_time, ns), 0);
	assert_int_equal(offsetof(struct tsv_time, bound_ns), 8);
	assert_int_equal(offsetof(struct tsv_time, good_until_ns), 16);
	assert_int_equal(offsetof(struct tsv_time, tsc), 24);
	assert_int_equal(offsetof(struct tsv_time, epoch), 32);
	assert_int_equal(offsetof(struct tsv_time, flags), 36);
	assert_int_equal(offsetof(struct tsv_time, state), 40);
	assert_int_equal(sizeof(struct tsv_info), 120);
	assert_int_equal(offsetof(struct tsv_info, clock_identity), 32);
	assert_int_equal(offsetof(struct tsv_info, parent_identity), 40);
	assert_int_equal(offsetof(struct tsv_info, gm_identity), 48);
	assert_int_equal(offsetof(struct tsv_info, reasons), 56);
	assert_int_equal(offsetof(struct tsv_info, offset_ns), 64);
	assert_int_equal(offsetof(struct tsv_info, path_delay_ns), 72);
	assert_int_equal(offsetof(struct tsv_info, bound_parent_ns), 80);
	assert_int_equal(offsetof(struct tsv_info, bound_gm_ns), 88);
	assert_int_equal(offsetof(struct tsv_info, bound_utc_ns), 96);
	assert_int_equal(offsetof(struct tsv_info, port_budget_ns), 104);
	assert_int_equal(offsetof(struct tsv_info, steps_removed), 112);
	assert_int_equal(offsetof(struct tsv_info, domain), 116);
	assert_int_equal(offsetof(struct tsv_info, has_offset), 117);
}

static void a_fresh_page_has_its_head(void **state)
{
	struct page_fixture *f = *state;

	go_live(f, TSV_TIMEBASE_TSC);
	assert_memory_equal(f->bytes, "1TSVPAGE", 8);
	assert_int_equal(f->bytes->version, 2);
	assert_int_equal(f->bytes->size, 6144);
	assert_int_equal(f->bytes->state, TSV_PAGE_LIVE);
	assert_int_equal(f->bytes->timebase, TSV_TIMEBASE_TSC);
	assert_int_equal(f->bytes->clocks, 1);
	assert_int_equal(f->bytes->writer_pid, getpid());
	assert_int_equal(f->bytes->starts, 1);
	assert_string_equal(f->bytes->names[0], "main");
}

static void both_copies_are_published(void **state)
{
	struct page_fixture *f = *state;
	struct tsv_line l = plain_line();

	go_live(f, TSV_TIMEBASE_TSC);
	page_publish(f->page, 0, &l);
	for (int i = 0; i < 2; i++) {
		const struct tsv_line *got = &f->bytes->clock[0].line[i];

		assert_int_equal(got->seq % 2, 0);
		assert_memory_equal((const char *)got + 8, (const char *)&l + 8, sizeof(l) - 8);
	}
	assert_int_equal(f->bytes->clock[1].line[0].trust, 0);
}

static void one_writer_at_a_time(void **state)
{
	struct page_fixture *f = *state;
	struct page *second = NULL;
	struct err e;

	go_live(f, TSV_TIMEBASE_TSC);
	assert_int_equal(page_open(&second, f->path, TSV_TIMEBASE_TSC, &e), -EWOULDBLOCK);
	assert_null(second);
	assert_non_null(strstr(e.msg, f->path));
	assert_int_equal(f->bytes->starts, 1);
	stop_writer(f);
	assert_int_equal(page_open(&second, f->path, TSV_TIMEBASE_TSC, &e), 0);
	assert_int_equal(f->bytes->starts, 2);
	page_close(second);
}

static void no_file_is_an_error(void **state)
{
	struct page_fixture *f = *state;
	struct err e;

	assert_int_equal(page_open(&f->page, "/tmp/timesvc-no-such/page", TSV_TIMEBASE_TSC, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "/tmp/timesvc-no-such/page"));
	assert_int_equal(page_prepare("/tmp/timesvc-no-such/page", 0, 0, &e), -ENOENT);
}

static void a_restart_keeps_lines_and_epochs(void **state)
{
	struct page_fixture *f = *state;
	struct tsv_line l = plain_line();

	go_live(f, TSV_TIMEBASE_TSC);
	assert_int_equal(page_epoch(f->page, 0), 0);
	page_publish(f->page, 0, &l);
	stop_writer(f);
	start_writer(f, TSV_TIMEBASE_TSC);
	assert_int_equal(f->bytes->state, TSV_PAGE_LIVE);
	assert_int_equal(page_epoch(f->page, 0), 3);
	assert_int_equal(f->bytes->clock[0].line[0].t0_ns, 5000);
	assert_int_equal(f->bytes->clocks, 1);
}

static void another_timebase_starts_over(void **state)
{
	struct page_fixture *f = *state;
	struct tsv_line l = plain_line();

	go_live(f, TSV_TIMEBASE_TSC);
	page_publish(f->page, 0, &l);
	stop_writer(f);
	start_writer(f, TSV_TIMEBASE_RAW);
	assert_int_equal(f->bytes->state, TSV_PAGE_NEW);
	assert_int_equal(f->bytes->timebase, TSV_TIMEBASE_RAW);
	assert_int_equal(page_epoch(f->page, 0), 0);
	assert_int_equal(f->bytes->clock[0].line[0].trust, 0);
	assert_int_equal(f->bytes->clock[0].line[1].mult, 0);
}

static void clocks_are_found_or_added(void **state)
{
	struct page_fixture *f = *state;
	char name[32];

	go_live(f, TSV_TIMEBASE_TSC);
	for (int i = 1; i < TSV_CLOCKS_MAX; i++) {
		snprintf(name, sizeof(name), "c%d", i);
		assert_int_equal(page_clock(f->page, name), i);
	}
	assert_int_equal(page_clock(f->page, "main"), 0);
	assert_int_equal(page_clock(f->page, "c8"), 8);
	assert_int_equal(page_clock(f->page, "c9"), -ENOSPC);
	assert_int_equal(f->bytes->clocks, TSV_CLOCKS_MAX);
}

static void a_half_written_primary_is_mended(void **state)
{
	struct page_fixture *f = *state;
	struct tsv_line l = plain_line();
	struct tsv_line *line;

	go_live(f, TSV_TIMEBASE_TSC);
	page_publish(f->page, 0, &l);
	stop_writer(f);
	line = f->bytes->clock[0].line;
	line[0].seq |= 1;
	line[0].t0_ns = 77;
	start_writer(f, TSV_TIMEBASE_TSC);
	assert_int_equal(line[0].seq % 2, 0);
	assert_int_equal(line[0].t0_ns, 5000);
}

static void a_half_written_cold_primary_is_mended(void **state)
{
	struct page_fixture *f = *state;
	struct tsv_info info = { .name = "main", .offset_ns = 12345 };
	struct tsv_cold *cold;

	go_live(f, TSV_TIMEBASE_TSC);
	page_publish_info(f->page, 0, &info);
	stop_writer(f);
	cold = f->bytes->clock[0].cold;
	cold[0].seq |= 1;
	cold[0].words[offsetof(struct tsv_info, offset_ns) / 8] = 77;
	start_writer(f, TSV_TIMEBASE_TSC);
	assert_int_equal(cold[0].seq % 2, 0);
	assert_memory_equal(cold[0].words, cold[1].words, sizeof(cold[0].words));
	assert_int_equal(cold[0].words[offsetof(struct tsv_info, offset_ns) / 8], 12345);
}

static void prepare_makes_a_file_of_ours(void **state)
{
	struct page_fixture *f = *state;
	struct stat st;
	struct err e;

	unlink(f->path);
	assert_int_equal(page_prepare(f->path, getuid(), getgid(), &e), 0);
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(st.st_uid, getuid());
	assert_int_equal(st.st_size, 0);
}

static void prepare_keeps_the_same_layout(void **state)
{
	struct page_fixture *f = *state;
	struct stat before, after;
	struct err e;

	go_live(f, TSV_TIMEBASE_TSC);
	assert_int_equal(stat(f->path, &before), 0);
	assert_int_equal(page_prepare(f->path, getuid(), getgid(), &e), 0);
	assert_int_equal(stat(f->path, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_int_equal(f->bytes->state, TSV_PAGE_LIVE);
}

static void prepare_supersedes_another_version(void **state)
{
	struct page_fixture *f = *state;
	struct stat st;
	struct err e;

	go_live(f, TSV_TIMEBASE_TSC);
	stop_writer(f);
	f->bytes->version = 1;
	assert_int_equal(page_prepare(f->path, getuid(), getgid(), &e), 0);
	assert_int_equal(f->bytes->state, TSV_PAGE_SUPERSEDED);
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_size, 0);
}

static void prepare_replaces_what_is_no_page(void **state)
{
	struct page_fixture *f = *state;
	FILE *out = fopen(f->path, "w");
	struct stat st;
	struct err e;

	assert_non_null(out);
	fputs("not a page", out);
	fclose(out);
	assert_int_equal(page_prepare(f->path, getuid(), getgid(), &e), 0);
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_size, 0);
}

static void prepare_follows_no_link(void **state)
{
	struct page_fixture *f = *state;
	char other[40];
	struct err e;

	snprintf(other, sizeof(other), "%s.l", f->path);
	assert_int_equal(symlink(f->path, other), 0);
	assert_int_equal(page_prepare(other, getuid(), getgid(), &e), -ELOOP);
	unlink(other);
}

static void trust_words(void **state)
{
	uint64_t word = page_trust_word(TSV_LOCAL_RTT, 1, 0x123456789abcdeff);

	(void)state;
	assert_int_equal(word, 0x123456789abcdefc);
	assert_int_equal(TSV_TRUST_STATE(word), TSV_LOCAL_RTT);
	assert_int_equal(TSV_TRUST_ALARM(word), 1);
	assert_int_equal(TSV_TRUST_VOID(word), 0x123456789abcdef0);
	assert_int_equal(page_trust_word(TSV_TRUSTED, 0, 15), 2);
	assert_int_equal(page_trust_word(TSV_TRUSTED, 0, 16), 18);
}

static void growth_per_tick_rounds_up(void **state)
{
	const uint64_t one = UINT64_C(1) << 48;

	(void)state;
	assert_int_equal(page_growth(4295, one), 4295);
	assert_int_equal(page_growth(4295, one / 2), 2148);
	assert_int_equal(page_growth(1, one / 1000), 1);
	assert_int_equal(page_growth(0, one), 0);
	assert_int_equal(page_growth(UINT32_MAX, one), UINT32_MAX);
	assert_int_equal(page_growth(UINT32_MAX, 41 * one), UINT32_MAX);
	assert_int_equal(page_growth(4295, 0), 0);
}

#define WITH_PAGE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layout_stands), cmocka_unit_test(layout_of_a_line_stands),
		cmocka_unit_test(layout_of_what_readers_get_stands),
		WITH_PAGE(a_fresh_page_has_its_head), WITH_PAGE(both_copies_are_published),
		WITH_PAGE(one_writer_at_a_time), WITH_PAGE(no_file_is_an_error),
		WITH_PAGE(a_restart_keeps_lines_and_epochs),
		WITH_PAGE(another_timebase_starts_over), WITH_PAGE(clocks_are_found_or_added),
		WITH_PAGE(a_half_written_primary_is_mended),
		WITH_PAGE(a_half_written_cold_primary_is_mended),
		WITH_PAGE(prepare_makes_a_file_of_ours), WITH_PAGE(prepare_keeps_the_same_layout),
		WITH_PAGE(prepare_supersedes_another_version),
		WITH_PAGE(prepare_replaces_what_is_no_page), WITH_PAGE(prepare_follows_no_link),
		cmocka_unit_test(trust_words), cmocka_unit_test(growth_per_tick_rounds_up),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("page", tests, NULL, NULL);
}
