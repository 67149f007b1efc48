/* cli.h: what was asked of timesvc(1), and the commands.
 *
 * Exit status of every command but check: 0, or 3 for anything that went wrong, wrong use
 * included. check: 0 TRUSTED, 1 ALARM or HOLDOVER, 2 LOCAL_RTT or STALE, 3 anything else. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdint.h>

enum { CLI_OK = 0, CLI_WARNING = 1, CLI_CRITICAL = 2, CLI_UNKNOWN = 3 };

struct cli {
	const char *command;
	const char *conf, *url, *page, *clock;	/* NULL: not given */
	int json, jsonl;
	int64_t interval_ns;
	int64_t count;		/* of watch; 0: until interrupted */
};

/* -1 to go on, else the exit status: something was printed and that is all. */
int cli_parse(struct cli *c, int argc, char *argv[]);

int cli_status(const struct cli *c);
int cli_watch(const struct cli *c);
int cli_check(const struct cli *c);

/* Prints "timesvc: SENTENCE" to standard error; returns CLI_UNKNOWN. */
int cli_fail(const char *sentence);

#endif
