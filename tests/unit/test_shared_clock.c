#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "probe/shared_clock.h"
#include "timesvc.h"

static const uint8_t mac[6] = { 0x52, 0x54, 0, 0, 0, 1 };
static struct shared_clock s;

static struct clock_reading page(int64_t ns)
{
	struct clock_reading r = { .ns = ns, .end = {
		.known = 1, .clock = { 0x52, 0x54, 0, 0xff, 0xfe, 0, 0, 1 } } };

	return r;
}

static int look(int n, int64_t apart_ns, const struct clock_reading *r)
{
	int shared = 0;

	while (n--)
		shared = shared_clock_look(&s, mac, r->ns + apart_ns, 300, r);
	return shared;
}

static void test_both_needed(void **state)
{
	struct clock_reading r = page(1000000), other = r, software = r, unknown = r;

	(void)state;
	s = (struct shared_clock){ 0 };
	assert_int_equal(look(SHARED_CLOCK_LOOKS - 1, 1300, &r), 0);
	assert_int_equal(look(1, -1300, &r), 1);
	assert_int_equal(look(1, 1301, &r), 0);		/* once is enough to lose it */
	assert_int_equal(look(SHARED_CLOCK_LOOKS - 1, 0, &r), 0);
	assert_int_equal(look(1, 0, &r), 1);
	other.end.clock[7] = 2;				/* as near, but another clock */
	assert_int_equal(look(20, 0, &other), 0);
	software.end.flags = TSV_SOFTWARE;		/* page time is not the PHC's */
	assert_int_equal(look(20, 0, &software), 0);
	unknown.end.known = 0;
	assert_int_equal(look(20, 0, &unknown), 0);
	assert_int_equal(look(SHARED_CLOCK_LOOKS, 0, &r), 1);
}

static void test_far_off(void **state)
{
	struct clock_reading r = page(INT64_MAX);

	(void)state;
	s = (struct shared_clock){ 0 };
	assert_int_equal(shared_clock_look(&s, mac, INT64_MIN, 300, &r), 0);
	assert_int_equal(look(20, -37000000000, &r), 0);	/* UTC against TAI */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_needed), cmocka_unit_test(test_far_off),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
