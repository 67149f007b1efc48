#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <linux/net_tstamp.h>
#include <cmocka.h>

#include "io.h"
#include "probe/hwstamp.h"
#include "probe/hwstamp_users.h"

/* The plan. */

#define BIT(n)		(1u << (n))
#define SOFTWARE	(SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_RX_SOFTWARE | \
			 SOF_TIMESTAMPING_SOFTWARE)
#define HARDWARE	(SOF_TIMESTAMPING_TX_HARDWARE | SOF_TIMESTAMPING_RX_HARDWARE | \
			 SOF_TIMESTAMPING_RAW_HARDWARE)

static struct hwstamp nic(const char *driver, unsigned filters)
{
	struct hwstamp h = { .ifname = "eth0", .phc_index = 3, .modes = SOFTWARE | HARDWARE,
			     .tx_types = BIT(HWTSTAMP_TX_OFF) | BIT(HWTSTAMP_TX_ON),
			     .rx_filters = BIT(HWTSTAMP_FILTER_NONE) | filters };

	snprintf(h.driver, sizeof(h.driver), "%s", driver);
	return h;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" has no \"%s\"", text, part);
}

static void test_plain_nic(void **state)
{
	struct hwstamp h = { .ifname = "veth0", .driver = "veth", .phc_index = -1, .modes = SOFTWARE };
	struct hwstamp_plan p;

	(void)state;
	hwstamp_plan(&h, 0, &p);
	assert_false(p.set);
	assert_int_equal(p.rx, STAMP_SOFTWARE);
	assert_int_equal(p.tx, STAMP_SOFTWARE);
	assert_int_equal(p.rx_scope, SCOPE_NONE);
	assert_string_equal(p.why, "veth0 has no hardware time stamps: all stamps are software");
	assert_false(p.able);
	assert_string_equal(hwstamp_scope_text(&p), "all frames");
	h.modes = SOF_TIMESTAMPING_RX_SOFTWARE;
	hwstamp_plan(&h, 0, &p);
	assert_int_equal(p.tx, STAMP_NONE);
}

static void test_free_nic(void **state)
{
	struct hwstamp h = nic("ice", BIT(HWTSTAMP_FILTER_ALL) | BIT(HWTSTAMP_FILTER_PTP_V2_EVENT));
	struct hwstamp_plan p;

	(void)state;
	hwstamp_plan(&h, 0, &p);
	assert_true(p.set);
	assert_int_equal(p.rx_filter, HWTSTAMP_FILTER_ALL);
	assert_int_equal(p.rx_scope, SCOPE_ALL);
	assert_int_equal(p.rx, STAMP_HARDWARE);
	assert_int_equal(p.tx, STAMP_HARDWARE);
	assert_true(p.tx_slots > 1);
	assert_string_equal(p.why, "");

	h = nic("igb", BIT(HWTSTAMP_FILTER_PTP_V1_L4_SYNC) | BIT(HWTSTAMP_FILTER_PTP_V2_EVENT));
	hwstamp_plan(&h, 0, &p);
	assert_true(p.set);
	assert_int_equal(p.rx_filter, HWTSTAMP_FILTER_PTP_V2_EVENT);
	assert_int_equal(p.rx_scope, SCOPE_PTP_EVENT);
	assert_int_equal(p.tx_slots, 1);
	assert_string_equal(hwstamp_scope_text(&p), "PTP event messages in hardware, all frames in software");

	h = nic("mlx5_core", BIT(HWTSTAMP_FILTER_ALL));
	hwstamp_plan(&h, 0, &p);
	assert_int_equal(p.tx_slots, 0);
	h.phc_index = -1;			/* stamps of a clock that cannot be read are of no use */
	hwstamp_plan(&h, 0, &p);
	assert_false(p.set);
	assert_int_equal(p.rx, STAMP_SOFTWARE);
}

/* The rule: nothing is changed, and the one slot is left to it. */
static void test_beside_ptp4l(void **state)
{
	static const char *const single[] = { "igb", "ixgbe", "i40e", "e1000e", "igc", "of-the-future", "" };
	struct hwstamp_plan p;

	(void)state;
	for (size_t i = 0; i < sizeof(single) / sizeof(single[0]); i++) {
		struct hwstamp h = nic(single[i], BIT(HWTSTAMP_FILTER_ALL));

		h.tx_type = HWTSTAMP_TX_ON;
		h.rx_filter = HWTSTAMP_FILTER_PTP_V2_EVENT;
		hwstamp_plan(&h, 4711, &p);
		assert_false(p.set);
		assert_int_equal(p.tx, STAMP_SOFTWARE);
		assert_int_equal(p.rx, STAMP_HARDWARE);
		assert_int_equal(p.rx_scope, SCOPE_PTP_EVENT);
		has(p.why, "ptp4l (process 4711) uses eth0: its set-up is left alone, and frames sent are "
		    "stamped in software, as ");
		has(p.why, " has one slot for transmit stamps");
		assert_true(p.able);
	}
}

