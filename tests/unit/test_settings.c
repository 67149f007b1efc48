#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "timesvc/settings.h"

static struct settings s, t;

#define CLOCK "[clock a]\ninterface eth0\n"

static void good(struct settings *out, const char *text)
{
	struct err e = { 0 };

	if (settings_parse(out, "t.conf", text, strlen(text), &e))
		fail_msg("%s", e.msg);
}

static void bad(const char *text, const char *sentence)
{
	struct err e = { 0 };

	assert_int_equal(settings_parse(&t, "t.conf", text, strlen(text), &e), -EINVAL);
	assert_string_equal(e.msg, sentence);
}

static void a_small_file(void **state)
{
	char path[128];

	(void)state;
	good(&s, CLOCK);
	assert_int_equal(s.clock_count, 1);
	assert_int_equal(s.probe_count, 0);
	assert_string_equal(s.clocks[0].name, "a");
	assert_string_equal(s.clocks[0].interface, "eth0");
	assert_string_equal(s.clocks[0].ptp4l_socket, "/run/timesvc/ptp4l-a.sock");
	assert_int_equal(s.clocks[0].served_shift_ns, 0);
	assert_int_equal(s.policy.alarm_offset_ns, 30000);
	assert_string_equal(settings_page_path(&s, path, sizeof(path)), "/run/timesvc/page");
}

static void a_full_file(void **state)
{
	char path[128];

	(void)state;
	good(&s, "[global]\nrun_dir /tmp/x\nhttp_port 0\n[policy]\ngrowth 500ppb\n"
		"[clock a]\ninterface eth0\nmode steer\nrole reference\n"
		"ptp4l.egressLatency 120000\nptp4l.ingressLatency -120000\n"
		"[clock b]\nmode adopt\ntime_stamping software\nupstream_budget 3us\n"
		"[probe p]\nport dpdk:net_af_packet0\nlocal_ip 10.0.0.1\nremote_ip 10.0.0.2\nvlan 7\n"
		"[probe q]\ncommand reflect\nclock b\nport dpdk:x\nlocal_ip 10.0.0.3\nremote_ip 10.0.0.4\n");
	assert_int_equal(s.http_port, 0);
	assert_int_equal(s.policy.growth_ppb, 500);
	assert_int_equal(s.clocks[0].mode, MODE_STEER);
	assert_int_equal(s.clocks[0].role, ROLE_REFERENCE);
	assert_int_equal(s.clocks[0].served_shift_ns, 120000);
	assert_string_equal(s.clocks[1].ptp4l_socket, "/var/run/ptp4l");
	assert_int_equal(s.clocks[1].upstream_budget_ns, 3000);
	assert_string_equal(s.probes[0].clock, "a");
	assert_string_equal(s.probes[0].command, "send");
	assert_int_equal(s.probes[0].vlan, 7);
	assert_string_equal(s.probes[1].clock, "b");
	assert_string_equal(settings_segment_path(&s, 1, path, sizeof(path)), "/tmp/x/probe-q.seg");
}

static void served_shift_is_half_the_difference(void **state)
{
	(void)state;
	good(&s, CLOCK "ptp4l.egressLatency 100\n");
	assert_int_equal(s.clocks[0].served_shift_ns, 50);
	good(&s, CLOCK "ptp4l.ingressLatency 2147483647\nptp4l.egressLatency -2147483648\n");
	assert_int_equal(s.clocks[0].served_shift_ns, -INT64_C(4294967295) / 2);
	bad(CLOCK "ptp4l.egressLatency 1us\n", "t.conf:3:21: key 'ptp4l.egressLatency': "
		"not nanoseconds (allowed: -2147483648 to 2147483647)");
}

