#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "io.h"
#include "nstime.h"
#include "probe/publish.h"

struct world {
	char dir[64], segment[96], slices[96];
	struct publish *publish;
	struct probe_data read;
};

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	strcpy(w->dir, "/tmp/test_publish.XXXXXX");
	if (!mkdtemp(w->dir))
		return -1;
	snprintf(w->segment, sizeof(w->segment), "%s/segment", w->dir);
	snprintf(w->slices, sizeof(w->slices), "%s/slices", w->dir);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	publish_close(w->publish);
	unlink(w->segment);
	unlink(w->slices);
	rmdir(w->dir);
	free(w);
	return 0;
}

static void pause_ms(int ms)
{
	struct timespec ts = nstime_to_timespec(ms * NS_PER_MS);

	nanosleep(&ts, NULL);
}

/* What readers of the segment see, once it shows so many probes. */
static void await_sent(struct world *w, uint64_t sent)
{
	struct segment *s = NULL;

	assert_int_equal(segment_open(&s, w->segment), 0);
	for (int i = 0; i < 5000; i++) {
		if (segment_read(s, &w->read) == 0 && w->read.numbers.sent == sent) {
			segment_close(s);
			return;
		}
		pause_ms(1);
	}
	fail_msg("never published");
}

static struct gate_slice_result verdict(int reason)
{
	struct gate_slice_result r = {
		.start_ns = INT64_C(1700000000000000001), .end_ns = INT64_C(1700000000100000002),
		.near_epoch = 3, .far_epoch = 4, .count = 99, .verdict = reason,
		.waited_holdover = reason == GATE_ADMITTED,
		.bound_ns = 2100, .ab_p50_ns = -7, .ba_p50_ns = 8,
	};

	return r;
}

static void test_turns_reach_the_segment(void **state)
{
	struct world *w = *state;
	struct err e = { 0 };

	assert_int_equal(publish_open(&w->publish, "link", w->segment, NULL, NULL, &e), 0);
	publish_data(w->publish)->numbers.sent = 5;
	publish_turn(w->publish);
	await_sent(w, 5);
	assert_string_equal(w->read.name, "link");
	assert_int_equal(w->read.finished, 0);
	assert_true(nstime_abs(w->read.published_wall_ns - nstime_now(CLOCK_REALTIME)) < 10 * NS_PER_S);
	publish_data(w->publish)->numbers.sent = 6;
	publish_finish(w->publish);
	await_sent(w, 6);
	assert_int_equal(w->read.finished, 1);
}

static void test_windows_and_gate(void **state)
{
	struct world *w = *state;
	struct gate *gate = gate_new(NS_PER_S, NULL, NULL);
	struct err e = { 0 };

	assert_non_null(gate);
	assert_int_equal(publish_open(&w->publish, "link", w->segment, gate, NULL, &e), 0);
	for (int i = 0; i < 100; i++)
		hist_sum_record(&publish_data(w->publish)->rtt, 50);
	publish_data(w->publish)->numbers.sent = 1;
	publish_turn(w->publish);
	await_sent(w, 1);
	assert_int_equal(w->read.s1.rtt_count, 100);
	assert_int_equal(w->read.s1.rtt_p99_ns, 50);
	publish_finish(w->publish);
	assert_int_equal(publish_data(w->publish)->s10.rtt_count, 100);
	publish_close(w->publish);
	w->publish = NULL;
	gate_free(gate);
}

static void test_without_files(void **state)
{
	struct world *w = *state;
	struct err e = { 0 };

	assert_int_equal(publish_open(&w->publish, "alone", NULL, NULL, NULL, &e), 0);
	publish_turn(w->publish);
	publish_finish(w->publish);
	assert_int_equal(publish_data(w->publish)->finished, 1);
}

static void test_segment_that_cannot_be_made(void **state)
{
	struct world *w = *state;
	struct err e = { 0 };

	assert_true(publish_open(&w->publish, "link", "/nowhere/segment", NULL, NULL, &e) < 0);
	assert_non_null(strstr(e.msg, "/nowhere/segment"));
}

/* The slice log. */

