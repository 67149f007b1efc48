#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "timesvc/options.h"
#include "timesvc/settings.h"

static const struct option_def *def(enum option_section section, const char *key)
{
	const struct option_def *o = option_find(section, key);

	assert_non_null(o);
	return o;
}

static void refuses(enum option_section section, void *base, const char *key, const char *value,
	const char *sentence)
{
	struct err e = { 0 };

	assert_int_equal(option_set(def(section, key), base, key, value, &e), -EINVAL);
	assert_string_equal(e.msg, sentence);
}

static void every_row_is_sound(void **state)
{
	size_t count;
	const struct option_def *o = option_table(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		assert_true(o[i].section < SECTION_COUNT);
		assert_non_null(o[i].key);
		assert_non_null(o[i].help);
		assert_null(strchr(o[i].help, '\t'));
		assert_true(o[i].type == OPTION_PTP4L || o[i].size > 0);
		assert_true((o[i].type == OPTION_WORD || o[i].type == OPTION_CHOICE) == !!o[i].words);
		assert_ptr_equal(option_find(o[i].section, o[i].key), &o[i]);
		if (o[i].type >= OPTION_DURATION && o[i].type <= OPTION_PPB)
			assert_true(o[i].min < o[i].max && o[i].size == sizeof(int64_t));
	}
}

static void every_preset_is_allowed(void **state)
{
	static struct settings s;	/* as large as any section's struct */
	size_t count;
	const struct option_def *o = option_table(&count);
	struct err e = { 0 };

	(void)state;
	for (size_t i = 0; i < count; i++) {
		if (!o[i].preset)
			continue;
		if (option_set(&o[i], &s, o[i].key, o[i].preset, &e))
			fail_msg("%s: %s", o[i].key, e.msg);
	}
}

static void presets_reach_their_fields(void **state)
{
	static struct settings s;
	struct clock_settings c = { 0 };
	struct probe_settings p = { 0 };

	(void)state;
	option_presets(SECTION_GLOBAL, &s);
	option_presets(SECTION_POLICY, &s.policy);
	option_presets(SECTION_CLOCK, &c);
	option_presets(SECTION_PROBE, &p);
	assert_string_equal(s.run_dir, "/run/timesvc");
	assert_string_equal(s.user, "timesvc");
	assert_int_equal(s.poll_interval_ns, 100000000);
	assert_int_equal(s.refresh_interval_ns, 50000000);
	assert_int_equal(s.void_after_ns, 250000000);
	assert_int_equal(s.liveness_ns, 1500000000);
	assert_int_equal(s.stop_timeout_ns, 1000000000);
	assert_int_equal(s.stop_children, 0);
	assert_int_equal(s.policy.alarm_offset_ns, 30000);
	assert_int_equal(s.policy.alarm_clear_ns, 20000);
	assert_int_equal(s.policy.alarm_clear_time_ns, 5000000000);
	assert_int_equal(s.policy.fallback_bound_ns, 100000);
	assert_int_equal(s.policy.recover_bound_ns, 50000);
	assert_int_equal(s.policy.recover_time_ns, 5000000000);
	assert_int_equal(s.policy.hold_limit_ns, 5000000000);
	assert_int_equal(s.policy.reply_timeout_ns, 400000000);
	assert_int_equal(s.policy.growth_ppb, 1000);
	assert_int_equal(s.policy.outlier_ns, 10000);
	assert_int_equal(s.policy.settle_syncs, 16);
	assert_int_equal(c.mode, MODE_OBSERVE);
	assert_int_equal(c.role, ROLE_AUTO);
	assert_string_equal(c.transport, "UDPv4");
	assert_string_equal(c.time_stamping, "hardware");
	assert_int_equal(c.upstream_budget_ns, -1);
	assert_int_equal(p.vlan, -1);
	assert_int_equal(p.udp_port, 862);
	assert_int_equal(p.rate, 1000);
}

