#include "timesvc/cli/show.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "front_fixture.h"
#include "timesvc/cli/text.h"

static struct fixture fix;

static int setup(void **state)
{
	(void)state;
	fixture_init(&fix);
	return 0;
}

static void test_ages(void **state)
{
	static const struct { int64_t ns; const char *text; } cases[] = {
		{ -1, "-" }, { 0, "0 s" }, { 119 * NS_PER_S, "119 s" }, { 120 * NS_PER_S, "2 min" },
		{ 7199 * NS_PER_S, "119 min" }, { 7260 * NS_PER_S, "2 h 1 min" },
		{ 48 * 3600 * NS_PER_S, "2 d 0 h" }, { INT64_MAX, "106751 d 23 h" },
	};
	char buf[TEXT_CELL];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(text_age(buf, cases[i].ns), cases[i].text);
	assert_string_equal(text_instant(buf, INT64_C(1700000000123999999)),
		"2023-11-14T22:13:20.123Z");
	assert_string_equal(text_instant(buf, -1), "1969-12-31T23:59:59.999Z");
}

static char *shown(void (*show)(FILE *, const json_t *, const struct show_style *),
	const json_t *status, int colour)
{
	struct show_style style = { .colour = colour };
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	show(out, status, &style);
	fclose(out);
	return text;
}

/* Characters, not bytes that are the inside of one. */
static void assert_fits_terminal(const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (len > TEXT_WIDTH)
			fail_msg("%zu columns: %.*s", len, (int)len, text);
		text += len + (text[len] == '\n');
	}
}

static void test_table(void **state)
{
	json_t *status = fixture_status(&fix);
	char *text = shown(show_status, status, 0);

	(void)state;
	assert_string_equal(text,
		"trade1: timesvcd 1.2.3, pid 77, up 100 s\n"
		"\n"
		"CLOCK           STATE               OFFSET      BOUND       PATH  SINCE\n"
		"follow          TRUSTED ALARM     -35.2 us    38.0 us    1.70 us  90 s\n"
		"  follower, on eth0, observe, SLAVE, software time stamps, ARB timescale,\n"
		"  grandmaster 020000.fffe.000001\n"
		"  bound against the parent 37.0 us:\n"
		"    offset 35.2 us + path 1.70 us + reading 40 ns + growth 60 ns\n"
		"  ! the offset is past the alarm line (offset)\n"
		"  ! one reading stands alone and waits for the next (unconfirmed)\n"
		"lead            UNKNOWN                  -          -          -  -\n"
		"  on eth1, adopt, hardware time stamps\n"
		"  hardware clock ptp2, igb, 0000:01:00.0, read extended within 410 ns\n"
		"  CLOCK_REALTIME LOCAL_RTT, -81.5 us from it, bound 84.0 us\n"
		"    ! the clock jumped against the time stamp counter (clock_step)\n"
		"  ! no evidence has been seen yet (starting)\n"
		"\n"
		"PROBE a-b: send, clock follow, nothing published yet, before: exited 3,\n"
		"  KEEPS DYING\n"
		"\n"
		"EVENTS, the last 1 of 1\n"
		"  2023-11-14T22:13:30.000Z follow: SETTLING -> TRUSTED, no more settling\n");
	assert_fits_terminal(text);
	free(text);
	json_decref(status);
}

static void test_table_of_a_dead_engine(void **state)
{
	json_t *status;
	char *text;

	(void)state;
	fix.view.now_mono_ns += 3 * NS_PER_S;
	fix.view.now_wall_ns += 3 * NS_PER_S;
	fix.settings.probe_count = 0;
	fix.store.last.clocks = 1;
	fix.store.count = 0;
	status = fixture_status(&fix);
	text = shown(show_status, status, 0);
	assert_string_equal(text,
		"trade1: timesvcd 1.2.3, pid 77, up 103 s\n"
		"! its engine has been silent for 3 s\n"
		"\n"
		"CLOCK           STATE               OFFSET      BOUND       PATH  SINCE\n"
		"follow          STALE                    -          -          -  2 s\n"
		"  on eth0, observe\n"
		"  ! nobody vouches for this clock now\n");
	free(text);
	json_decref(status);
}

