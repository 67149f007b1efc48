#define _GNU_SOURCE 1	/* pipe2() */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "log.h"

static int saved_stderr, pipe_fd[2];

static int capture(void **state)
{
	(void)state;
	if (pipe2(pipe_fd, O_CLOEXEC | O_NONBLOCK))
		return -1;
	saved_stderr = dup(STDERR_FILENO);
	return dup2(pipe_fd[1], STDERR_FILENO) < 0;
}

static int restore(void **state)
{
	(void)state;
	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	close(pipe_fd[0]);
	close(pipe_fd[1]);
	return 0;
}

/* What has been written since the last call. */
static const char *written(void)
{
	static char buf[8192];
	ssize_t n = read(pipe_fd[0], buf, sizeof(buf) - 1);

	buf[n > 0 ? n : 0] = '\0';
	return buf;
}

static void before_open(void **state)
{
	(void)state;
	log_debug("hidden");
	log_info("seen");
	assert_string_equal(written(), "info: seen\n");
}

static void one_line_per_level(void **state)
{
	(void)state;
	log_open("prog", LOG_LEVEL_DEBUG, LOG_TO_STDERR);
	log_error("a %d", 1);
	log_warn("b");
	log_info("c");
	log_debug("d");
	assert_string_equal(written(), "prog: error: a 1\nprog: warn: b\n"
			    "prog: info: c\nprog: debug: d\n");
}

static void threshold(void **state)
{
	(void)state;
	log_open("prog", LOG_LEVEL_INFO, LOG_TO_STDERR);
	log_set_level(LOG_LEVEL_WARN);
	log_info("no");
	log_warn("yes");
	log_set_level(LOG_LEVEL_ERROR);
	log_warn("no");
	log_error("yes");
	assert_string_equal(written(), "prog: warn: yes\nprog: error: yes\n");
}

static void long_lines_are_cut(void **state)
{
	char text[3000];
	const char *line;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	log_open("prog", LOG_LEVEL_INFO, LOG_TO_STDERR);
	log_info("%s", text);
	line = written();
	assert_int_equal(strlen(line), 1024);
	assert_int_equal(line[1023], '\n');
	assert_ptr_equal(strchr(line, '\n'), line + 1023);
}

static void one_event_stays_one_line(void **state)
{
	(void)state;
	log_open("prog", LOG_LEVEL_INFO, LOG_TO_STDERR);
	log_info("name \"%s\"", "a\nprog: error: forged\x1b[2J\x7f\tb\xc3\xb6");
	assert_string_equal(written(), "prog: info: name \"a?prog: error: forged?[2J??b\xc3\xb6\"\n");
}

static void errno_is_kept(void **state)
{
	(void)state;
	log_open("prog", LOG_LEVEL_INFO, LOG_TO_STDERR);
	errno = ENODATA;
	log_info("x");
	assert_int_equal(errno, ENODATA);
	close(STDERR_FILENO);
	log_info("x");
	assert_int_equal(errno, ENODATA);
}

static void syslog_leaves_stderr_alone(void **state)
{
	(void)state;
	log_open("test_log", LOG_LEVEL_DEBUG, LOG_TO_SYSLOG);
	log_debug("a test ran");
	assert_string_equal(written(), "");
	log_open("prog", LOG_LEVEL_INFO, LOG_TO_STDERR);
	log_info("back");
	assert_string_equal(written(), "prog: info: back\n");
}

static void levels_by_name(void **state)
{
	enum log_level level = LOG_LEVEL_ERROR;

	(void)state;
	assert_int_equal(log_level_parse("debug", &level), 0);
	assert_int_equal(level, LOG_LEVEL_DEBUG);
	assert_int_equal(log_level_parse("error", &level), 0);
	assert_int_equal(level, LOG_LEVEL_ERROR);
	assert_int_equal(log_level_parse("warn", &level), 0);
	assert_int_equal(level, LOG_LEVEL_WARN);
	assert_int_equal(log_level_parse("info", &level), 0);
	assert_int_equal(level, LOG_LEVEL_INFO);
	assert_int_equal(log_level_parse("INFO", &level), -EINVAL);
	assert_int_equal(log_level_parse("", &level), -EINVAL);
	assert_int_equal(level, LOG_LEVEL_INFO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(before_open, capture, restore),
		cmocka_unit_test_setup_teardown(one_line_per_level, capture, restore),
		cmocka_unit_test_setup_teardown(threshold, capture, restore),
		cmocka_unit_test_setup_teardown(long_lines_are_cut, capture, restore),
		cmocka_unit_test_setup_teardown(one_event_stays_one_line, capture, restore),
		cmocka_unit_test_setup_teardown(errno_is_kept, capture, restore),
		cmocka_unit_test_setup_teardown(syslog_leaves_stderr_alone, capture, restore),
		cmocka_unit_test(levels_by_name),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
