#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <linux/net_tstamp.h>

#include "timesvc/sources/ethtool.h"

/* As an igb answers, compact bitsets; little endian. */
static const uint8_t igb[] = {
	0x10, 0x00, 0x01, 0x80, 0x08, 0x00, 0x01, 0x00, 0x02, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00,
	/* 2: timestamping: 17 bits, tx-hw, tx-sw, rx-hw, rx-sw, sw, raw-hw */
	0x18, 0x00, 0x02, 0x80, 0x04, 0x00, 0x01, 0x00, 0x08, 0x00, 0x02, 0x00, 0x11, 0x00, 0x00, 0x00,
	0x08, 0x00, 0x04, 0x00, 0x5f, 0x00, 0x00, 0x00,
	/* 3: tx types: off, on */
	0x18, 0x00, 0x03, 0x80, 0x04, 0x00, 0x01, 0x00, 0x08, 0x00, 0x02, 0x00, 0x04, 0x00, 0x00, 0x00,
	0x08, 0x00, 0x04, 0x00, 0x03, 0x00, 0x00, 0x00,
	/* 4: rx filters: none, all, ptpv1-l4-sync, ptpv1-l4-delay-req, ptpv2-event */
	0x18, 0x00, 0x04, 0x80, 0x04, 0x00, 0x01, 0x00, 0x08, 0x00, 0x02, 0x00, 0x10, 0x00, 0x00, 0x00,
	0x08, 0x00, 0x04, 0x00, 0x31, 0x10, 0x00, 0x00,
	/* 5: clock 3 */
	0x08, 0x00, 0x05, 0x00, 0x03, 0x00, 0x00, 0x00
};

static struct ethtool_stamping s;

static void a_nic_with_a_clock(void **state)
{
	(void)state;
	assert_int_equal(ethtool_stamping_parse(igb, sizeof(igb), &s), 0);
	assert_int_equal(s.phc_index, 3);
	assert_int_equal(s.modes, 0x5f);
	assert_int_equal(s.tx_types, 3);
	assert_int_equal(s.rx_filters, 0x1031);
	assert_true(ethtool_stamps_in_hardware(&s));
}

static void a_nic_without(void **state)
{
	(void)state;
	assert_int_equal(ethtool_stamping_parse(igb, sizeof(igb) - 8, &s), 0);
	assert_int_equal(s.phc_index, -1);
	assert_false(ethtool_stamps_in_hardware(&s));
	assert_int_equal(ethtool_stamping_parse(NULL, 0, &s), 0);
	assert_int_equal(s.phc_index, -1);
	assert_int_equal(s.modes, 0);
}

static void hardware_is_both_directions(void **state)
{
	static const uint32_t needed[] = {
		SOF_TIMESTAMPING_TX_HARDWARE, SOF_TIMESTAMPING_RX_HARDWARE, SOF_TIMESTAMPING_RAW_HARDWARE
	};

	(void)state;
	for (int i = 0; i < 3; i++) {
		s = (struct ethtool_stamping){ .phc_index = 0, .modes = 0xffff & ~needed[i] };
		assert_false(ethtool_stamps_in_hardware(&s));
	}
	s.modes = 0xffff;
	assert_true(ethtool_stamps_in_hardware(&s));
	s.phc_index = -1;
	assert_false(ethtool_stamps_in_hardware(&s));
}

static void no_number_is_none(void **state)
{
	uint8_t copy[sizeof(igb)];

	(void)state;
	memcpy(copy, igb, sizeof(igb));
	memset(copy + sizeof(copy) - 4, 0xff, 4);
	assert_int_equal(ethtool_stamping_parse(copy, sizeof(copy), &s), 0);
	assert_int_equal(s.phc_index, -1);
}

/* A set without words, a number of three bytes: refused, and nothing is changed. */
static void what_is_torn_is_refused(void **state)
{
	uint8_t copy[sizeof(igb)];

	(void)state;
	s = (struct ethtool_stamping){ .phc_index = 77 };
	memcpy(copy, igb, sizeof(igb));
	copy[34] = 0x09;	/* the words of the first set under another type */
	assert_int_equal(ethtool_stamping_parse(copy, sizeof(copy), &s), -EBADMSG);
	memcpy(copy, igb, sizeof(igb));
	copy[sizeof(copy) - 8] = 7;
	assert_int_equal(ethtool_stamping_parse(copy, sizeof(copy), &s), -EBADMSG);
	assert_int_equal(s.phc_index, 77);
}

static void the_kernel_itself(void **state)
{
	struct err e = { 0 };
	int rc = ethtool_stamping("lo", &s, &e);

	(void)state;
	if (rc == -EOPNOTSUPP) {
		print_message("# this kernel has no ethtool netlink\n");
		return;
	}
	assert_int_equal(rc, 0);
	assert_int_equal(s.phc_index, -1);
	assert_true(s.modes & SOF_TIMESTAMPING_RX_SOFTWARE);
	assert_int_equal(ethtool_stamping("no-such-if0", &s, &e), -ENODEV);
	assert_string_equal(e.msg, "there is no network interface no-such-if0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_nic_with_a_clock),
		cmocka_unit_test(a_nic_without),
		cmocka_unit_test(hardware_is_both_directions),
		cmocka_unit_test(no_number_is_none),
		cmocka_unit_test(what_is_torn_is_refused),
		cmocka_unit_test(the_kernel_itself),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("ethtool", tests, NULL, NULL);
}