static void test_slice_lines(void **state)
{
	static const char expected[] =
		"{\"start_ns\":\"1700000000000000001\",\"end_ns\":\"1700000000100000002\",\"near_epoch\":3,"
		"\"far_epoch\":4,\"count\":99,\"verdict\":\"admitted\",\"waited_holdover\":true,"
		"\"bound_ns\":2100,\"ab_p50_ns\":-7,\"ba_p50_ns\":8}\n"
		"{\"start_ns\":\"1700000000000000001\",\"end_ns\":\"1700000000100000002\",\"near_epoch\":3,"
		"\"far_epoch\":4,\"count\":99,\"verdict\":\"withdrawn_timeout\",\"waited_holdover\":false,"
		"\"bound_ns\":2100,\"ab_p50_ns\":-7,\"ba_p50_ns\":8}\n";
	struct world *w = *state;
	struct gate_slice_result good = verdict(GATE_ADMITTED), bad = verdict(GATE_withdrawn_timeout);
	struct slices_log *log;
	struct err e = { 0 };
	char *text;
	size_t len;

	assert_int_equal(slices_log_open(&log, w->slices, &e), 0);
	slices_log_note(log, &good);
	slices_log_note(log, &bad);
	assert_int_equal(slices_log_close(log, &e), 0);
	assert_int_equal(io_read_file(w->slices, 4096, &text, &len, &e), 0);
	assert_string_equal(text, expected);
	free(text);
}

static size_t lines_in(const char *path)
{
	struct err e = { 0 };
	size_t len, lines = 0;
	char *text;

	assert_int_equal(io_read_file(path, 1 << 20, &text, &len, &e), 0);
	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	free(text);
	return lines;
}

static void await_lines(struct world *w, size_t wanted)
{
	for (int i = 0; i < 5000; i++) {
		if (lines_in(w->slices) == wanted)
			return;
		pause_ms(1);
		publish_turn(w->publish);
	}
	fail_msg("never written");
}

static void test_slices_with_a_writer(void **state)
{
	struct world *w = *state;
	struct gate_slice_result r = verdict(GATE_ADMITTED);
	struct slices_log *log;
	struct err e = { 0 };

	assert_int_equal(slices_log_open(&log, w->slices, &e), 0);
	assert_int_equal(publish_open(&w->publish, "link", w->segment, NULL, log, &e), 0);
	for (int i = 0; i < 3000; i++) {	/* three times what the ring holds */
		slices_log_note(log, &r);
		publish_turn(w->publish);
		if (i % 500 == 499)
			await_lines(w, (size_t)i + 1);
	}
	publish_finish(w->publish);
	assert_int_equal(slices_log_close(log, &e), 0);
	assert_int_equal(lines_in(w->slices), 3000);
}

static void test_slices_lost(void **state)
{
	struct world *w = *state;
	struct gate_slice_result r = verdict(GATE_ADMITTED);
	struct slices_log *log;
	struct err e = { 0 };

	assert_int_equal(slices_log_open(&log, w->slices, &e), 0);
	for (int i = 0; i < 1025; i++)
		slices_log_note(log, &r);
	assert_int_equal(slices_log_close(log, &e), -EIO);
	assert_int_equal(lines_in(w->slices), 1024);
	assert_int_equal(slices_log_open(&log, "/nowhere/slices", &e), -ENOENT);
	assert_non_null(strstr(e.msg, "/nowhere/slices"));
	assert_int_equal(slices_log_close(NULL, &e), 0);
}

static void test_full_disk(void **state)
{
	struct gate_slice_result r = verdict(GATE_ADMITTED);
	struct slices_log *log;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(slices_log_open(&log, "/dev/full", &e), 0);
	slices_log_note(log, &r);
	assert_int_equal(slices_log_close(log, &e), -EIO);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_turns_reach_the_segment), TEST(test_windows_and_gate), TEST(test_without_files),
		TEST(test_segment_that_cannot_be_made), TEST(test_slice_lines),
		TEST(test_slices_with_a_writer), TEST(test_slices_lost), TEST(test_full_disk),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
