#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "probe/eal_args.h"
#include "probe/options.h"

#define WORDS_MAX 64
#define GOOD "--port dpdk:net0 --local-ip 10.0.0.1 --remote-ip 10.0.0.2 "

static char text[1024];
static char *words[WORDS_MAX + 1];

/* Splits at blanks. */
static int split(const char *line)
{
	char *save, *word;
	int n = 0;

	assert_true(strlen(line) < sizeof(text));
	strcpy(text, line);
	for (word = strtok_r(text, " ", &save); word && n < WORDS_MAX; word = strtok_r(NULL, " ", &save))
		words[n++] = word;
	words[n] = NULL;
	return n;
}

static int parse(const char *line, struct options *o, struct err *e)
{
	int n = split(line);

	return options_parse(o, n, words, e);
}

static void test_defaults(void **state)
{
	struct options o;
	struct err e;

	(void)state;
	assert_int_equal(parse("probe send " GOOD, &o, &e), 0);
	assert_int_equal(o.reflect, 0);
	assert_string_equal(o.port, "dpdk:net0");
	assert_int_equal(o.local_ip, 0x0a000001);
	assert_int_equal(o.remote_ip, 0x0a000002);
	assert_int_equal(o.vlan, 0);
	assert_int_equal(o.udp_port, 862);
	assert_int_equal(o.rate, 1000);
	assert_int_equal(o.count, 0);
	assert_int_equal(o.seconds, 0);
	assert_int_equal(o.hold_limit_ms, 5000);
	assert_string_equal(o.name, "send");
	assert_null(o.page);
	assert_null(o.json);
	assert_int_equal(o.port_argc, 0);
}

static void test_everything(void **state)
{
	struct options o;
	struct err e;

	(void)state;
	assert_int_equal(parse("probe send " GOOD "--vlan=7 --udp-port 9000 --rate 250 --count 5 --seconds 6 "
			       "--page /p --clock c --hold-limit-ms 70 --segment /s --name n --json /j "
			       "--slices /l --isolated -- --no-huge -m 64", &o, &e), 0);
	assert_int_equal(o.vlan, 7);
	assert_int_equal(o.udp_port, 9000);
	assert_int_equal(o.rate, 250);
	assert_int_equal(o.count, 5);
	assert_int_equal(o.seconds, 6);
	assert_string_equal(o.page, "/p");
	assert_string_equal(o.clock, "c");
	assert_int_equal(o.hold_limit_ms, 70);
	assert_string_equal(o.segment, "/s");
	assert_string_equal(o.name, "n");
	assert_string_equal(o.json, "/j");
	assert_string_equal(o.slices, "/l");
	assert_int_equal(o.isolated, 1);
	assert_int_equal(o.port_argc, 3);
	assert_string_equal(o.port_argv[2], "64");
}

static void test_reflect_and_help(void **state)
{
	struct options o;
	struct err e;

	(void)state;
	assert_int_equal(parse("probe reflect " GOOD "--", &o, &e), 0);
	assert_int_equal(o.reflect, 1);
	assert_string_equal(o.name, "reflect");
	assert_int_equal(o.port_argc, 0);
	assert_int_equal(parse("probe --help", &o, &e), 0);
	assert_int_equal(o.help, 1);
	assert_int_equal(parse("probe send --version", &o, &e), 0);
	assert_int_equal(o.version, 1);
}

/* Each complaint names what it is about. */
static void test_refused(void **state)
{
	static const struct { const char *line, *names; } bad[] = {
		{ "probe", "reflect" },
		{ "probe receive " GOOD, "\"receive\"" },
		{ "probe " GOOD, "first" },
		{ "probe send --local-ip 10.0.0.1 --remote-ip 10.0.0.2", "--port" },
		{ "probe send --port dpdk:x --local-ip 10.0.0.1", "--remote-ip" },
		{ "probe send --port dpdk:x --local-ip 10.0.0.1 --remote-ip 10.0.0.1", "the same" },
		{ "probe send " GOOD "--bogus", "--bogus" },
		{ "probe send " GOOD "extra", "\"extra\"" },
		{ "probe send " GOOD "--rate", "--rate" },
		{ "probe send " GOOD "--rate 0", "--rate" },
		{ "probe send " GOOD "--rate 1000001", "1000000" },
		{ "probe send " GOOD "--rate 10x", "--rate" },
		{ "probe send " GOOD "--vlan 4095", "4094" },
		{ "probe send " GOOD "--udp-port 65536", "65535" },
		{ "probe send " GOOD "--count -1", "--count" },
		{ "probe send " GOOD "--json=", "--json" },
		{ "probe send " GOOD "--isolated=yes", "--isolated" },
		{ "probe send " GOOD "--local-ip 10.0.0", "--local-ip" },
		{ "probe reflect " GOOD "--rate 5", "--rate" },
		{ "probe reflect " GOOD "--slices /x", "--slices" },
		{ "probe send " GOOD "--name 12345678901234567890123456789012", "--name" },
	};
	struct options o;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err e = { 0 };

		assert_int_equal(parse(bad[i].line, &o, &e), -EINVAL);
		if (!strstr(e.msg, bad[i].names))
			fail_msg("\"%s\" says \"%s\"", bad[i].line, e.msg);
	}
}

