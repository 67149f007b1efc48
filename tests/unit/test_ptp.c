#include "timesvc/ptp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static void names_port_states(void **state)
{
	(void)state;
	assert_string_equal(ptp_port_state_name(PTP_INITIALIZING), "INITIALIZING");
	assert_string_equal(ptp_port_state_name(PTP_UNCALIBRATED), "UNCALIBRATED");
	assert_string_equal(ptp_port_state_name(PTP_SLAVE), "SLAVE");
	assert_string_equal(ptp_port_state_name(PTP_GRAND_MASTER), "GRAND_MASTER");
	assert_string_equal(ptp_port_state_name(0), "?");
	assert_string_equal(ptp_port_state_name(11), "?");
	assert_string_equal(ptp_port_state_name(-1), "?");
}

static void formats_identities(void **state)
{
	struct ptp_port_identity p = {
		{ { 0x00, 0x11, 0x22, 0xff, 0xfe, 0x33, 0x44, 0xab } }, 65535
	};
	char clock[PTP_IDENTITY_SIZE], port[PTP_PORT_IDENTITY_SIZE], little[8];

	(void)state;
	assert_string_equal(ptp_identity_format(clock, sizeof(clock), &p.clock), "001122.fffe.3344ab");
	assert_string_equal(ptp_port_identity_format(port, sizeof(port), &p),
		"001122.fffe.3344ab-65535");
	assert_string_equal(ptp_identity_format(little, sizeof(little), &p.clock), "001122.");
}

static void compares_identities(void **state)
{
	struct ptp_identity a = { { 1, 2, 3, 4, 5, 6, 7, 8 } }, b = a;

	(void)state;
	assert_true(ptp_identity_equal(&a, &b));
	b.id[7]++;
	assert_false(ptp_identity_equal(&a, &b));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_port_states),
		cmocka_unit_test(formats_identities),
		cmocka_unit_test(compares_identities),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
