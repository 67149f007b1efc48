#include "cli.h"

#include <stdio.h>
#include <unistd.h>
#include "fetch.h"
#include "show.h"

/* From the daemon, else from the page: *status is CLI_UNKNOWN then, and a sentence says so. */
static json_t *fetch(const struct place *p, int *status)
{
	struct err e;
	json_t *object = fetch_status(p, &e);

	*status = CLI_OK;
	if (object)
		return object;
	*status = cli_fail(e.msg);
	object = fetch_page(p, &e);
	if (!object)
		cli_fail(e.msg);
	return object;
}

int cli_status(const struct cli *c)
{
	struct show_style style = { .colour = show_may_colour(STDOUT_FILENO) };
	struct place p;
	struct err e;
	json_t *object;
	int status;

	if (place_find(&p, c, &e) < 0)
		return cli_fail(e.msg);
	object = fetch(&p, &status);
	if (!object)
		return CLI_UNKNOWN;
	if (c->json) {
		json_dumpf(object, stdout, JSON_INDENT(2));
		putchar('\n');
	} else {
		show_status(stdout, object, &style);
	}
	json_decref(object);
	return status;
}
