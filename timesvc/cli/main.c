/* timesvc: shows what timesvcd has found out. */
#include "cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct { const char *name; int (*run)(const struct cli *c); } commands[] = {
	{ "status", cli_status }, { "watch", cli_watch }, { "check", cli_check },
};

int main(int argc, char *argv[])
{
	struct cli c;
	int rc = cli_parse(&c, argc, argv);
	char text[128];

	if (rc >= 0)
		return rc;
	signal(SIGPIPE, SIG_DFL);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(c.command, commands[i].name))
			return commands[i].run(&c);
	snprintf(text, sizeof(text), "no command '%s': status, watch or check", c.command);
	return cli_fail(text);
}