static void places_of_errors(void **state)
{
	(void)state;
	bad("", "t.conf:1:1: there is no clock (allowed: 1 to 8 [clock NAME] sections)");
	bad("[global]\nbogus 1\n", "t.conf:2:1: key 'bogus': unknown in [global]");
	bad("[global]\n\n  http_port   70000\n",
		"t.conf:3:15: key 'http_port': '70000' is out of range (allowed: 0 to 65535)");
	bad("[globe]\n", "t.conf:1:1: section [globe]: unknown "
		"(allowed: global, policy, clock NAME, probe NAME)");
	bad("[clock]\ninterface eth0\n", "t.conf:1:1: section [clock] needs a name: [clock NAME]");
	bad("[policy x]\ngrowth 1ppm\n", "t.conf:1:1: section [policy] takes no name");
	bad("[clock a/b]\n", "t.conf:1:1: section name 'a/b': not a name "
		"(allowed: letters, digits, '_', '.', '-')");
	bad("[clock .a]\n", "t.conf:1:1: section name '.a': not a name "
		"(allowed: letters, digits, '_', '.', '-')");
	bad("[clock abcdefghijklmnopqrstuvwxyz0123456]\n",
		"t.conf:1:1: section name 'abcdefghijklmnopqrstuvwxyz0123456': "
		"too long (allowed: up to 31 characters)");
	bad("[clock a]\nmode observe\n",
		"t.conf:1:1: key 'interface': missing (needed unless mode is adopt)");
	bad("[clock a]\nmode adopt\nptp4l.priority1 1\n",
		"t.conf:1:1: key 'ptp4l.priority1': useless in adopt mode, where others run ptp4l");
}

static void relations_between_keys(void **state)
{
	(void)state;
	bad(CLOCK "[policy]\nalarm_clear 30us\n", "t.conf:4:13: key 'alarm_clear': "
		"not below alarm_offset (allowed: less than alarm_offset)");
	bad(CLOCK "[policy]\nalarm_offset 20us\n", "t.conf:3:1: key 'alarm_clear': "
		"not below alarm_offset (allowed: less than alarm_offset)");
	bad(CLOCK "[policy]\nrecover_bound 101us\n", "t.conf:4:15: key 'recover_bound': "
		"above fallback_bound (allowed: up to fallback_bound)");
	good(&s, CLOCK "[policy]\nrecover_bound 100us\n");
	bad(CLOCK "[policy]\nreply_timeout 99ms\n", "t.conf:4:15: key 'reply_timeout': "
		"below poll_interval (allowed: poll_interval and more)");
	bad(CLOCK "[global]\nliveness 300ms\n", "t.conf:4:10: key 'liveness': "
		"below reply_timeout (allowed: reply_timeout and more)");
	bad(CLOCK "[global]\nrefresh_interval 200ms\n", "t.conf:3:1: key 'void_after': "
		"below two refresh intervals (allowed: 2 * refresh_interval and more)");
	bad(CLOCK "[global]\nrun_dir /a23456789012345678901234567890123456789012345678901234567890\n",
		"t.conf:4:9: key 'run_dir': too long for the sockets in it (allowed: up to 60 characters)");
}

