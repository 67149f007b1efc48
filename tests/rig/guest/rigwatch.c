/* rigwatch: reads a trust page as its users do, and compares it with the truth.
 *
 *   rigwatch PAGE CLOCK NIC EVENTS CHECKS
 *
 * NIC is the one whose clock is the reference. EVENTS gets a line of JSON for each change of the
 * verdict. CHECKS gets a line for each comparison, a hundred a second, once its fate is known:
 *   true time, state, error, what of it is the measurement's own, bound (all in ns), and
 *   unclaimed   the page gave no bound: neither TRUSTED nor HOLDOVER
 *   admitted    a gate would have admitted a sample of then: good_until passed it in its epoch
 *   withdrawn   it would not have: the page gave up on it
 *   waiting     not known when told to end (SIGTERM) */
#define _GNU_SOURCE
#include "truth.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timesvc.h>
#include <unistd.h>

#define PERIOD_US	1000
#define CHECK_EVERY	10
#define PENDING_MAX	4096
/* Of the reference clock, and of its granularity. */
#define READ_SLACK_NS	50

struct check {
	int64_t true_ns, page_ns, error_ns, slack_ns, bound_ns;
	uint32_t epoch;
	int state;
};

struct watch {
	struct tsv *page;
	struct truth_clock reference;
	FILE *events, *checks;
	struct check pending[PENDING_MAX];
	int first, waiting;
	int state;
	uint32_t flags, epoch;
	uint64_t reasons;
};

static volatile sig_atomic_t ended;

static void end(int sig)
{
	(void)sig;
	ended = 1;
}

static bool claimed(int state)
{
	return state == TSV_TRUSTED || state == TSV_HOLDOVER;
}

static void print_reasons(FILE *f, uint64_t reasons)
{
	const char *comma = "";

	for (int bit = 0; bit < 64; bit++) {
		if (!(reasons >> bit & 1) || !tsv_reason_name(bit))
			continue;
		fprintf(f, "%s\"%s\"", comma, tsv_reason_name(bit));
		comma = ",";
	}
}

/* Logs what has changed. The instant is taken after the read: it is never too early. */
static void watch_edges(struct watch *w, int state, const struct tsv_time *t, uint64_t reasons)
{
	if (state == w->state && t->flags == w->flags && t->epoch == w->epoch && reasons == w->reasons)
		return;
	w->state = state;
	w->flags = t->flags;
	w->epoch = t->epoch;
	w->reasons = reasons;
	fprintf(w->events, "{\"true_ns\":%" PRId64 ",\"state\":\"%s\",\"alarm\":%s", truth_get(RIG_NOW),
		tsv_state_name(state), t->flags & TSV_ALARM ? "true" : "false");
	fprintf(w->events, ",\"epoch\":%u,\"bound_ns\":%" PRId64 ",\"reasons\":[", t->epoch,
		t->bound_ns == INT64_MAX ? -1 : t->bound_ns);
	print_reasons(w->events, reasons);
	fprintf(w->events, "]}\n");
	fflush(w->events);
}

static void print_check(const struct watch *w, const struct check *c, const char *fate)
{
	fprintf(w->checks, "%" PRId64 " %s %" PRId64 " %" PRId64 " %" PRId64 " %s\n", c->true_ns,
		tsv_state_name(c->state), c->error_ns, c->slack_ns, c->bound_ns, fate);
}

static void pop(struct watch *w, const char *fate)
{
	print_check(w, &w->pending[w->first], fate);
	w->first = (w->first + 1) % PENDING_MAX;
	w->waiting--;
}

/* What waits is admitted once good_until has passed it, and withdrawn when the page gives up on it. */
static void watch_settle(struct watch *w, int state, const struct tsv_time *t)
{
	while (w->waiting) {
		const struct check *c = &w->pending[w->first];

		if (c->epoch != t->epoch || !claimed(state))
			pop(w, "withdrawn");
		else if (state == TSV_TRUSTED && t->good_until_ns >= c->page_ns)
			pop(w, "admitted");
		else
			return;
	}
}

/* The page at a true instant, against the reference at the same one. */
static int measure(struct watch *w, struct check *c, struct tsv_time *t)
{
	int64_t at[2], clock[2], ticks;
	uint64_t before, after;
	int state, err;

	err = truth_clock_read(&w->reference, &at[0], &clock[0]);
	if (err)
		return err;
	before = tsv_ticks(w->page);
	c->true_ns = truth_get(RIG_NOW);
	ticks = truth_get(RIG_TICKS);
	after = tsv_ticks(w->page);
	err = truth_clock_read(&w->reference, &at[1], &clock[1]);
	if (err)
		return err;
	/* The latched counter is exact where the page runs on it. */
	c->slack_ns = READ_SLACK_NS;
	if ((uint64_t)ticks < before || (uint64_t)ticks > after) {
		ticks = (int64_t)(before + (after - before) / 2);
		c->slack_ns += (int64_t)((double)(after - before) / 2 / tsv_tick_hz(w->page) * 1e9);
	}
	state = tsv_at(w->page, (uint64_t)ticks, t);
	c->page_ns = t->ns;
	c->epoch = t->epoch;
	c->bound_ns = t->bound_ns;
	c->error_ns = t->ns - truth_between(at, clock, c->true_ns);
	return state;
}

static void watch_check(struct watch *w)
{
	struct tsv_time t;
	struct check c;

	c.state = measure(w, &c, &t);
	if (c.state < 0)
		return;
	if (claimed(c.state) && w->waiting < PENDING_MAX)
		w->pending[(w->first + w->waiting++) % PENDING_MAX] = c;
	else
		print_check(w, &c, "unclaimed");
}

static void watch_loop(struct watch *w)
{
	struct tsv_time t;
	struct tsv_info info;
	int state;

	for (int i = 0; !ended; i++) {
		memset(&t, 0, sizeof(t));
		state = tsv_now(w->page, &t);
		if (state == -EAGAIN)
			continue;
		if (state < 0)
			state = TSV_UNKNOWN;
		watch_edges(w, state, &t, tsv_info(w->page, &info) ? w->reasons : info.reasons);
		watch_settle(w, state, &t);
		if (i % CHECK_EVERY == 0)
			watch_check(w);
		usleep(PERIOD_US);
	}
}

int main(int argc, char **argv)
{
	static struct watch w;

	if (argc != 6 || truth_open() || truth_clock_open(&w.reference, atoi(argv[3]))) {
		fprintf(stderr, "usage: rigwatch PAGE CLOCK NIC EVENTS CHECKS, in a guest of the rig\n");
		return 2;
	}
	signal(SIGTERM, end);
	signal(SIGINT, end);
	w.state = -1;
	w.events = fopen(argv[4], "we");
	w.checks = fopen(argv[5], "we");
	while (!ended && tsv_open(&w.page, argv[1], argv[2]))
		usleep(PERIOD_US);
	if (!w.events || !w.checks || !w.page)
		return 1;
	watch_loop(&w);
	while (w.waiting)
		pop(&w, "waiting");
	return fclose(w.checks) ? 1 : 0;
}
