#include "show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "text.h"

static const char red[] = "\033[31m", green[] = "\033[32m", yellow[] = "\033[33m";

int show_may_colour(int fd)
{
	const char *off = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fd) && !(off && *off) && term && strcmp(term, "dumb");
}

static const char *colour_of(const char *state, int alarm)
{
	if (!strcmp(state, "TRUSTED"))
		return alarm ? yellow : green;
	if (!strcmp(state, "LOCAL_RTT") || !strcmp(state, "STALE"))
		return red;
	return yellow;
}

static int alarmed(const json_t *clock)
{
	return json_is_true(json_object_get(clock, "alarm"));
}

static char *state_text(char *buf, const json_t *clock)
{
	snprintf(buf, TEXT_CELL, "%s%s", text_get(clock, "state"), alarmed(clock) ? " ALARM" : "");
	return buf;
}

/* The bound that the state is judged by. */
static char *bound_text(char *buf, const json_t *clock)
{
	const json_t *bound = json_object_get(clock, "bound");

	return text_span(buf, bound, strcmp(text_get(bound, "uses"), "gm") ? "parent_ns" : "gm_ns");
}

static char *since_text(char *buf, const json_t *status, const json_t *clock)
{
	int64_t now, since;

	if (text_ns(status, "now_ns", &now) && text_ns(clock, "since", &since))
		return text_age(buf, now - since);
	snprintf(buf, TEXT_CELL, "-");
	return buf;
}

static void put_row(FILE *out, const json_t *status, const json_t *clock,
	const struct show_style *style)
{
	char state[TEXT_CELL], offset[TEXT_CELL], bound[TEXT_CELL], path[TEXT_CELL],
		since[TEXT_CELL];

	fprintf(out, "%-15.31s %s%-15s%s %10s %10s %10s  %s\n", text_get(clock, "name"),
		style->colour ? colour_of(text_get(clock, "state"), alarmed(clock)) : "",
		state_text(state, clock), style->colour ? "\033[0m" : "",
		text_span(offset, clock, "offset_ns"), bound_text(bound, clock),
		text_span(path, clock, "path_delay_ns"), since_text(since, status, clock));
}

static void item_if(struct text_line *l, const char *before, const char *text, const char *after)
{
	if (*text)
		text_item(l, "%s%s%s", before, text, after);
}

static void put_facts(FILE *out, const json_t *clock)
{
	struct text_line l;

	text_begin(&l, out, 2, "  ");
	item_if(&l, "", text_get(clock, "role"), "");
	item_if(&l, "on ", text_get(clock, "interface"), "");
	item_if(&l, "", text_get(clock, "mode"), "");
	item_if(&l, "", text_get(clock, "port_state"), "");
	item_if(&l, "", text_get(clock, "time_stamping"), " time stamps");
	item_if(&l, "", text_get(clock, "timescale"), " timescale");
	item_if(&l, "grandmaster ", text_get(clock, "gm_identity"), "");
	text_end(&l);
}

static void put_bound(FILE *out, const json_t *clock)
{
	const json_t *bound = json_object_get(clock, "bound");
	const json_t *terms = json_object_get(bound, "terms");
	char sum[TEXT_CELL], offset[TEXT_CELL], path[TEXT_CELL], read[TEXT_CELL], growth[TEXT_CELL];

	if (!json_is_integer(json_object_get(terms, "offset_ns")))
		return;
	fprintf(out, "  bound against %s %s:\n", strcmp(text_get(clock, "role"), "reference") ?
		"the parent" : "the time it serves", text_span(sum, bound, "parent_ns"));
	fprintf(out, "    offset %s + path %s + reading %s + growth %s\n",
		text_span(offset, terms, "offset_ns"), text_span(path, terms, "path_ns"),
		text_span(read, terms, "read_ns"), text_span(growth, terms, "growth_ns"));
}

static void put_phc(FILE *out, const json_t *clock)
{
	const json_t *phc = json_object_get(clock, "phc");
	char width[TEXT_CELL];
	struct text_line l;

	if (!json_is_object(phc))
		return;
	text_begin(&l, out, 2, "  ");
	text_item(&l, "hardware clock ptp%d", (int)text_count(phc, "ptp"));
	item_if(&l, "", text_get(phc, "driver"), "");
	item_if(&l, "", text_get(phc, "pci"), "");
	text_item(&l, "read %s within %s", text_get(phc, "read"),
		text_span(width, phc, "read_half_width_ns"));
	text_end(&l);
}

static void put_system(FILE *out, const json_t *clock, const struct show_style *style)
{
	const json_t *system = json_object_get(clock, "system"), *reason;
	char offset[TEXT_CELL], bound[TEXT_CELL];
	size_t i;

	if (!json_is_object(system))
		return;
	fprintf(out, "  CLOCK_REALTIME %s%s%s, %s from it, bound %s\n",
		style->colour ? colour_of(text_get(system, "state"), 0) : "", text_get(system, "state"),
		style->colour ? "\033[0m" : "", text_span(offset, system, "offset_ns"),
		text_span(bound, system, "bound_ns"));
	/* What holds for the clock holds for this too. */
	if (!strcmp(text_get(system, "state"), text_get(clock, "state")))
		return;
	json_array_foreach(json_object_get(system, "reasons"), i, reason)
		fprintf(out, "    ! %s (%s)\n", text_get(reason, "text"), text_get(reason, "name"));
}

