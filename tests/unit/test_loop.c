#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <unistd.h>

#include "nstime.h"
#include "timesvc/loop.h"

static struct loop *loop;
static int calls;

static int set_up(void **state)
{
	(void)state;
	calls = 0;
	loop = loop_new();
	return loop ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	loop_free(loop);
	return 0;
}

static void give_up(void *arg)
{
	(void)arg;
	loop_stop(loop);
}

/* Runs for at most this long. */
static void run(int64_t limit_ns)
{
	struct loop_event *limit = loop_timer(loop, give_up, NULL);

	loop_arm(limit, limit_ns);
	assert_int_equal(loop_run(loop), 0);
	loop_event_free(limit);
}

static void count_timer(void *arg)
{
	(void)arg;
	calls++;
	loop_stop(loop);
}

static void a_timer_fires_once_and_late_enough(void **state)
{
	struct loop_event *ev = loop_timer(loop, count_timer, NULL);
	int64_t before = nstime_mono();

	(void)state;
	loop_arm(ev, 1500000);
	run(NS_PER_S);
	assert_int_equal(calls, 1);
	assert_true(nstime_mono() - before >= 1500000);
	run(5 * NS_PER_MS);
	assert_int_equal(calls, 1);
	loop_event_free(ev);
}

static void arming_again_replaces(void **state)
{
	struct loop_event *ev = loop_timer(loop, count_timer, NULL);

	(void)state;
	loop_arm(ev, NS_PER_MS);
	loop_arm(ev, 10 * NS_PER_S);
	run(20 * NS_PER_MS);
	assert_int_equal(calls, 0);
	loop_arm(ev, -5);
	run(NS_PER_S);
	assert_int_equal(calls, 1);
	loop_arm(ev, NS_PER_MS);
	loop_disarm(ev);
	run(10 * NS_PER_MS);
	assert_int_equal(calls, 1);
	loop_event_free(ev);
}

static int64_t lateness[8];

static void tick(void *arg, int64_t late_ns)
{
	(void)arg;
	if (calls == 1)
		usleep(35000);
	lateness[calls++] = late_ns;
	if (calls == 4)
		loop_stop(loop);
}

static void ticks_keep_their_grid_and_tell_lateness(void **state)
{
	struct loop_event *ev = loop_every(loop, 10 * NS_PER_MS, tick, NULL);
	int64_t before = nstime_mono(), spent;

	(void)state;
	run(5 * NS_PER_S);
	spent = nstime_mono() - before;
	assert_int_equal(calls, 4);
	/* Ticks at 10, 20 (busy until 55), then one late one, then the grid's next. */
	assert_true(lateness[2] >= 24 * NS_PER_MS);
	assert_true(spent >= 60 * NS_PER_MS);
	loop_event_free(ev);
}

static struct loop_event *reader;

static void read_one(void *arg, int fd)
{
	char byte;

	(void)arg;
	calls++;
	if (read(fd, &byte, 1) == 1)
		return;
	loop_event_free(reader);	/* inside its own callback */
	reader = NULL;
	loop_stop(loop);
}

static void reads_until_hang_up(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	reader = loop_read(loop, ends[0], read_one, NULL);
	assert_int_equal(write(ends[1], "ab", 2), 2);
	close(ends[1]);
	run(NS_PER_S);
	assert_int_equal(calls, 3);
	assert_null(reader);
	run(5 * NS_PER_MS);
	assert_int_equal(calls, 3);
	close(ends[0]);
}

static void note_signal(void *arg, int signo)
{
	*(int *)arg = signo;
	loop_stop(loop);
}

static void signals(void **state)
{
	int seen = 0;
	struct loop_event *ev = loop_signal(loop, SIGUSR1, note_signal, &seen);

	(void)state;
	raise(SIGUSR1);
	run(NS_PER_S);
	assert_int_equal(seen, SIGUSR1);
	loop_event_free(ev);
}

static void nothing_to_free(void **state)
{
	(void)state;
	loop_event_free(NULL);
	loop_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_timer_fires_once_and_late_enough, set_up, tear_down),
		cmocka_unit_test_setup_teardown(arming_again_replaces, set_up, tear_down),
		cmocka_unit_test_setup_teardown(ticks_keep_their_grid_and_tell_lateness, set_up, tear_down),
		cmocka_unit_test_setup_teardown(reads_until_hang_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(signals, set_up, tear_down),
		cmocka_unit_test(nothing_to_free),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
