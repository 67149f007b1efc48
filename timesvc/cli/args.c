#include "cli.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "config.h"
#include "nstime.h"
#include "num.h"

static const char usage[] =
	"usage: timesvc [-f FILE] [--url URL] [--page PATH] COMMAND\n"
	"  status [--json]    clocks, probes and the last events\n"
	"  watch [--json | --jsonl] [--interval TIME] [--count N]\n"
	"                     the same again and again; plain lines unless on a terminal,\n"
	"                     one JSON object a line with --jsonl or --json\n"
	"  check [--clock NAME]\n"
	"                     one line for a monitoring system, from the trust page alone:\n"
	"                     exit status 0 TRUSTED, 1 ALARM or HOLDOVER, 2 LOCAL_RTT or STALE,\n"
	"                     3 anything else; without --clock the worst of all clocks\n"
	"  -f FILE            configuration, " SYSCONFDIR "/timesvc.conf unless given\n"
	"  --url URL          where the daemon serves HTTP, from the configuration unless given\n"
	"  --page PATH        the trust page, from $TIMESVC_PAGE or the configuration\n"
	"  --version, --help\n"
	"Exit status: 0, or 3 when there is no daemon or anything else went wrong.\n";

enum { ARG_URL = 256, ARG_PAGE, ARG_CLOCK, ARG_JSON, ARG_JSONL, ARG_INTERVAL, ARG_COUNT,
	ARG_VERSION, ARG_HELP };

static const struct option options[] = {
	{ "url", required_argument, NULL, ARG_URL },
	{ "page", required_argument, NULL, ARG_PAGE },
	{ "clock", required_argument, NULL, ARG_CLOCK },
	{ "json", no_argument, NULL, ARG_JSON },
	{ "jsonl", no_argument, NULL, ARG_JSONL },
	{ "interval", required_argument, NULL, ARG_INTERVAL },
	{ "count", required_argument, NULL, ARG_COUNT },
	{ "version", no_argument, NULL, ARG_VERSION },
	{ "help", no_argument, NULL, ARG_HELP },
	{ NULL, 0, NULL, 0 }
};

int cli_fail(const char *sentence)
{
	fprintf(stderr, "timesvc: %s\n", sentence);
	return CLI_UNKNOWN;
}

static int misuse(const char *sentence)
{
	cli_fail(sentence);
	fputs(usage, stderr);
	return CLI_UNKNOWN;
}

static int take_number(struct cli *c, int arg, const char *text)
{
	struct err e;
	int rc;

	if (arg == ARG_INTERVAL)
		rc = num_parse_duration_ns(text, 100 * NS_PER_MS, 3600 * NS_PER_S, &c->interval_ns,
			&e);
	else
		rc = num_parse_i64(text, 1, INT64_MAX, &c->count, &e);
	if (rc >= 0)
		return -1;
	err_prefix(&e, arg == ARG_INTERVAL ? "--interval" : "--count");
	return misuse(e.msg);
}

/* -1 to go on. */
static int take(struct cli *c, int arg, const char *text)
{
	switch (arg) {
	case 'f':
		c->conf = text;
		return -1;
	case ARG_URL:
		c->url = text;
		return -1;
	case ARG_PAGE:
		c->page = text;
		return -1;
	case ARG_CLOCK:
		c->clock = text;
		return -1;
	case ARG_JSON:
		c->json = 1;
		return -1;
	case ARG_JSONL:
		c->jsonl = 1;
		return -1;
	case ARG_INTERVAL:
	case ARG_COUNT:
		return take_number(c, arg, text);
	case ARG_VERSION:
		puts("timesvc " PACKAGE_VERSION);
		return CLI_OK;
	case ARG_HELP:
		fputs(usage, stdout);
		return CLI_OK;
	default:
		fputs(usage, stderr);
		return CLI_UNKNOWN;
	}
}

static int check_fit(const struct cli *c)
{
	int watch = !strcmp(c->command, "watch"), check = !strcmp(c->command, "check");

	if (c->clock && !check)
		return misuse("--clock goes with check");
	if (c->json && check)
		return misuse("--json goes with status and watch");
	if ((c->jsonl || c->count || c->interval_ns != NS_PER_S) && !watch)
		return misuse("--jsonl, --interval and --count go with watch");
	return -1;
}

int cli_parse(struct cli *c, int argc, char *argv[])
{
	int arg, rc;

	memset(c, 0, sizeof(*c));
	c->interval_ns = NS_PER_S;
	while ((arg = getopt_long(argc, argv, "f:", options, NULL)) >= 0) {
		rc = take(c, arg, optarg);
		if (rc >= 0)
			return rc;
	}
	if (optind == argc)
		return misuse("which command?");
	c->command = argv[optind];
	if (optind + 1 < argc)
		return misuse("one command, and no more than its options");
	return check_fit(c);
}