static void numbers_at_their_limits(void **state)
{
	static struct settings s;
	struct clock_settings c = { 0 };

	(void)state;
	assert_int_equal(option_set(def(SECTION_CLOCK, "domain"), &c, "domain", "127", NULL), 0);
	assert_int_equal(c.domain, 127);
	refuses(SECTION_CLOCK, &c, "domain", "128", "'128' is out of range (allowed: 0 to 127)");
	refuses(SECTION_CLOCK, &c, "domain", "-1", "'-1' is out of range (allowed: 0 to 127)");
	refuses(SECTION_CLOCK, &c, "domain", "1x", "'1x' is not a whole number (allowed: 0 to 127)");
	assert_int_equal(c.domain, 127);
	refuses(SECTION_POLICY, &s.policy, "alarm_offset", "99ns",
		"'99ns' is out of range (allowed: 100ns to 100ms)");
	refuses(SECTION_POLICY, &s.policy, "alarm_offset", "30",
		"'30' is not a duration with a unit (allowed: 100ns to 100ms)");
	assert_int_equal(option_set(def(SECTION_POLICY, "alarm_offset"), &s.policy, "alarm_offset",
		"100ms", NULL), 0);
	assert_int_equal(s.policy.alarm_offset_ns, 100000000);
	refuses(SECTION_POLICY, &s.policy, "growth", "1001ppm",
		"'1001ppm' is out of range (allowed: 1ppb to 1000ppm)");
	refuses(SECTION_POLICY, &s.policy, "growth", "1",
		"'1' is not a rate in ppb or ppm (allowed: 1ppb to 1000ppm)");
	refuses(SECTION_GLOBAL, &s, "stop_children", "perhaps", "'perhaps' is neither (allowed: yes|no)");
}

static void none_where_it_is_allowed(void **state)
{
	struct clock_settings c = { .upstream_budget_ns = 5 };
	struct probe_settings p = { .vlan = 5 };

	(void)state;
	assert_int_equal(option_set(def(SECTION_CLOCK, "upstream_budget"), &c, "", "none", NULL), 0);
	assert_int_equal(c.upstream_budget_ns, -1);
	assert_int_equal(option_set(def(SECTION_PROBE, "vlan"), &p, "", "none", NULL), 0);
	assert_int_equal(p.vlan, -1);
	refuses(SECTION_PROBE, &p, "vlan", "0", "'0' is out of range (allowed: 1 to 4094, or none)");
	refuses(SECTION_PROBE, &p, "rate", "none", "'none' is not a whole number (allowed: 1 to 1000000)");
}

static void texts(void **state)
{
	static struct settings s;
	struct clock_settings c = { 0 };
	struct probe_settings p = { 0 };

	(void)state;
	refuses(SECTION_CLOCK, &c, "mode", "watch", "'watch' is not known (allowed: observe|steer|adopt)");
	refuses(SECTION_CLOCK, &c, "transport", "l2", "'l2' is not known (allowed: L2|UDPv4|UDPv6)");
	refuses(SECTION_CLOCK, &c, "interface", "eth0]",
		"'eth0]' is not a name (allowed: letters, digits, '_', '.', '-')");
	assert_int_equal(option_set(def(SECTION_CLOCK, "interface"), &c, "", "enp3s0f0np0.100", NULL), 0);
	refuses(SECTION_CLOCK, &c, "interface", "enp3s0f0np0.1000",
		"too long (allowed: up to 15 characters)");
	assert_string_equal(c.interface, "enp3s0f0np0.100");
	refuses(SECTION_GLOBAL, &s, "run_dir", "run", "'run' is not an absolute path (allowed: /…)");
	refuses(SECTION_PROBE, &p, "local_ip", "10.0.0", "'10.0.0' is not an address (allowed: IPv4)");
	refuses(SECTION_PROBE, &p, "local_ip", "::1", "'::1' is not an address (allowed: IPv4)");
	assert_int_equal(option_set(def(SECTION_PROBE, "local_ip"), &p, "", "10.100.200.201", NULL), 0);
	assert_string_equal(p.local_ip, "10.100.200.201");
	assert_int_equal(option_set(def(SECTION_PROBE, "local_ip"), &p, "", "10.0.0.1", NULL), 0);
	assert_memory_equal(p.local_ip, "10.0.0.1\0\0\0\0\0\0", 15);
	refuses(SECTION_GLOBAL, &s, "http_address", "*", "'*' is not an address (allowed: IPv4 or IPv6)");
	assert_int_equal(option_set(def(SECTION_GLOBAL, "http_address"), &s, "", "::1", NULL), 0);
	assert_string_equal(s.http_address, "::1");
}

