#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "log.h"
#include "reason.h"
#include "timesvc.h"
#include "timesvc/journal.h"

static struct journal j;
static struct snapshot sent, got;
static int engine, front;

static int setup(void **state)
{
	int fds[2];

	(void)state;
	memset(&j, 0, sizeof(j));
	memset(&sent, 0, sizeof(sent));
	sent.version = SNAPSHOT_VERSION;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fds), 0);
	engine = fds[0];
	front = fds[1];
	log_open("test_journal", LOG_LEVEL_ERROR, LOG_TO_STDERR);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	close(engine);
	if (front >= 0)
		close(front);
	return 0;
}

static void add(int n)
{
	for (int i = 0; i < n; i++) {
		struct trust_event ev = { .from = TSV_TRUSTED, .to = TSV_HOLDOVER, .epoch = 1 };

		journal_add(&j, &ev, "main");
		assert_int_equal(ev.number, j.numbered);
	}
}

static int hand_over(void)
{
	return journal_hand_over(&j, engine, &sent);
}

static void receive(void)
{
	assert_int_equal(recv(front, &got, sizeof(got), 0), sizeof(got));
}

static void expect_events(unsigned n, uint64_t first)
{
	assert_int_equal(got.events, n);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(got.event[i].number, first + i);
}

static void events_go_with_the_next_snapshot(void **state)
{
	(void)state;
	assert_int_equal(hand_over(), 0);
	receive();
	assert_int_equal(got.version, SNAPSHOT_VERSION);
	assert_int_equal(got.number, 1);
	expect_events(0, 1);
	add(3);
	assert_int_equal(hand_over(), 0);
	receive();
	assert_int_equal(got.number, 2);
	expect_events(3, 1);
	assert_int_equal(got.event[2].to, TSV_HOLDOVER);
	assert_int_equal(hand_over(), 0);
	receive();
	expect_events(0, 4);
	assert_int_equal(got.dropped, 0);
}

static void many_events_go_with_several(void **state)
{
	(void)state;
	add(SNAPSHOT_EVENTS * 2 + 1);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(hand_over(), 0);
		receive();
		expect_events(SNAPSHOT_EVENTS, 1 + (uint64_t)i * SNAPSHOT_EVENTS);
	}
	assert_int_equal(hand_over(), 0);
	receive();
	expect_events(1, 2 * SNAPSHOT_EVENTS + 1);
}

/* A slow front costs snapshots, which their numbers and a count show, and no event. */
static void a_full_queue_drops_snapshots_and_keeps_events(void **state)
{
	uint64_t taken = 0, lost = 0;

	(void)state;
	while (hand_over() == 0)
		taken++;
	assert_true(taken > 0);
	assert_int_equal(j.dropped, 1);
	add(2);
	assert_int_equal(hand_over(), -EAGAIN);
	assert_int_equal(hand_over(), -EAGAIN);
	for (uint64_t i = 1; i <= taken; i++) {
		receive();
		assert_int_equal(got.number, i);
		assert_int_equal(got.events, 0);
	}
	assert_int_equal(hand_over(), 0);
	receive();
	lost = got.number - taken - 1;
	assert_int_equal(lost, 3);
	assert_int_equal(got.dropped, 3);
	expect_events(2, 1);
}

static void a_full_ring_loses_the_oldest(void **state)
{
	(void)state;
	add(JOURNAL_SIZE + 5);
	assert_int_equal(j.count, JOURNAL_SIZE);
	for (unsigned i = 0; i < JOURNAL_SIZE / SNAPSHOT_EVENTS; i++) {
		assert_int_equal(hand_over(), 0);
		receive();
		expect_events(SNAPSHOT_EVENTS, 6 + (uint64_t)i * SNAPSHOT_EVENTS);
	}
	assert_int_equal(j.count, 0);
}

static void a_front_that_is_gone(void **state)
{
	(void)state;
	add(1);
	assert_int_equal(journal_hand_over(&j, -1, &sent), -ENOTCONN);
	assert_int_equal(j.dropped, 1);
	close(front);
	front = -1;
	assert_true(hand_over() < 0);
	assert_int_equal(j.dropped, 2);
	assert_int_equal(j.count, 1);
}

/* What one event puts into the log. */
static char *logged(struct trust_event ev)
{
	static char text[1024];
	int saved = dup(STDERR_FILENO), pipe_fds[2];
	ssize_t n;

	assert_int_equal(pipe(pipe_fds), 0);
	fcntl(pipe_fds[0], F_SETFL, O_NONBLOCK);
	dup2(pipe_fds[1], STDERR_FILENO);
	log_open("test_journal", LOG_LEVEL_INFO, LOG_TO_STDERR);
	journal_add(&j, &ev, "main");
	dup2(saved, STDERR_FILENO);
	n = read(pipe_fds[0], text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	close(saved);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	return text;
}

static void expect_line(struct trust_event ev, const char *line)
{
	const char *text = logged(ev);
	const char *end = strchr(text, '\n');

	if (!strstr(text, line))
		fail_msg("'%s' lacks '%s'", text, line);
	assert_non_null(end);
	assert_string_equal(end, "\n");
}

static void every_edge_is_one_line_of_the_log(void **state)
{
	struct trust_event ev = {
		.from = TSV_TRUSTED, .to = TSV_LOCAL_RTT, .alarm_from = 1, .epoch = 4, .offset_ns = -120500,
		.bound_ns = 130000, .reasons = TSV_BIT(bound) | TSV_BIT(disagrees),
	};

	(void)state;
	expect_line(ev, "clock main: TRUSTED+ALARM -> LOCAL_RTT, epoch 4, offset ");
	expect_line(ev, ": disagrees,bound\n");
	ev = (struct trust_event){
		.from = TSV_SETTLING, .to = TSV_TRUSTED, .epoch = 1, .offset_ns = INT64_MIN, .bound_ns = -1,
	};
	expect_line(ev, "clock main: SETTLING -> TRUSTED, epoch 1, offset unknown, bound none\n");
	ev.from = TSV_HOLDOVER;
	ev.ended = TSV_BIT(sync_missing);
	expect_line(ev, ", bound none: no more sync_missing\n");
}

#define WITH_FRONT(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FRONT(events_go_with_the_next_snapshot),
		WITH_FRONT(many_events_go_with_several),
		WITH_FRONT(a_full_queue_drops_snapshots_and_keeps_events),
		WITH_FRONT(a_full_ring_loses_the_oldest), WITH_FRONT(a_front_that_is_gone),
		WITH_FRONT(every_edge_is_one_line_of_the_log),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}