static void test_colours(void **state)
{
	json_t *status = fixture_status(&fix);
	char *plain = shown(show_status, status, 0), *colour = shown(show_status, status, 1);

	(void)state;
	assert_null(strchr(plain, '\033'));
	assert_non_null(strstr(colour, "\033[33mTRUSTED ALARM  \033[0m"));
	free(plain);
	free(colour);
	json_decref(status);
}

static void test_no_colour_unless_on_a_terminal(void **state)
{
	int fd = dup(STDERR_FILENO);
	FILE *file = tmpfile();

	(void)state;
	assert_false(show_may_colour(fileno(file)));
	setenv("NO_COLOR", "1", 1);
	assert_false(show_may_colour(fd));
	unsetenv("NO_COLOR");
	fclose(file);
	close(fd);
}

static void test_lines(void **state)
{
	json_t *status = fixture_status(&fix);
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	show_lines(out, status);
	fclose(out);
	assert_string_equal(text,
		"2023-11-14T22:15:00.000Z follow TRUSTED ALARM offset -35.2 us bound 38.0 us path 1.70 us"
		" reasons offset,unconfirmed\n"
		"2023-11-14T22:15:00.000Z lead UNKNOWN offset - bound - path - reasons starting\n"
		"2023-11-14T22:15:00.000Z probe a-b not running\n");
	free(text);
	json_decref(status);
}

#ifdef HAVE_PROBE
static void test_probe_table(void **state)
{
	static struct probe_data d;
	json_t *status;
	char *text;

	(void)state;
	memset(&d, 0, sizeof(d));
	snprintf(d.name, sizeof(d.name), "a-b");
	d.published_mono_ns = FIXTURE_MONO_NS;
	d.numbers = (struct probe_numbers){
		.sent = 1002, .received = 1000, .lost = 2, .send_late = 3,
		.rx_stamp = STAMP_SOFTWARE,
		.tx_stamp = STAMP_SOFTWARE, .far_rx_stamp = STAMP_SOFTWARE,
		.far_tx_stamp = STAMP_SOFTWARE,
	};
	d.gate = (struct gate_numbers){
		.admitted = 200, .admitted_after_holdover = 50, .waiting = 10, .withdrawn = 790,
		.bound_max_ns = 3000,
	};
	d.gate.refused[GATE_withdrawn_far_epoch] = 790;
	for (int i = 0; i < 1000; i++)
		hist_sum_record(&d.rtt, 100);
	for (int i = 0; i < 200; i++) {
		hist_sum_record(&d.one_way.ab_trusted, 127);
		hist_sum_record(&d.one_way.ba_trusted, -100000);
	}
	fix.view.probe[0] = &d;
	status = fixture_status(&fix);
	text = shown(show_probes, status, 0);
	assert_string_equal(text,
		"\nPROBE a-b: send, clock follow, running, before: exited 3, KEEPS DYING\n"
		"  software stamps at both ends\n"
		"                             COUNT        P50        P99      P99.9      BOUND\n"
		"  round trip                  1000     100 ns     100 ns     100 ns          -\n"
		"  one way a->b trusted         200        n/r        n/r        n/r    3.00 us\n"
		"  one way a->b UNTRUSTED         0          -          -          -          -\n"
		"  one way b->a trusted         200    -100 us    -100 us        n/r    3.00 us\n"
		"  one way b->a UNTRUSTED         0          -          -          -          -\n"
		"  n/r: not resolvable, too few samples or less than the bound\n"
		"  1002 sent, 1000 received, 2 lost, 0 duplicates, 0 reordered, 3 sent late\n"
		"  200 admitted (50 after holdover), 10 quarantined, 790 withdrawn,\n"
		"    0 contradictions\n"
		"  not admitted: withdrawn_far_epoch 790\n");
	assert_fits_terminal(text);
	free(text);
	json_decref(status);
}
#endif

#define TEST(fn) cmocka_unit_test_setup(fn, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_ages), TEST(test_table), TEST(test_table_of_a_dead_engine),
		TEST(test_colours),
		TEST(test_no_colour_unless_on_a_terminal), TEST(test_lines),
#ifdef HAVE_PROBE
		TEST(test_probe_table),
#endif
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
