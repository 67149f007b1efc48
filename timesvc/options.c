#include "options.h"

#include <errno.h>
#include <string.h>
#include "nstime.h"
#include "num.h"
#include "option_value.h"
#include "settings.h"

static const char *const section_names[] = { "global", "policy", "clock", "probe" };
static const char *const type_names[] = {
	"text", "name", "path", "address", "IPv4 address", "word", "word", "integer", "integer", "yes/no",
	"duration", "ppb", "text"
};
static const char *const mode_words[] = { "observe", "steer", "adopt", NULL };
static const char *const role_words[] = { "auto", "reference", "follower", NULL };
static const char *const tsc_words[] = { "auto", "assume", "never", NULL };
static const char *const transport_words[] = { "L2", "UDPv4", "UDPv6", NULL };
static const char *const stamping_words[] = { "software", "hardware", NULL };
static const char *const command_words[] = { "send", "reflect", NULL };
static const char *const level_words[] = { "error", "warn", "info", "debug", NULL };

#define AT(type, field)	.offset = offsetof(type, field), .size = sizeof(((type *)0)->field)
#define G(k, field)	.section = SECTION_GLOBAL, .key = k, AT(struct settings, field)
#define P(k, field)	.section = SECTION_POLICY, .key = k, AT(struct policy_settings, field)
#define C(k, field)	.section = SECTION_CLOCK, .key = k, AT(struct clock_settings, field)
#define B(k, field)	.section = SECTION_PROBE, .key = k, AT(struct probe_settings, field)
#define TEXT(default_)	.type = OPTION_TEXT, .preset = default_
#define NAME(default_)	.type = OPTION_NAME, .preset = default_
#define PATH(default_)	.type = OPTION_PATH, .preset = default_
#define ADDRESS(default_) .type = OPTION_ADDRESS, .preset = default_
#define IPV4(default_)	.type = OPTION_IPV4, .preset = default_
#define WORD(set, default_) .type = OPTION_WORD, .words = set, .preset = default_
#define CHOICE(set, default_) .type = OPTION_CHOICE, .words = set, .preset = default_
#define YESNO(default_)	.type = OPTION_BOOL, .preset = default_
#define INT(default_, a, b) .type = OPTION_INT, .preset = default_, .min = a, .max = b
#define INT64(default_, a, b) .type = OPTION_INT64, .preset = default_, .min = a, .max = b
#define SPAN(default_, a, b) .type = OPTION_DURATION, .preset = default_, .min = a, .max = b
#define RATE(default_, a, b) .type = OPTION_PPB, .preset = default_, .min = a, .max = b
#define NONE_TOO	.optional = 1
#define LIVE		.live = 1
#define MS		NS_PER_MS
#define MINUTES		(60 * NS_PER_S)