static void test_beside_with_many_slots(void **state)
{
	struct hwstamp h = nic("ice", BIT(HWTSTAMP_FILTER_ALL));
	struct hwstamp_plan p;

	(void)state;
	h.tx_type = HWTSTAMP_TX_ON;
	h.rx_filter = HWTSTAMP_FILTER_ALL;
	hwstamp_plan(&h, 4711, &p);
	assert_false(p.set);
	assert_int_equal(p.tx, STAMP_HARDWARE);
	assert_int_equal(p.rx_scope, SCOPE_ALL);
	assert_string_equal(p.why, "ptp4l (process 4711) uses eth0: its set-up is left alone");
}

/* A ptp4l that stamps in software has set nothing up. */
static void test_beside_software(void **state)
{
	struct hwstamp h = nic("igb", BIT(HWTSTAMP_FILTER_ALL));
	struct hwstamp_plan p;

	(void)state;
	hwstamp_plan(&h, 4711, &p);
	assert_false(p.set);
	assert_int_equal(p.tx, STAMP_SOFTWARE);
	assert_int_equal(p.rx, STAMP_SOFTWARE);
}

/* Nobody is seen, but somebody has set it up: another container's ptp4l looks like that. */
static void test_set_up_by_somebody(void **state)
{
	struct hwstamp h = nic("igb", BIT(HWTSTAMP_FILTER_PTP_V2_EVENT));
	struct hwstamp_plan p;

	(void)state;
	h.tx_type = HWTSTAMP_TX_ON;
	hwstamp_plan(&h, 0, &p);
	assert_false(p.set);
	assert_int_equal(p.tx, STAMP_SOFTWARE);
	has(p.why, "another program has set up time stamps on eth0");
	h.tx_type = HWTSTAMP_TX_OFF;
	h.rx_filter = HWTSTAMP_FILTER_PTP_V2_SYNC;
	hwstamp_plan(&h, 0, &p);
	assert_false(p.set);
	assert_int_equal(p.rx_scope, SCOPE_PTP_SYNC);
}

static void test_yield(void **state)
{
	struct hwstamp h = nic("igb", BIT(HWTSTAMP_FILTER_PTP_V2_EVENT));
	struct hwstamp_plan p;

	(void)state;
	hwstamp_plan(&h, 0, &p);
	assert_int_equal(p.tx, STAMP_HARDWARE);
	hwstamp_plan_yield(&h, 12, &p);
	assert_int_equal(p.tx, STAMP_SOFTWARE);
	has(p.why, "ptp4l (process 12) has come to eth0");
	h = nic("ice", BIT(HWTSTAMP_FILTER_ALL));
	hwstamp_plan(&h, 0, &p);
	hwstamp_plan_yield(&h, 12, &p);
	assert_int_equal(p.tx, STAMP_HARDWARE);
	hwstamp_plan_software(&h, "because", &p);
	assert_int_equal(p.tx, STAMP_SOFTWARE);
	assert_int_equal(p.rx, STAMP_SOFTWARE);
	assert_string_equal(p.why, "all stamps of eth0 are software: because");
}

static void test_query(void **state)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct hwstamp_plan p;
	struct hwstamp h;
	struct err e;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(hwstamp_query(fd, "no-such-port", &h, &e), -ENODEV);
	has(e.msg, "no-such-port");
	assert_int_equal(hwstamp_query(fd, "a-name-that-is-much-too-long", &h, &e), -ENODEV);
	assert_int_equal(hwstamp_query(fd, "lo", &h, &e), 0);
	assert_int_equal(h.phc_index, -1);
	hwstamp_plan(&h, 0, &p);
	assert_false(p.set);
	assert_true(hwstamp_set(fd, "lo", HWTSTAMP_TX_ON, HWTSTAMP_FILTER_ALL) < 0);
	close(fd);
}

/* Who uses it: a /proc of our own. */

static char root[64];

static void put(const char *pid, const char *name, const void *data, size_t len)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s/%s", root, pid, name);
	assert_int_equal(io_write_file(path, data, len, 0644, NULL), 0);
}

/* A process; `args` with a "|" for each end of an argument. */
static void add(const char *pid, const char *comm, const char *args, const char *netns)
{
	char path[PATH_MAX], cmdline[256];
	size_t len = strlen(args);

	snprintf(path, sizeof(path), "%s/%s", root, pid);
	assert_int_equal(mkdir(path, 0755), 0);
	strcat(path, "/ns");
	assert_int_equal(mkdir(path, 0755), 0);
	strcat(path, "/net");
	assert_int_equal(symlink(netns, path), 0);
	snprintf(path, sizeof(path), "%s/%s/cwd", root, pid);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/%s/root", root, pid);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s\n", comm);
	put(pid, "comm", path, strlen(path));
	for (size_t i = 0; i <= len; i++)
		cmdline[i] = args[i] == '|' ? '\0' : args[i];
	put(pid, "cmdline", cmdline, len);
}

static pid_t find(const char *ifname)
{
	struct hwstamp_users *u;
	pid_t found;

	assert_int_equal(hwstamp_users_open(&u, root, ifname, NULL), 0);
	found = hwstamp_users_find(u);
	assert_int_equal(hwstamp_users_find(u), found);
	hwstamp_users_close(u);
	return found;
}

