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
#include <unistd.h>

#include "log.h"
#include "nstime.h"
#include "timesvc/monitor/childlog.h"

static char dir[] = "/tmp/test_childlog.XXXXXX", path[64], text[65536];
static struct loop *loop;

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/log", dir);
	log_open("test", LOG_LEVEL_DEBUG, LOG_TO_STDERR);
	loop = loop_new();
	return loop ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	loop_free(loop);
	unlink(path);
	return rmdir(dir);
}

static void give_up(void *arg)
{
	(void)arg;
	loop_stop(loop);
}

static void run_for(int64_t ns)
{
	struct loop_event *limit = loop_timer(loop, give_up, NULL);

	loop_arm(limit, ns);
	assert_int_equal(loop_run(loop), 0);
	loop_event_free(limit);
}

/* What the log says while the loop runs. */
static const char *logged(void)
{
	FILE *f = tmpfile();
	int keep = dup(2);
	size_t n;

	assert_non_null(f);
	dup2(fileno(f), 2);
	run_for(30 * NS_PER_MS);
	dup2(keep, 2);
	close(keep);
	rewind(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static void lines_come_out_one_by_one(void **state)
{
	struct childlog *c;
	struct err e;
	int fd;

	(void)state;
	assert_int_equal(childlog_open(&c, loop, path, "ptp4l a", &e), 0);
	fd = childlog_writer(c);
	assert_int_equal(write(fd, "one\ntw", 6), 6);
	assert_string_equal(logged(), "test: info: ptp4l a: one\n");
	assert_int_equal(write(fd, "o\x1b[1m\n", 6), 6);
	assert_string_equal(logged(), "test: info: ptp4l a: two [1m\n");
	close(fd);
	assert_string_equal(logged(), "");	/* no end, no busy loop */
	childlog_close(c);
}

static void a_flood_is_counted(void **state)
{
	struct childlog *c;
	struct err e;
	int fd, lines = 0;

	(void)state;
	assert_int_equal(childlog_open(&c, loop, path, "x", &e), 0);
	fd = childlog_writer(c);
	for (int i = 0; i < 200; i++)
		assert_int_equal(write(fd, "l\n", 2), 2);
	for (const char *p = logged(); (p = strchr(p, '\n')); p++)
		lines++;
	assert_int_equal(lines, CHILDLOG_LINES_PER_S);
	usleep(1000000);
	assert_int_equal(write(fd, "m\n", 2), 2);
	assert_string_equal(logged(), "test: warn: x: 150 lines of its output were dropped\n"
		"test: info: x: m\n");
	close(fd);
	childlog_close(c);
}

/* The child is neither killed nor held up when nobody reads, and what it said is found later. */
static void the_writer_outlives_the_reader(void **state)
{
	struct childlog *c;
	struct err e;
	char block[4096];
	int fd;

	(void)state;
	memset(block, '\n', sizeof(block));
	assert_int_equal(childlog_open(&c, loop, path, "x", &e), 0);
	fd = childlog_writer(c);
	childlog_close(c);
	assert_int_equal(write(fd, "later\n", 6), 6);
	assert_int_equal(childlog_open(&c, loop, path, "x", &e), 0);
	assert_string_equal(logged(), "test: info: x: later\n");
	childlog_close(c);
	for (int i = 0; i < 1000; i++)
		if (write(fd, block, sizeof(block)) < 0)
			break;
	assert_int_equal(errno, EAGAIN);
	close(fd);
}

static void a_long_line_is_cut(void **state)
{
	struct childlog *c;
	struct err e;
	char line[1500];
	int fd;

	(void)state;
	memset(line, 'a', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	assert_int_equal(childlog_open(&c, loop, path, "x", &e), 0);
	fd = childlog_writer(c);
	assert_int_equal(write(fd, line, sizeof(line)), sizeof(line));
	assert_non_null(strstr(logged(), "a\ntest: info: x: aaa"));
	close(fd);
	childlog_close(c);
}

static void another_file_in_the_way(void **state)
{
	struct childlog *c;
	struct err e;

	(void)state;
	unlink(path);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(childlog_open(&c, loop, path, "x", &e), -EEXIST);
	childlog_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_out_one_by_one),
		cmocka_unit_test(a_flood_is_counted),
		cmocka_unit_test(the_writer_outlives_the_reader),
		cmocka_unit_test(a_long_line_is_cut),
		cmocka_unit_test(another_file_in_the_way),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
