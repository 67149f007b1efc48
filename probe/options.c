#include "options.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include "ether.h"
#include "num.h"
#include "stamp.h"

#define NAME_MAX_LEN 31

/* Each option once: how it is read, where to, and how it is explained. */
enum kind { FLAG, TEXT, ADDRESS, CARRIER, NUMBER, SMALL };
static const struct option_row {
	const char *name;
	enum kind kind;
	size_t to;
	int64_t min, max;	/* NUMBER, SMALL */
	int sender_only;
	const char *value, *help;
} rows[] = {
#define TO(field) offsetof(struct options, field)
	{ "port", TEXT, TO(port), 0, 0, 0, "KIND:NAME",
	  "kernel:IFNAME, or dpdk:NAME as DPDK names it (net_af_packet0)" },
	{ "local-ip", ADDRESS, TO(local_ip), 0, 0, 0, "A", "this end's IPv4 address, not the kernel's" },
	{ "remote-ip", ADDRESS, TO(remote_ip), 0, 0, 0, "B", "the far end's IPv4 address" },
	{ "vlan", SMALL, TO(vlan), 1, 4094, 0, "N", "tag frames with this VLAN (default: untagged)" },
	{ "udp-port", SMALL, TO(udp_port), 1, 65535, 0, "N", "the reflector's UDP port (default 862)" },
	{ "carrier", CARRIER, TO(carrier), 0, 0, 1, "udp|l2-ptp|auto",
	  "what probes travel in (default auto: what brings hardware stamps, else udp)" },
	{ "rate", NUMBER, TO(rate), 1, 1000000, 1, "N", "probes a second (default 1000)" },
	{ "count", NUMBER, TO(count), 1, INT64_C(1000000000000), 1, "N", "stop after this many probes" },
	{ "seconds", NUMBER, TO(seconds), 1, 31536000, 0, "S", "stop after this time" },
	{ "page", TEXT, TO(page), 0, 0, 0, "PATH", "the trust page (default: as libtimesvc finds it)" },
	{ "clock", TEXT, TO(clock), 0, 0, 0, "NAME", "the clock on the page (default: the first)" },
	{ "hold-limit-ms", NUMBER, TO(hold_limit_ms), 1, 3600000, 1, "N",
	  "how long a sample may wait to be vouched for (default 5000)" },
	{ "segment", TEXT, TO(segment), 0, 0, 0, "PATH", "publish the numbers there, for timesvcd" },
	{ "name", TEXT, TO(name), 0, 0, 0, "NAME", "what the probe is called in reports" },
	{ "json", TEXT, TO(json), 0, 0, 0, "FILE", "write the report as JSON at the end" },
	{ "slices", TEXT, TO(slices), 0, 0, 1, "FILE", "log the verdict on each 100 ms, as JSON lines" },
	{ "isolated", FLAG, TO(isolated), 0, 0, 0, NULL, "never sleep: the core is the probe's own" },
	{ "help", FLAG, TO(help), 0, 0, 0, NULL, "print this" },
	{ "version", FLAG, TO(version), 0, 0, 0, NULL, "print the version" },
#undef TO
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

void options_usage(FILE *f)
{
	fputs("usage: timesvc-probe send|reflect --port KIND:NAME --local-ip A --remote-ip B [option...]\n"
	      "                     [-- EAL arguments]\n\n", f);
	for (size_t i = 0; i < ROWS; i++) {
		int used = fprintf(f, "  --%s%s%s", rows[i].name, rows[i].value ? " " : "",
				   rows[i].value ? rows[i].value : "");

		fprintf(f, "%*s%s%s\n", used < 26 ? 26 - used : 1, "", rows[i].help,
			rows[i].sender_only ? " [send]" : "");
	}
}

static int store_number(const struct option_row *row, char *to, const char *value, struct err *e)
{
	int64_t number;
	uint16_t small;

	if (num_parse_i64(value, row->min, row->max, &number, e)) {
		err_prefix(e, "--%s", row->name);
		return -EINVAL;
	}
	small = (uint16_t)number;
	if (row->kind == SMALL)
		memcpy(to, &small, sizeof(small));
	else
		memcpy(to, &number, sizeof(number));
	return 0;
}

static int store_carrier(const struct option_row *row, char *to, const char *value, struct err *e)
{
	enum carrier carrier = CARRIER_UDP;

	while (carrier < CARRIER_COUNT && strcmp(value, carrier_name(carrier)))
		carrier++;
	if (carrier == CARRIER_COUNT && strcmp(value, "auto"))
		return err_set(e, -EINVAL, "--%s: \"%s\" is none of %s", row->name, value, row->value);
	memcpy(to, &carrier, sizeof(carrier));
	return 0;
}

static int store(const struct option_row *row, struct options *out, const char *value, struct err *e)
{
	char *to = (char *)out + row->to;
	int set = 1;
	uint32_t ip;

	switch (row->kind) {
	case FLAG:
		memcpy(to, &set, sizeof(set));
		return 0;
	case TEXT:
		memcpy(to, &value, sizeof(value));
		return *value ? 0 : err_set(e, -EINVAL, "--%s: the value is empty", row->name);
	case ADDRESS:
		if (ether_ip_parse(value, &ip))
			return err_set(e, -EINVAL, "--%s: \"%s\" is no IPv4 address", row->name, value);
		memcpy(to, &ip, sizeof(ip));
		return 0;
	case CARRIER:
		return store_carrier(row, to, value, e);
	default:
		return store_number(row, to, value, e);
	}
}

/* "--name" or "--name=value". */
static const struct option_row *find(const char *arg, const char **value)
{
	size_t len = strcspn(arg + 2, "=");

	*value = arg[2 + len] ? arg + 3 + len : NULL;
	for (size_t i = 0; i < ROWS; i++)
		if (strlen(rows[i].name) == len && !memcmp(rows[i].name, arg + 2, len))
			return &rows[i];
	return NULL;
}

/* Returns how many words it took, or -EINVAL. */
static int take(struct options *out, int argc, char **argv, struct err *e)
{
	const struct option_row *row;
	const char *value;
	int words = 1;

	if (strncmp(argv[0], "--", 2))
		return err_set(e, -EINVAL, "\"%s\" is no option", argv[0]);
	row = find(argv[0], &value);
	if (!row)
		return err_set(e, -EINVAL, "there is no option \"%s\"", argv[0]);
	if (row->kind == FLAG && value)
		return err_set(e, -EINVAL, "--%s takes no value", row->name);
	if (row->sender_only && out->reflect)
		return err_set(e, -EINVAL, "--%s is for \"send\" only", row->name);
	if (row->kind != FLAG && !value) {
		if (argc < 2)
			return err_set(e, -EINVAL, "--%s needs a value", row->name);
		value = argv[1];
		words = 2;
	}
	return store(row, out, value, e) ? -EINVAL : words;
}

static int check(const struct options *o, struct err *e)
{
	if (!o->port)
		return err_set(e, -EINVAL, "--port is missing");
	if (!o->local_ip || !o->remote_ip)
		return err_set(e, -EINVAL, "--local-ip and --remote-ip are both needed");
	if (o->local_ip == o->remote_ip)
		return err_set(e, -EINVAL, "--local-ip and --remote-ip are the same");
	if (o->vlan && o->carrier == CARRIER_L2_PTP)
		return err_set(e, -EINVAL, "--vlan: l2-ptp travels untagged");
	if (strlen(o->name) > NAME_MAX_LEN)
		return err_set(e, -EINVAL, "--name is longer than %d characters", NAME_MAX_LEN);
	return 0;
}

static int parse_command(struct options *out, const char *word, struct err *e)
{
	if (!strcmp(word, "send") || !strcmp(word, "reflect")) {
		out->reflect = word[0] == 'r';
		out->name = word;
		return 1;
	}
	return word[0] == '-' ? 0 : err_set(e, -EINVAL, "\"%s\" is neither \"send\" nor \"reflect\"", word);
}

int options_parse(struct options *out, int argc, char **argv, struct err *e)
{
	int i = 1, words;

	*out = (struct options){ .udp_port = STAMP_UDP_PORT, .rate = 1000, .hold_limit_ms = 5000,
				  .carrier = CARRIER_COUNT };
	if (argc < 2)
		return err_set(e, -EINVAL, "say \"send\" or \"reflect\", or --help");
	words = parse_command(out, argv[1], e);
	for (; words >= 0 && (i += words) < argc && strcmp(argv[i], "--"); )
		words = take(out, argc - i, argv + i, e);
	if (words < 0)
		return words;
	if (out->help || out->version)
		return 0;
	if (!out->name)
		return err_set(e, -EINVAL, "say \"send\" or \"reflect\" first");
	if (i < argc) {
		out->port_argc = argc - i - 1;
		out->port_argv = argv + i + 1;
	}
	return check(out, e);
}