static void ptp4l_options_pass(void **state)
{
	struct clock_settings c = { 0 };
	char long_value[100];

	(void)state;
	assert_int_equal(option_set(def(SECTION_CLOCK, "ptp4l.logSyncInterval"), &c,
		"ptp4l.logSyncInterval", "-4", NULL), 0);
	assert_int_equal(c.ptp4l_count, 1);
	assert_string_equal(c.ptp4l[0].key, "logSyncInterval");
	assert_string_equal(c.ptp4l[0].value, "-4");
	refuses(SECTION_CLOCK, &c, "ptp4l.domainNumber", "3", "generated by timesvc; use the key 'domain'");
	refuses(SECTION_CLOCK, &c, "ptp4l.uds_address", "/x",
		"generated by timesvc; use the key 'ptp4l_socket'");
	refuses(SECTION_CLOCK, &c, "ptp4l.clientOnly", "1", "generated by timesvc; use the key 'role'");
	refuses(SECTION_CLOCK, &c, "ptp4l.", "1", "the name of the ptp4l option is missing");
	refuses(SECTION_CLOCK, &c, "ptp4l.a[b", "1", "not the name of a ptp4l option");
	memset(long_value, 'a', sizeof(long_value) - 1);
	long_value[sizeof(long_value) - 1] = '\0';
	refuses(SECTION_CLOCK, &c, "ptp4l.tag", long_value, "too long (allowed: up to 79 characters)");
	assert_int_equal(c.ptp4l_count, 1);
	for (int i = 1; i < PTP4L_OPTIONS_MAX; i++)
		assert_int_equal(option_set(def(SECTION_CLOCK, "ptp4l.x"), &c, "ptp4l.x", "1", NULL), 0);
	refuses(SECTION_CLOCK, &c, "ptp4l.x", "1", "too many ptp4l options (allowed: up to 64)");
	assert_null(option_find(SECTION_GLOBAL, "ptp4l.logSyncInterval"));
}

static void the_list_has_seven_columns(void **state)
{
	char *text = NULL, *rest, *line;
	size_t len = 0, count, lines = 0;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	assert_non_null(f);
	option_list(f);
	fclose(f);
	assert_non_null(strstr(text, "policy\talarm_offset\tduration\t30us\t100ns to 100ms\tyes\t"));
	assert_non_null(strstr(text, "clock\tmode\tword\tobserve\tobserve|steer|adopt\tno\t"));
	assert_non_null(strstr(text, "clock\tptp4l.*\ttext\t-\t-\tyes\t"));
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		int tabs = 0;

		for (const char *p = line; *p; p++)
			tabs += *p == '\t';
		assert_int_equal(tabs, 6);
		lines++;
	}
	option_table(&count);
	assert_int_equal(lines, count);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_sound),
		cmocka_unit_test(every_preset_is_allowed),
		cmocka_unit_test(presets_reach_their_fields),
		cmocka_unit_test(numbers_at_their_limits),
		cmocka_unit_test(none_where_it_is_allowed),
		cmocka_unit_test(texts),
		cmocka_unit_test(ptp4l_options_pass),
		cmocka_unit_test(the_list_has_seven_columns),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
