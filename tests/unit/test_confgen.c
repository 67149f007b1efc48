#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "timesvc/monitor/children.h"
#include "timesvc/monitor/confgen.h"

static struct settings s;
static const struct ptp4l_version v3 = { 3, 1 }, v4 = { 4, 2 };

static void load(const char *text)
{
	struct err e = { 0 };

	if (settings_parse(&s, "t.conf", text, strlen(text), &e))
		fail_msg("%s", e.msg);
}

static void conf_is(struct ptp4l_version v, const char *want)
{
	char text[CONFGEN_TEXT_MAX];

	assert_int_equal(confgen_ptp4l(&s, 0, v, text, sizeof(text)), strlen(want));
	assert_string_equal(text, want);
}

static void command_is(enum child_kind kind, int index, const char *want)
{
	struct child_id id = { .kind = (uint16_t)kind, .index = (uint16_t)index };
	struct command c;
	char text[4096];

	assert_int_equal(confgen_command(&s, id, &c), 0);
	assert_null(c.argv[c.argc]);
	assert_string_equal(confgen_command_text(&c, text, sizeof(text)), want);
}

static void a_follower_that_is_observed(void **state)
{
	(void)state;
	load("[clock a]\ninterface eth0\nrole follower\ntransport L2\ntime_stamping software\n"
		"domain 24\ntransport_specific 1\n");
	conf_is(v3, "# Written by timesvcd for the clock a. Changes are lost.\n[global]\n"
		"uds_address /run/timesvc/ptp4l-a.sock\ndomainNumber 24\ntransportSpecific 1\n"
		"network_transport L2\ntime_stamping software\nfree_running 1\nslaveOnly 1\n"
		"verbose 1\nuse_syslog 0\n[eth0]\n");
}

static void a_reference_with_options(void **state)
{
	(void)state;
	load("[clock a]\ninterface eth0\nrole reference\nmode steer\nptp4l_socket /run/p\n"
		"ptp4l.logSyncInterval -4\nptp4l.egressLatency 35000\nptp4l.ingressLatency -35000\n");
	conf_is(v3, "# Written by timesvcd for the clock a. Changes are lost.\n[global]\n"
		"uds_address /run/p\ndomainNumber 0\ntransportSpecific 0\n"
		"network_transport UDPv4\ntime_stamping hardware\nfree_running 0\nslaveOnly 0\n"
		"verbose 1\nuse_syslog 0\nlogSyncInterval -4\n"
		"[eth0]\nmasterOnly 1\negressLatency 35000\ningressLatency -35000\n");
}

static void later_versions_get_their_read_only_socket(void **state)
{
	(void)state;
	load("[clock a]\ninterface eth0\n");
	conf_is(v4, "# Written by timesvcd for the clock a. Changes are lost.\n[global]\n"
		"uds_address /run/timesvc/ptp4l-a.sock\nuds_ro_address /run/timesvc/ptp4l-a.ro\n"
		"domainNumber 0\ntransportSpecific 0\nnetwork_transport UDPv4\n"
		"time_stamping hardware\nfree_running 1\nslaveOnly 0\nverbose 1\nuse_syslog 0\n[eth0]\n");
}

static void a_text_that_does_not_fit(void **state)
{
	char text[64];

	(void)state;
	load("[clock a]\ninterface eth0\n");
	assert_int_equal(confgen_ptp4l(&s, 0, v3, text, sizeof(text)), -EMSGSIZE);
}

static int wants(enum child_kind kind, int index)
{
	return confgen_wants(&s, (struct child_id){ .kind = (uint16_t)kind, .index = (uint16_t)index });
}

static void who_is_run(void **state)
{
	(void)state;
	load("[clock a]\ninterface eth0\n[clock b]\nmode adopt\ntime_stamping software\n"
		"[clock c]\ninterface eth1\nmode steer\n"
		"[clock d]\ninterface eth2\nmode steer\ntime_stamping software\n");
	assert_true(wants(CHILD_PTP4L, 0) && !wants(CHILD_PHC2SYS, 0));
	assert_false(wants(CHILD_PTP4L, 1) || wants(CHILD_PHC2SYS, 1));
	assert_true(wants(CHILD_PTP4L, 2) && wants(CHILD_PHC2SYS, 2));
	assert_true(wants(CHILD_PTP4L, 3) && !wants(CHILD_PHC2SYS, 3));
	assert_false(wants(CHILD_PTP4L, 4) || wants(CHILD_PROBE, 0));
}

