#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "fetch.h"
#include "nstime.h"
#include "num.h"
#include "reason.h"
#include "timesvc.h"

#define TRIES 10

struct finding {
	int status;		/* CLI_… */
	char text[400];
	char perf[200];		/* after the bar */
};

static int status_of(int state, int alarm)
{
	switch (state) {
	case TSV_TRUSTED:
		return alarm ? CLI_WARNING : CLI_OK;
	case TSV_HOLDOVER:
		return CLI_WARNING;
	case TSV_LOCAL_RTT:
	case TSV_STALE:
		return CLI_CRITICAL;
	default:
		return CLI_UNKNOWN;
	}
}

static const char *status_name(int status)
{
	static const char *const names[] = { "OK", "WARNING", "CRITICAL", "UNKNOWN" };

	return names[status];
}

/* A reading may collide with the writer; it is over in microseconds. */
static int read_page(const struct tsv *h, struct tsv_time *t, struct tsv_info *info)
{
	const struct timespec pause = { 0, NS_PER_MS };
	int rc = -EAGAIN;

	for (int i = 0; i < TRIES && rc == -EAGAIN; i++) {
		if (i)
			nanosleep(&pause, NULL);
		rc = tsv_info(h, info);
		if (rc == 0)
			rc = tsv_now(h, t);
	}
	return rc;
}

static void say_trust(struct finding *f, const struct tsv_time *t, const struct tsv_info *info)
{
	char offset[24], bound[24], reasons[256];
	int len;

	len = snprintf(f->text, sizeof(f->text), "%s %s%s", info->name, tsv_state_name(t->state),
		t->flags & TSV_ALARM ? " ALARM" : "");
	if (info->has_offset)
		len += snprintf(f->text + len, sizeof(f->text) - (size_t)len, ", offset %s",
			num_format_ns(offset, sizeof(offset), info->offset_ns));
	if (t->bound_ns != INT64_MAX)
		len += snprintf(f->text + len, sizeof(f->text) - (size_t)len, ", bound %s",
			num_format_ns(bound, sizeof(bound), t->bound_ns));
	if (info->reasons)
		snprintf(f->text + len, sizeof(f->text) - (size_t)len, " (%s)",
			tsv_reasons_format(reasons, sizeof(reasons), info->reasons));
}

static void say_figures(struct finding *f, const struct tsv_time *t, const struct tsv_info *info)
{
	int len = 0;

	if (info->has_offset)
		len = snprintf(f->perf, sizeof(f->perf), " '%s_offset'=%.9fs", info->name,
			(double)info->offset_ns / (double)NS_PER_S);
	if (t->bound_ns != INT64_MAX)
		snprintf(f->perf + len, sizeof(f->perf) - (size_t)len, " '%s_bound'=%.9fs",
			info->name,
			(double)t->bound_ns / (double)NS_PER_S);
}

static void judge_reading(struct finding *f, int rc, const struct tsv_time *t,
	const struct tsv_info *info)
{
	if (rc == -ENODATA) {
		snprintf(f->text, sizeof(f->text), "%s UNKNOWN, no time has been published yet",
			info->name);
		return;
	}
	if (rc < 0) {
		snprintf(f->text, sizeof(f->text), "%s", fetch_page_error(rc));
		return;
	}
	f->status = status_of(rc, !!(t->flags & TSV_ALARM));
	if (rc == TSV_STALE) {
		snprintf(f->text, sizeof(f->text),
			"%s STALE, nobody vouches for it: does timesvcd run?",
			info->name);
		return;
	}
	say_trust(f, t, info);
	say_figures(f, t, info);
}

static void check_clock(struct finding *f, const char *page, const char *name)
{
	struct tsv *h;
	struct tsv_time t;
	struct tsv_info info = { .name = "" };
	int rc = tsv_open(&h, page, name);

	memset(f, 0, sizeof(*f));
	f->status = CLI_UNKNOWN;
	if (rc < 0) {
		snprintf(f->text, sizeof(f->text), "%s%s%s", name ? name : "", name ? ": " : "",
			fetch_page_error(rc));
		return;
	}
	rc = read_page(h, &t, &info);
	tsv_close(h);
	if (!info.name[0])
		snprintf(info.name, sizeof(info.name), "%s", name ? name : "the first clock");
	judge_reading(f, rc, &t, &info);
}

/* CRITICAL, then UNKNOWN: a clock that nothing is known of is not better than one with an alarm. */
static int worse(int a, int b)
{
	static const int rank[] = { 0, 1, 3, 2 };

	return rank[a] > rank[b];
}

static int report(const struct finding *f, int count)
{
	const char *bar = " |";
	int status = CLI_OK;

	for (int i = 0; i < count; i++)
		if (worse(f[i].status, status))
			status = f[i].status;
	printf("TIMESVC %s: ", status_name(status));
	for (int i = 0; i < count; i++)
		printf("%s%s", i ? "; " : "", f[i].text);
	for (int i = 0; i < count; i++) {
		if (!f[i].perf[0])
			continue;
		printf("%s%s", bar, f[i].perf);
		bar = "";
	}
	putchar('\n');
	return status;
}

int cli_check(const struct cli *c)
{
	struct finding f[CLOCKS_MAX];
	struct place p;
	struct err e;
	int count = 1;

	if (place_find(&p, c, &e) < 0) {
		printf("TIMESVC UNKNOWN: %s\n", e.msg);
		return CLI_UNKNOWN;
	}
	if (c->clock || !p.names_count) {
		check_clock(&f[0], p.page, c->clock);
	} else {
		count = p.names_count;
		for (int i = 0; i < count; i++)
			check_clock(&f[i], p.page, p.names[i]);
	}
	return report(f, count);
}
