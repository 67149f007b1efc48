#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "err.h"

static void set_fills_and_returns(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(err_set(&e, -ENOENT, "no %s in %d places", "page", 2), -ENOENT);
	assert_int_equal(e.code, -ENOENT);
	assert_string_equal(e.msg, "no page in 2 places");
}

static void set_without_a_struct(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, -EIO, "nobody reads this"), -EIO);
}

static void set_cuts_a_long_sentence(void **state)
{
	struct err e = { 0 };
	char text[400];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_set(&e, -EINVAL, "%s", text);
	assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
}

static void prefix_goes_before(void **state)
{
	struct err e = { 0 };

	(void)state;
	err_set(&e, -EACCES, "not allowed");
	assert_int_equal(err_prefix(&e, "/dev/ptp%d", 0), -EACCES);
	assert_string_equal(e.msg, "/dev/ptp0: not allowed");
}

static void prefix_cuts(void **state)
{
	struct err e = { 0 };
	char text[400];

	(void)state;
	memset(text, 'p', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_set(&e, -EACCES, "not allowed");
	assert_int_equal(err_prefix(&e, "%s", text), -EACCES);
	assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
	err_set(&e, -EACCES, "not allowed");
	err_prefix(&e, "%.*s", (int)sizeof(e.msg) - 5, text);
	assert_string_equal(e.msg + sizeof(e.msg) - 6, "p: no");
}

static void prefix_without_a_struct(void **state)
{
	(void)state;
	assert_int_equal(err_prefix(NULL, "nobody reads this"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_fills_and_returns),
		cmocka_unit_test(set_without_a_struct),
		cmocka_unit_test(set_cuts_a_long_sentence),
		cmocka_unit_test(prefix_goes_before),
		cmocka_unit_test(prefix_cuts),
		cmocka_unit_test(prefix_without_a_struct),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