static void command_lines(void **state)
{
	(void)state;
	load("[clock a]\ninterface eth0\nmode steer\nrole follower\ndomain 3\n"
		"[clock b]\ninterface eth1\nmode steer\nrole reference\ntransport_specific 1\n"
		"[clock c]\ninterface eth2\nmode steer\n"
		"[clock d]\ninterface eth3\nmode steer\nrole follower\nutc_offset 37\n"
		"[clock e]\ninterface eth4\nmode steer\nrole reference\nutc_offset 0\n");
	command_is(CHILD_PTP4L, 0, "/usr/sbin/ptp4l -f /run/timesvc/ptp4l-a.conf");
	command_is(CHILD_PHC2SYS, 0, "/usr/sbin/phc2sys -s eth0 -c CLOCK_REALTIME -w "
		"-z /run/timesvc/ptp4l-a.sock -n 3 -m -q");
	command_is(CHILD_PHC2SYS, 1, "/usr/sbin/phc2sys -s CLOCK_REALTIME -c eth1 -w "
		"-z /run/timesvc/ptp4l-b.sock -n 0 --transportSpecific=1 -m -q");
	command_is(CHILD_PHC2SYS, 2, "/usr/sbin/phc2sys -a -rr "
		"-z /run/timesvc/ptp4l-c.sock -n 0 -m -q");
	command_is(CHILD_PHC2SYS, 3, "/usr/sbin/phc2sys -s eth3 -c CLOCK_REALTIME -w -O -37 "
		"-z /run/timesvc/ptp4l-d.sock -n 0 -m -q");
	command_is(CHILD_PHC2SYS, 4, "/usr/sbin/phc2sys -s CLOCK_REALTIME -c eth4 -w -O 0 "
		"-z /run/timesvc/ptp4l-e.sock -n 0 -m -q");
}

static void probes(void **state)
{
	(void)state;
	load("[global]\nprobe_program /opt/timesvc-probe\n[policy]\nhold_limit 2500us\n"
		"[clock a]\ninterface eth0\n"
		"[probe p]\nport dpdk:net_af_packet0\neal --no-huge  -m 128\nlocal_ip 10.0.0.1\n"
		"remote_ip 10.0.0.2\nvlan 7\nrate 500\njson /tmp/p.json\nslices /tmp/p.slices\n"
		"[probe q]\ncommand reflect\nport dpdk:x\nlocal_ip 10.0.0.3\n"
		"remote_ip 10.0.0.4\nudp_port 4000\n");
	command_is(CHILD_PROBE, 0, "/opt/timesvc-probe send --port dpdk:net_af_packet0 "
		"--page /run/timesvc/page --clock a --local-ip 10.0.0.1 --remote-ip 10.0.0.2 --vlan 7 "
		"--udp-port 862 --rate 500 --hold-limit-ms 3 --segment /run/timesvc/probe-p.seg "
		"--name p --json /tmp/p.json --slices /tmp/p.slices -- --no-huge -m 128");
	command_is(CHILD_PROBE, 1, "/opt/timesvc-probe reflect --port dpdk:x "
		"--page /run/timesvc/page --clock a --local-ip 10.0.0.3 --remote-ip 10.0.0.4 "
		"--udp-port 4000 "
		"--segment /run/timesvc/probe-q.seg --name q --");
}

static void names(void **state)
{
	char text[64];

	(void)state;
	load("[clock a]\ninterface eth0\n[probe p]\nport d:x\nlocal_ip 10.0.0.1\nremote_ip 10.0.0.2\n");
	assert_string_equal(confgen_child_name(&s, (struct child_id){ CHILD_PHC2SYS, 0 }, text,
		sizeof(text)), "phc2sys a");
	assert_string_equal(confgen_child_name(&s, (struct child_id){ CHILD_PROBE, 0 }, text,
		sizeof(text)), "probe p");
	assert_string_equal(confgen_mgmt_path(&s, 0, text, sizeof(text)), "/run/timesvc/mgmt-a.sock");
}

static void records_of_children(void **state)
{
	struct child_record r[3];

	(void)state;
	assert_int_equal(children_parse("boot b\nptp4l eth-0 12 345\n"
		"probe p 13 999999999999\n", "b", r, 3), 2);
	assert_int_equal(r[0].kind, CHILD_PTP4L);
	assert_string_equal(r[0].name, "eth-0");
	assert_int_equal(r[0].pid, 12);
	assert_int_equal(r[0].start, 345);
	assert_int_equal(r[1].kind, CHILD_PROBE);
	assert_int_equal(r[1].start, 999999999999);
}

static void records_nobody_should_trust(void **state)
{
	struct child_record r[2];

	(void)state;
	assert_int_equal(children_parse("", "b", r, 2), 0);
	assert_int_equal(children_parse("boot other\nptp4l a 12 345\n", "b", r, 2), 0);
	assert_int_equal(children_parse("ptp4l a 12 345\n", "b", r, 2), 0);
	assert_int_equal(children_parse("boot b\nptp4l a 1 345\nptp4l a -5 345\nptp4l a 0 345\n"
		"sshd a 12 345\nptp4l a 12\nptp4l\n\n", "b", r, 2), 0);
	assert_int_equal(children_parse("boot b\nptp4l a 2 1\nptp4l b 3 1\nptp4l c 4 1\n", "b", r, 2), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_follower_that_is_observed),
		cmocka_unit_test(a_reference_with_options),
		cmocka_unit_test(later_versions_get_their_read_only_socket),
		cmocka_unit_test(a_text_that_does_not_fit),
		cmocka_unit_test(who_is_run),
		cmocka_unit_test(command_lines),
		cmocka_unit_test(probes),
		cmocka_unit_test(names),
		cmocka_unit_test(records_of_children),
		cmocka_unit_test(records_nobody_should_trust),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