static int make_proc(void **state)
{
	(void)state;
	strcpy(root, "/tmp/test_hwstamp.XXXXXX");
	if (!mkdtemp(root))
		return -1;
	add("self", "probe", "probe|", "net:[1]");
	add("1", "init", "init|-i|eth0|", "net:[1]");
	return 0;
}

static int remove_proc(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command);
}

static void test_nobody(void **state)
{
	(void)state;
	assert_int_equal(find("eth0"), 0);
	add("20", "ptp4l", "ptp4l|-i|eth1|-m|", "net:[1]");
	add("21", "ptp4l", "ptp4l|-i|eth0|-m|", "net:[2]");	/* another namespace's eth0 */
	add("22", "ptp4l", "", "net:[1]");			/* has just ended */
	assert_int_equal(find("eth0"), 0);
	assert_int_equal(find("eth1"), 20);
	assert_int_equal(find("eth"), 0);
}

static void test_on_the_command_line(void **state)
{
	static const struct { const char *args; int uses; } lines[] = {
		{ "ptp4l|-i|eth0|", 1 }, { "ptp4l|-ieth0|", 1 }, { "ptp4l|-m2Hieth0|", 1 },
		{ "ptp4l|-mi|eth0|", 1 }, { "/usr/sbin/ptp4l|-i|eth1|-i|eth0|", 1 }, { "ptp4l|-i|eth00|", 0 },
		{ "ptp4l|-i|xeth0|", 0 }, { "ptp4l|--summary_interval=0|-p|eth0|", 0 }, { "ptp4l|-i", 0 },
		{ "ptp4l|-i|eth0", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		add("30", "ptp4l-4.2", lines[i].args, "net:[1]");
		assert_int_equal(find("eth0"), lines[i].uses ? 30 : 0);
		remove_proc(state);
		make_proc(state);
	}
}

static void test_in_a_file(void **state)
{
	const char config[] = "[global]\n# [eth5]\nslaveOnly 1\n\t[eth0]\n[eth1.7]\n";

	(void)state;
	add("40", "ptp4l", "ptp4l|-f|ptp4l.conf|-m|", "net:[1]");
	assert_int_equal(find("eth7"), 40);	/* it cannot be read, so that nobody knows */
	put("40", "cwd/ptp4l.conf", config, strlen(config));
	assert_int_equal(find("eth0"), 40);
	assert_int_equal(find("eth1.7"), 40);
	assert_int_equal(find("eth1"), 0);
	assert_int_equal(find("eth5"), 0);
	add("41", "ptp4l", "ptp4l|-mf/link.conf|", "net:[1]");
	put("41", "root/link.conf", "[eth9]", 6);
	assert_int_equal(find("eth9"), 41);
	assert_int_equal(find("eth8"), 0);
}

static void test_steps(void **state)
{
	struct hwstamp_users *u;
	int seen = 0, steps = 0;
	pid_t got;

	(void)state;
	add("50", "ptp4l", "ptp4l|-i|eth0|", "net:[1]");
	assert_int_equal(hwstamp_users_open(&u, root, "eth0", NULL), 0);
	while ((got = hwstamp_users_next(u)) != -ENOENT) {
		seen += got == 50;
		steps++;
	}
	assert_int_equal(seen, 1);
	assert_int_equal(steps, 2);	/* 1 and 50 */
	hwstamp_users_close(u);
	assert_int_equal(hwstamp_users_open(&u, "/no/such/place", "eth0", NULL), -ENOENT);
	hwstamp_users_close(NULL);
}

static void test_section(void **state)
{
	(void)state;
	assert_true(hwstamp_users_section("[eth0]", "eth0"));
	assert_true(hwstamp_users_section("a b\r\n  [eth0] \n", "eth0"));
	assert_false(hwstamp_users_section("", "eth0"));
	assert_false(hwstamp_users_section("[eth0", "eth0"));
	assert_false(hwstamp_users_section("#[eth0]", "eth0"));
	assert_false(hwstamp_users_section("[eth01]\n[eth]\n", "eth0"));
	assert_true(hwstamp_users_section("\n\n\n[eth0]", "eth0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_nic),
		cmocka_unit_test(test_free_nic),
		cmocka_unit_test(test_beside_ptp4l),
		cmocka_unit_test(test_beside_with_many_slots),
		cmocka_unit_test(test_beside_software),
		cmocka_unit_test(test_set_up_by_somebody),
		cmocka_unit_test(test_yield),
		cmocka_unit_test(test_query),
		cmocka_unit_test_setup_teardown(test_nobody, make_proc, remove_proc),
		cmocka_unit_test_setup_teardown(test_on_the_command_line, make_proc, remove_proc),
		cmocka_unit_test_setup_teardown(test_in_a_file, make_proc, remove_proc),
		cmocka_unit_test_setup_teardown(test_steps, make_proc, remove_proc),
		cmocka_unit_test(test_section),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
