#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "nstime.h"
#include "timesvc/nicclock.h"

#define MS NS_PER_MS

static const struct timebase raw = { .kind = TSV_TIMEBASE_RAW, .hz = NS_PER_S, .ns_per_tick = 1 };
static const struct timebase tsc = { .kind = TSV_TIMEBASE_TSC, .hz = 2100000000, .ns_per_tick = 1e9 / 2.1e9 };
static const struct phc_identity port0 = { "0000:01:00.0", "igb", "525400000001", 0, 0 };

static struct nicclock h;

/* Something that can be opened, and is no clock. */
static int no_clock(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static int is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void is_asked_for_again_and_again(void **state)
{
	(void)state;
	nicclock_init(&h, &raw);
	assert_int_equal(h.device.tsc_hz, 0);
	assert_true(nicclock_wanted(&h, 1000 * MS));
	assert_false(nicclock_wanted(&h, 1001 * MS));
	assert_false(nicclock_wanted(&h, 1199 * MS));
	assert_true(nicclock_wanted(&h, 1200 * MS));
	assert_int_equal(nicclock_read(&h, &(struct clock_reading){ 0 }), -ENODEV);
	assert_int_equal(h.losses, 0);
	nicclock_init(&h, &tsc);
	assert_int_equal(h.device.tsc_hz, 2100000000);
	nicclock_release(&h);
}

static void is_taken_over(void **state)
{
	struct phc_identity other = port0;
	int first = no_clock(), second = no_clock();

	(void)state;
	nicclock_init(&h, &raw);
	assert_true(nicclock_wanted(&h, 1000 * MS));
	assert_int_equal(nicclock_attach(&h, first, &port0), NICCLOCK_FIRST);
	assert_string_equal(h.id.pci, "0000:01:00.0");
	assert_false(nicclock_wanted(&h, 5000 * MS));
	nicclock_doubt(&h);
	assert_true(nicclock_wanted(&h, 5001 * MS));
	assert_false(nicclock_wanted(&h, 9000 * MS));
	/* Another one behind the same interface. */
	strcpy(other.pci, "0000:02:00.0");
	assert_int_equal(nicclock_attach(&h, second, &other), NICCLOCK_RENEWED);
	assert_false(is_open(first));
	assert_true(is_open(second));
	nicclock_release(&h);
	assert_false(is_open(second));
	nicclock_release(&h);
}

/* One that answers nothing but errors is not kept for ever. */
static void is_given_up(void **state)
{
	struct clock_reading r;
	int fd = no_clock(), n = 0;

	(void)state;
	nicclock_init(&h, &raw);
	assert_true(nicclock_wanted(&h, 1000 * MS));
	nicclock_attach(&h, fd, &port0);
	while (h.device.fd >= 0 && n < 100) {
		assert_true(nicclock_read(&h, &r) < 0);
		n++;
	}
	assert_int_equal(n, 21);
	assert_int_equal(h.losses, 1);
	assert_false(is_open(fd));
	assert_true(nicclock_wanted(&h, 1001 * MS));
	/* The same again: it was gone meanwhile. */
	assert_int_equal(nicclock_attach(&h, no_clock(), &port0), NICCLOCK_RENEWED);
	nicclock_release(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_asked_for_again_and_again),
		cmocka_unit_test(is_taken_over),
		cmocka_unit_test(is_given_up),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("nicclock", tests, NULL, NULL);
}