static void put_child(FILE *out, const json_t *clock, const char *program)
{
	const json_t *child = json_object_get(clock, program);

	if (!json_is_object(child) || !json_is_null(json_object_get(child, "pid")))
		return;
	fprintf(out, "  %s is not running", program);
	if (*text_get(child, "last_exit"))
		fprintf(out, ": it %s%s",
			strncmp(text_get(child, "last_exit"), "killed", 6) ? "" : "was ",
			text_get(child, "last_exit"));
	fputc('\n', out);
}

static void put_clock(FILE *out, const json_t *status, const json_t *clock,
	const struct show_style *style)
{
	const json_t *reason;
	size_t i;

	put_row(out, status, clock, style);
	put_facts(out, clock);
	put_bound(out, clock);
	put_phc(out, clock);
	put_system(out, clock, style);
	json_array_foreach(json_object_get(clock, "reasons"), i, reason)
		fprintf(out, "  ! %s (%s)\n", text_get(reason, "text"), text_get(reason, "name"));
	if (!strcmp(text_get(clock, "state"), "STALE"))
		fprintf(out, "  ! nobody vouches for this clock now\n");
	put_child(out, clock, "ptp4l");
	put_child(out, clock, "phc2sys");
}

static void put_daemon(FILE *out, const json_t *status)
{
	const json_t *daemon = json_object_get(status, "daemon");
	char age[TEXT_CELL];
	int64_t now = 0, started, silent;

	if (!json_is_object(daemon)) {
		fprintf(out, "%s: no daemon answers; this is the trust page\n",
			text_get(status, "host"));
		return;
	}
	fprintf(out, "%s: timesvcd %s, pid %d", text_get(status, "host"),
		text_get(daemon, "version"), (int)text_count(daemon, "pid"));
	if (text_ns(status, "now_ns", &now) && text_ns(daemon, "started", &started))
		fprintf(out, ", up %s", text_age(age, now - started));
	fputc('\n', out);
	if (json_is_false(json_object_get(daemon, "engine_current")) &&
	    text_ns(daemon, "snapshot_age_ns", &silent))
		fprintf(out, "! its engine has been silent for %s\n", text_age(age, silent));
}

void show_status(FILE *out, const json_t *status, const struct show_style *style)
{
	const json_t *clock;
	size_t i;

	put_daemon(out, status);
	fprintf(out, "\n%-15s %-15s %10s %10s %10s  %s\n",
		"CLOCK", "STATE", "OFFSET", "BOUND", "PATH", "SINCE");
	json_array_foreach(json_object_get(status, "clocks"), i, clock)
		put_clock(out, status, clock, style);
	show_probes(out, status, style);
	show_events(out, status, style);
}

void show_screen(FILE *out, const json_t *status, const struct show_style *style)
{
	char *text = NULL, *line, *rest;
	size_t len;
	FILE *memory = open_memstream(&text, &len);

	if (!memory)
		return;
	show_status(memory, status, style);
	if (fclose(memory) == 0)
		for (line = text; (rest = strchr(line, '\n')) != NULL; line = rest + 1)
			fprintf(out, "%.*s\033[K\n", (int)(rest - line), line);
	fputs("\033[J", out);
	free(text);
}

static void line_of_clock(FILE *out, const char *when, const json_t *clock)
{
	char state[TEXT_CELL], offset[TEXT_CELL], bound[TEXT_CELL], path[TEXT_CELL];
	const json_t *reason;
	size_t i;

	fprintf(out, "%s %s %s offset %s bound %s path %s", when, text_get(clock, "name"),
		state_text(state, clock), text_span(offset, clock, "offset_ns"),
		bound_text(bound, clock), text_span(path, clock, "path_delay_ns"));
	json_array_foreach(json_object_get(clock, "reasons"), i, reason)
		fprintf(out, "%s%s", i ? "," : " reasons ", text_get(reason, "name"));
	fputc('\n', out);
}

static void line_of_probe(FILE *out, const char *when, const json_t *probe)
{
	const json_t *window = json_object_get(json_object_get(probe, "windows"), "s1");
	const json_t *gate = json_object_get(probe, "gate");
	char p50[TEXT_CELL], p99[TEXT_CELL], ab[TEXT_CELL], ba[TEXT_CELL];

	if (!json_is_true(json_object_get(probe, "current"))) {
		fprintf(out, "%s probe %s not running\n", when, text_get(probe, "name"));
		return;
	}
	fprintf(out, "%s probe %s rtt p50 %s p99 %s trusted ab p50 %s ba p50 %s", when,
		text_get(probe, "name"), text_span(p50, window, "rtt_p50_ns"),
		text_span(p99, window, "rtt_p99_ns"), text_span(ab, window, "ab_p50_ns"),
		text_span(ba, window, "ba_p50_ns"));
	fprintf(out, " admitted %" PRIu64 " waiting %" PRIu64 "\n",
		text_count(gate, "admitted"), text_count(gate, "waiting"));
}

void show_lines(FILE *out, const json_t *status)
{
	char when[TEXT_CELL];
	const json_t *one;
	int64_t now = 0;
	size_t i;

	text_ns(status, "now_ns", &now);
	text_instant(when, now);
	json_array_foreach(json_object_get(status, "clocks"), i, one)
		line_of_clock(out, when, one);
	json_array_foreach(json_object_get(status, "probes"), i, one)
		line_of_probe(out, when, one);
}