/* What DPDK is started with. */

static void join(const struct eal_args *args, char *out, size_t size)
{
	*out = '\0';
	for (int i = 0; i < args->count; i++) {
		strncat(out, args->argv[i], size - strlen(out) - 1);
		strncat(out, " ", size - strlen(out) - 1);
	}
}

static void assert_args(const char *line, const char *present, const char *absent)
{
	struct eal_args args;
	struct err e;
	char joined[8192];
	int n = split(line);

	assert_int_equal(eal_args_make(&args, n, words, &e), 0);
	assert_string_equal(args.argv[0], "timesvc-probe");
	assert_null(args.argv[args.count]);
	join(&args, joined, sizeof(joined));
	if (present && !strstr(joined, present))
		fail_msg("no \"%s\" in \"%s\"", present, joined);
	if (absent && strstr(joined, absent))
		fail_msg("\"%s\" in \"%s\"", absent, joined);
}

static void test_eal_args(void **state)
{
	(void)state;
	assert_args("", " --in-memory ", "--no-shconf");
	assert_args("--no-huge", " --no-shconf ", "--in-memory");
	assert_args("--file-prefix x", "--file-prefix x ", "--in-memory");
	assert_args("", " --no-telemetry ", NULL);
	assert_args("--telemetry", NULL, "--no-telemetry");
	assert_args("", " --lcores 0@(", NULL);
	assert_args("-l 3", " -l 3 ", "--lcores");
	assert_args("--log-level 8", "--lcores", NULL);
	assert_args("-m 64 --no-pci", " -m 64 --no-pci ", NULL);
}

static void test_eal_args_too_many(void **state)
{
	struct eal_args args;
	struct err e;
	char *many[EAL_ARGS_MAX];
	char word[] = "-v";

	(void)state;
	for (int i = 0; i < EAL_ARGS_MAX; i++)
		many[i] = word;
	assert_int_equal(eal_args_make(&args, EAL_ARGS_MAX - 5, many, &e), 0);
	assert_true(args.count <= EAL_ARGS_MAX);
	assert_int_equal(eal_args_make(&args, EAL_ARGS_MAX - 4, many, &e), -E2BIG);
}

static void test_iface(void **state)
{
	static const struct { const char *line; const char *iface; } cases[] = {
		{ "--vdev=net_af_packet0,iface=veth-a", "veth-a" },
		{ "--no-pci --vdev net_af_packet0,blocksz=4096,iface=eth0,framecnt=8", "eth0" },
		{ "--vdev=net_af_packet1,iface=veth-a", NULL },
		{ "--vdev=net_af_packet0", NULL },
		{ "--vdev=net_af_packet0,iface=", NULL },
		{ "--vdev=net_af_packet0,iface=a23456789012345b", NULL },
		{ "", NULL },
	};
	char iface[16];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int n = split(cases[i].line);
		int found = eal_args_iface("net_af_packet0", n, words, iface, sizeof(iface));

		assert_int_equal(found, cases[i].iface != NULL);
		if (found)
			assert_string_equal(iface, cases[i].iface);
	}
	split("--vdev=net_tap0,iface=x");
	assert_int_equal(eal_args_iface("net_tap0", 1, words, iface, sizeof(iface)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_everything),
		cmocka_unit_test(test_reflect_and_help),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_eal_args),
		cmocka_unit_test(test_eal_args_too_many),
		cmocka_unit_test(test_iface),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