static const struct option_def table[] = {
	{ G("run_dir", run_dir), PATH("/run/timesvc"),
	  .help = "directory of the trust page, sockets and other run-time files" },
	{ G("user", user), NAME("timesvc"),
	  .help = "user that the engine and the front run as" },
	{ G("http_address", http_address), ADDRESS("127.0.0.1"),
	  .help = "address that /metrics and /status.json are served on" },
	{ G("http_port", http_port), INT("9319", 0, 65535),
	  .help = "port of the same; 0 serves nothing" },
	{ G("log_level", log_level), WORD(level_words, "info"), LIVE,
	  .help = "least important lines that are logged" },
	{ G("ptp4l_program", ptp4l_program), PATH("/usr/sbin/ptp4l"), .help = "the ptp4l to run" },
	{ G("phc2sys_program", phc2sys_program), PATH("/usr/sbin/phc2sys"),
	  .help = "the phc2sys to run" },
	{ G("probe_program", probe_program), PATH(SBINDIR "/timesvc-probe"),
	  .help = "the timesvc-probe to run" },
	{ G("tsc", tsc), CHOICE(tsc_words, "auto"),
	  .help = "use the time stamp counter: if the CPU says it is invariant, in any case, or never" },
	{ G("poll_interval", poll_interval_ns), SPAN("100ms", 10 * MS, 10 * NS_PER_S),
	  .help = "how often ptp4l is asked" },
	{ G("refresh_interval", refresh_interval_ns), SPAN("50ms", MS, NS_PER_S),
	  .help = "how often the trust page is written" },
	{ G("void_after", void_after_ns), SPAN("250ms", 10 * MS, 10 * NS_PER_S), LIVE,
	  .help = "how long readers believe a page that is not written any more" },
	{ G("liveness", liveness_ns), SPAN("1500ms", 100 * MS, MINUTES), LIVE,
	  .help = "a ptp4l silent for this long is restarted" },
	{ G("stop_timeout", stop_timeout_ns), SPAN("1s", 10 * MS, MINUTES), LIVE,
	  .help = "time between SIGTERM and SIGKILL" },
	{ G("stop_children", stop_children), YESNO("no"), LIVE,
	  .help = "stop ptp4l and phc2sys too when the daemon stops" },

	{ P("alarm_offset", alarm_offset_ns), SPAN("30us", 100, 100 * MS), LIVE,
	  .help = "offset that raises the alarm" },
	{ P("alarm_clear", alarm_clear_ns), SPAN("20us", 50, 100 * MS), LIVE,
	  .help = "offset below which the alarm may end" },
	{ P("alarm_clear_time", alarm_clear_time_ns), SPAN("5s", 0, 60 * MINUTES), LIVE,
	  .help = "how long the offset must stay below it" },
	{ P("fallback_bound", fallback_bound_ns), SPAN("100us", 100, NS_PER_S), LIVE,
	  .help = "bound past which only round trips are measured" },
	{ P("recover_bound", recover_bound_ns), SPAN("50us", 100, NS_PER_S), LIVE,
	  .help = "bound below which trust may come back" },
	{ P("recover_time", recover_time_ns), SPAN("5s", 0, 60 * MINUTES), LIVE,
	  .help = "how long the bound must stay below it" },
	{ P("hold_limit", hold_limit_ns), SPAN("5s", 0, 60 * MINUTES), LIVE,
	  .help = "longest silence that is bridged by a growing bound" },
	{ P("reply_timeout", reply_timeout_ns), SPAN("400ms", 10 * MS, 10 * NS_PER_S), LIVE,
	  .help = "ptp4l silent for this long is missing evidence" },
	{ P("growth", growth_ppb), RATE("1ppm", 1, 1000000), LIVE,
	  .help = "wander of the clock allowed beyond its measured rate" },
	{ P("outlier", outlier_ns), SPAN("10us", 100, 100 * MS), LIVE,
	  .help = "a reading this far off waits for the next one to confirm it" },
	{ P("settle_syncs", settle_syncs), INT64("16", 1, 1000), LIVE,
	  .help = "good Syncs needed before a clock is trusted" },

	{ C("interface", interface), NAME(NULL), .help = "network interface of the PTP port" },
	{ C("mode", mode), CHOICE(mode_words, "observe"),
	  .help = "run ptp4l without steering, run it and steer, or watch one that others run" },
	{ C("role", role), CHOICE(role_words, "auto"),
	  .help = "whether this clock gives time, follows, or what ptp4l elects" },
	{ C("transport", transport), WORD(transport_words, "UDPv4"), .help = "how PTP is carried" },
	{ C("time_stamping", time_stamping), WORD(stamping_words, "hardware"),
	  .help = "who stamps PTP frames: the NIC or the kernel" },
	{ C("domain", domain), INT("0", 0, 127), .help = "PTP domain" },
	{ C("transport_specific", transport_specific), INT("0", 0, 15),
	  .help = "transportSpecific field of PTP headers" },
	{ C("ptp4l_socket", ptp4l_socket), PATH(NULL),
	  .help = "management socket of ptp4l; in run_dir, or /var/run/ptp4l in adopt mode, unless set" },
	{ C("upstream_budget", upstream_budget_ns), SPAN("none", 0, NS_PER_S), NONE_TOO, LIVE,
	  .help = "error allowed for the hops above the parent" },
	{ C("port_budget", port_budget_ns), SPAN("0", 0, NS_PER_S), LIVE,
	  .help = "error allowed between two ports of the parent" },
	{ C("utc_offset", utc_offset), INT("none", 0, 255), NONE_TOO, LIVE,
	  .help = "seconds by which PTP time is ahead of UTC, where ptp4l does not know" },
	{ .section = SECTION_CLOCK, .key = "ptp4l.*", .type = OPTION_PTP4L, LIVE,
	  .help = "passed on to the generated ptp4l.conf: ptp4l.logSyncInterval -4" },

	{ B("clock", clock), NAME(NULL), .help = "clock whose page the probe uses; the first unless set" },
	{ B("command", command), WORD(command_words, "send"), .help = "send probes or reflect them" },
	{ B("port", port), TEXT(NULL), .help = "port to use: kernel:IFNAME or dpdk:NAME" },
	{ B("eal", eal), TEXT(NULL), LIVE, .help = "DPDK's own arguments, split at blanks" },
	{ B("local_ip", local_ip), IPV4(NULL), LIVE, .help = "address of this end" },
	{ B("remote_ip", remote_ip), IPV4(NULL), LIVE, .help = "address of the reflector" },
	{ B("vlan", vlan), INT("none", 1, 4094), NONE_TOO, LIVE, .help = "VLAN of the probe's frames" },
	{ B("udp_port", udp_port), INT("862", 1, 65535), LIVE, .help = "UDP port of the reflector" },
	{ B("rate", rate), INT64("1000", 1, 1000000), LIVE, .help = "probes per second" },
	{ B("json", json), PATH(NULL), LIVE, .help = "file that the probe's last report goes to" },
	{ B("slices", slices), PATH(NULL), LIVE, .help = "file that every decided slice goes to" },
};

const char *option_section_name(enum option_section section)
{
	return section_names[section];
}

int option_section_find(const char *kind, enum option_section *section)
{
	for (int i = 0; i < SECTION_COUNT; i++) {
		if (!strcmp(kind, section_names[i])) {
			*section = i;
			return 0;
		}
	}
	return -EINVAL;
}

const struct option_def *option_table(size_t *count)
{
	*count = sizeof(table) / sizeof(table[0]);
	return table;
}

static int key_matches(const struct option_def *o, const char *key)
{
	if (o->type == OPTION_PTP4L)
		return !strncmp(key, "ptp4l.", 6);
	return !strcmp(key, o->key);
}

const struct option_def *option_find(enum option_section section, const char *key)
{
	size_t count;
	const struct option_def *o = option_table(&count);

	for (size_t i = 0; i < count; i++)
		if (o[i].section == section && key_matches(&o[i], key))
			return &o[i];
	return NULL;
}

void option_presets(enum option_section section, void *base)
{
	size_t count;
	const struct option_def *o = option_table(&count);

	for (size_t i = 0; i < count; i++)
		if (o[i].section == section && o[i].preset)
			option_set(&o[i], base, o[i].key, o[i].preset, NULL);
}

void option_list(FILE *out)
{
	size_t count;
	const struct option_def *o = option_table(&count);
	char range[128];

	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", section_names[o[i].section], o[i].key,
			type_names[o[i].type], o[i].preset ? o[i].preset : "-",
			option_range(&o[i], range, sizeof(range)), o[i].live ? "yes" : "no", o[i].help);
}