static void clocks_and_probes_fit_together(void **state)
{
	(void)state;
	bad("[clock a]\nmode adopt\ntime_stamping software\n"
		"[clock b]\nmode adopt\ntime_stamping software\n", "t.conf:4:1: key 'ptp4l_socket': "
		"the same as another clock's (allowed: one ptp4l per clock)");
	bad("[clock a]\nmode adopt\n", "t.conf:1:1: key 'interface': "
		"missing (needed with time_stamping hardware: its hardware clock is read)");
	bad("[clock system]\ninterface eth0\n", "t.conf:1:1: "
		"the name 'system' is taken by the page's record of CLOCK_REALTIME");
	bad(CLOCK "mode steer\nutc_offset 37\n", "t.conf:4:12: key 'utc_offset': "
		"phc2sys cannot be told without a role (allowed: with role reference or follower)");
	bad(CLOCK "[probe p]\nclock z\n", "t.conf:4:7: key 'clock': "
		"there is no [clock] section of that name");
	bad(CLOCK "[probe p]\nlocal_ip 10.0.0.1\n",
	    "t.conf:3:1: key 'port': missing (allowed: kernel:IFNAME, dpdk:NAME)");
	bad(CLOCK "[probe p]\nport eth0\n",
	    "t.conf:4:6: key 'port': no such port (allowed: kernel:IFNAME, dpdk:NAME)");
	bad(CLOCK "[probe p]\nport dpdk:x\nlocal_ip 10.0.0.1\n",
		"t.conf:3:1: key 'remote_ip': missing");
	bad(CLOCK "[probe p]\ncommand reflect\nport dpdk:x\nlocal_ip 10.0.0.1\nremote_ip 10.0.0.2\n"
		"slices /x\n", "t.conf:8:8: key 'slices': a reflector has none (allowed: with command send)");
	bad(CLOCK "[probe p]\nport dpdk:x\nlocal_ip 10.0.0.1\nremote_ip 10.0.0.1\n",
		"t.conf:6:11: key 'remote_ip': the same as local_ip");
	bad(CLOCK "[probe p]\nlocal_ip ::1\n", "t.conf:4:10: key 'local_ip': "
		"'::1' is not an address (allowed: IPv4)");
	bad(CLOCK "[clock a]\ninterface eth1\n", "t.conf:3:1: section [clock a] again, first in line 1");
}

static void too_many_clocks(void **state)
{
	char text[1024];
	size_t used = 0;

	(void)state;
	for (int i = 0; i < CLOCKS_MAX; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
			"[clock c%d]\ninterface e%d\n", i, i);
	good(&s, text);
	assert_int_equal(s.clock_count, 8);
	strcat(text, "[clock d]\ninterface e9\n");
	bad(text, "t.conf:17:1: too many [clock] sections (allowed: up to 8)");
}

static void stays(const char *now, const char *next, const char *sentence)
{
	struct err e = { 0 };

	good(&s, now);
	good(&t, next);
	assert_int_equal(settings_reloadable(&s, &t, &e), sentence ? -EINVAL : 0);
	if (sentence)
		assert_string_equal(e.msg, sentence);
}

static void what_a_reload_may_change(void **state)
{
	(void)state;
	stays(CLOCK, CLOCK, NULL);
	stays(CLOCK, CLOCK "ptp4l.logSyncInterval -3\n[policy]\nalarm_offset 40us\n"
		"[global]\nstop_children yes\n", NULL);
	stays(CLOCK, CLOCK "[global]\nhttp_port 1\n",
		"key 'http_port' in [global] cannot change while timesvcd runs");
	stays(CLOCK, CLOCK "domain 1\n", "key 'domain' in [clock a] cannot change while timesvcd runs");
	stays(CLOCK, "[clock b]\ninterface eth0\n", "clock 'a' cannot become 'b' while timesvcd runs");
	stays(CLOCK, CLOCK "[clock b]\ninterface eth1\n",
		"clocks and probes cannot come or go while timesvcd runs");
	/* A shorter text leaves nothing of the longer one behind. */
	stays("[global]\nrun_dir /run/timesvc\n" CLOCK, CLOCK, NULL);
}

static void files(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(settings_load(&s, "/nonexistent/timesvc.conf", &e), -ENOENT);
	assert_string_equal(e.msg, "cannot open /nonexistent/timesvc.conf: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_small_file),
		cmocka_unit_test(a_full_file),
		cmocka_unit_test(served_shift_is_half_the_difference),
		cmocka_unit_test(places_of_errors),
		cmocka_unit_test(relations_between_keys),
		cmocka_unit_test(clocks_and_probes_fit_together),
		cmocka_unit_test(too_many_clocks),
		cmocka_unit_test(what_a_reload_may_change),
		cmocka_unit_test(files),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
