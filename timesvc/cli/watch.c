#include "cli.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "fetch.h"
#include "nstime.h"
#include "show.h"

static const char home[] = "\033[H", clear_below[] = "\033[J", clear_all[] = "\033[2J";

enum form { FORM_SCREEN, FORM_LINES, FORM_JSON };

static void draw(const json_t *object, const char *trouble, enum form form,
	const struct show_style *style)
{
	if (form == FORM_JSON) {
		if (object) {
			json_dumpf(object, stdout, JSON_COMPACT);
			putchar('\n');
		}
		return;
	}
	if (form == FORM_SCREEN)
		fputs(home, stdout);
	if (trouble && form == FORM_SCREEN)
		printf("timesvc: %s%s\n", trouble, clear_below);
	if (!object)
		return;
	if (form == FORM_SCREEN)
		show_screen(stdout, object, style);
	else
		show_lines(stdout, object);
}

/* One round; CLI_UNKNOWN when there was no daemon. */
static int look(const struct place *p, enum form form, const struct show_style *style)
{
	struct err why, none;
	json_t *object = fetch_status(p, &why);
	int status = object ? CLI_OK : CLI_UNKNOWN;

	if (!object)
		object = fetch_page(p, &none);
	if (status != CLI_OK && form != FORM_SCREEN)
		cli_fail(why.msg);
	draw(object, status == CLI_OK ? NULL : why.msg, form, style);
	json_decref(object);
	fflush(stdout);
	return status;
}

static void sleep_until(int64_t mono_ns)
{
	struct timespec ts = nstime_to_timespec(mono_ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL))
		;
}

static enum form form_of(const struct cli *c)
{
	if (c->json || c->jsonl)
		return FORM_JSON;
	return isatty(STDOUT_FILENO) ? FORM_SCREEN : FORM_LINES;
}

int cli_watch(const struct cli *c)
{
	struct show_style style = { .colour = show_may_colour(STDOUT_FILENO) };
	enum form form = form_of(c);
	int64_t next_ns = nstime_mono();
	struct place p;
	struct err e;
	int status = CLI_OK;

	if (place_find(&p, c, &e) < 0)
		return cli_fail(e.msg);
	if (form == FORM_SCREEN)
		fputs(clear_all, stdout);
	for (int64_t n = 0; !c->count || n < c->count; n++) {
		if (n)
			sleep_until(next_ns);
		status = look(&p, form, &style);
		if (ferror(stdout))
			return CLI_UNKNOWN;
		next_ns = nstime_add(next_ns, c->interval_ns);
		if (next_ns < nstime_mono())
			next_ns = nstime_mono();
	}
	return status;
}
