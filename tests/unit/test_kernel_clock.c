#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/kernel_clock.h"

static char devices[] = "/tmp/kernel_clock.XXXXXX";

static void make(const char *path)
{
	char whole[256], *slash;

	snprintf(whole, sizeof(whole), "%s/%s", devices, path);
	for (slash = strchr(whole + strlen(devices) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(whole, 0700);
		*slash = '/';
	}
	assert_int_equal(mkdir(whole, 0700), 0);
}

static int setup(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(devices));
	make("0000:03:00.0/ptp/ptp4");
	make("0000:03:00.1/net");
	make("0000:03:01.0/ptp");
	make("0000:04:00.0/driver");
	return 0;
}

static int teardown(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", devices);
	return system(command);
}

static void test_card(void **state)
{
	char ptp[32] = "";

	(void)state;
	assert_int_equal(kernel_clock_of_card(devices, "0000:03:00.1", ptp, sizeof(ptp)), 1);
	assert_string_equal(ptp, "ptp4");
	assert_int_equal(kernel_clock_of_card(devices, "0000:03:00.0", ptp, sizeof(ptp)), 1);
	assert_int_equal(kernel_clock_of_card(devices, "0000:03:01.0", ptp, sizeof(ptp)), 0);
	assert_int_equal(kernel_clock_of_card(devices, "0000:04:00.1", ptp, sizeof(ptp)), 0);
}

static void test_nothing(void **state)
{
	char ptp[32];

	(void)state;
	assert_int_equal(kernel_clock_of_card(devices, "net_ring0", ptp, sizeof(ptp)), 0);
	assert_int_equal(kernel_clock_of_card("/nonexistent", "0000:03:00.1", ptp, sizeof(ptp)), 0);
	assert_int_equal(kernel_clock_of_card(devices, "0000:03:00.1", ptp, 3), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_card), cmocka_unit_test(test_nothing) };

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, setup, teardown);
}
