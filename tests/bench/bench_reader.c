/* What a reader of the page pays, beside what it would pay without: bare rdtsc and clock_gettime. The loops
 * take turns within a round, so that whatever slows the machine slows them alike. Of all rounds the calmest
 * twentieth counts, chosen by what rdtsc and clock_gettime cost in it; figures are medians of those rounds,
 * ratios medians of the rounds' own ratios. */
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nstime.h"
#include "timesvc.h"
#include "timesvc/timebase.h"
#include "tsc.h"
#include "writer.h"

#define ROUNDS	15001	/* well over a second: longer than others are busy */
#define CALLS	2000
#define SINGLES	400000

enum { RDTSC, GETTIME, NOW, TRUST, LOOPS };

static uint64_t sink;

static void loop_rdtsc(const struct tsv *h)
{
	uint64_t sum = 0;

	(void)h;
	for (int i = 0; i < CALLS; i++)
		sum += tsc_read();
	sink += sum;
}

static void loop_gettime(const struct tsv *h)
{
	struct timespec ts;
	uint64_t sum = 0;

	(void)h;
	for (int i = 0; i < CALLS; i++) {
		clock_gettime(CLOCK_REALTIME, &ts);
		sum += (uint64_t)ts.tv_nsec;
	}
	sink += sum;
}

static void loop_now(const struct tsv *h)
{
	struct tsv_time t;
	uint64_t sum = 0;

	for (int i = 0; i < CALLS; i++) {
		tsv_now(h, &t);
		sum += (uint64_t)t.ns;
	}
	sink += sum;
}

static void loop_trust(const struct tsv *h)
{
	uint64_t tick = tsv_ticks(h), sum = 0;

	for (int i = 0; i < CALLS; i++)
		sum += (uint64_t)tsv_trust(h, tick);
	sink += sum;
}

static void (*const loops[LOOPS])(const struct tsv *) = {
	loop_rdtsc, loop_gettime, loop_now, loop_trust
};

static double ns_per_call(void (*loop)(const struct tsv *), const struct tsv *h)
{
	int64_t start = nstime_mono();

	loop(h);
	return (double)(nstime_mono() - start) / CALLS;
}

static double cost[LOOPS][ROUNDS];

/* The calm rounds move to the front, in every series alike; returns how many they are. */
static size_t keep_calm(void)
{
	static double disturbance[ROUNDS];
	size_t n = 0;
	double limit;

	for (size_t i = 0; i < ROUNDS; i++)
		disturbance[i] = cost[RDTSC][i] + cost[GETTIME][i];
	limit = quantile(disturbance, ROUNDS, 0.05);
	for (size_t i = 0; i < ROUNDS; i++) {
		if (cost[RDTSC][i] + cost[GETTIME][i] > limit)
			continue;
		for (int k = 0; k < LOOPS; k++)
			cost[k][n] = cost[k][i];
		n++;
	}
	return n;
}

static double median_ratio(const double *a, const double *b, size_t n)
{
	static double ratio[ROUNDS];

	for (size_t i = 0; i < n; i++)
		ratio[i] = a[i] / b[i];
	return quantile(ratio, n, 0.5);
}

static void bench_costs(struct figures *f, const struct tsv *h)
{
	double over_rdtsc, over_gettime;
	size_t n;

	for (int i = 0; i < ROUNDS; i++)
		for (int k = 0; k < LOOPS; k++)
			cost[k][i] = ns_per_call(loops[k], h);
	n = keep_calm();
	over_rdtsc = median_ratio(cost[NOW], cost[RDTSC], n);
	over_gettime = median_ratio(cost[NOW], cost[GETTIME], n);
	figures_add(f, "rdtsc_ns", quantile(cost[RDTSC], n, 0.5), "ns", NULL);
	figures_add(f, "clock_gettime_ns", quantile(cost[GETTIME], n, 0.5), "ns", NULL);
	figures_add(f, "tsv_now_ns", quantile(cost[NOW], n, 0.5), "ns", NULL);
	figures_add(f, "tsv_now_over_rdtsc", over_rdtsc, "ratio", "rdtsc_ns");
	figures_add(f, "tsv_now_over_clock_gettime", over_gettime, "ratio", "clock_gettime_ns");
	figures_add(f, "tsv_trust_ns", quantile(cost[TRUST], n, 0.5), "ns", NULL);
}

/* Single calls, each between two ticks; what the ticks themselves cost stays in. */
static void time_singles(const struct tsv *h, double ns_per_tick, double *ns)
{
	struct tsv_time t;

	for (int i = 0; i < SINGLES; i++) {
		uint64_t before = tsc_read();

		tsv_now(h, &t);
		ns[i] = (double)(tsc_read() - before) * ns_per_tick;
		sink += (uint64_t)t.ns;
	}
}

static int with_writer(const char *path, double ns_per_tick, int64_t period_ns, struct tsv **h, pid_t *pid)
{
	int r;

	*pid = writer_start(path, ns_per_tick, period_ns);
	r = *pid < 0 ? (int)*pid : tsv_open(h, path, BENCH_CLOCK);
	if (r < 0) {
		fprintf(stderr, "bench: no page at %s: %s\n", path, strerror(-r));
		writer_stop(*pid);
	}
	return r;
}

static int bench_quiet(struct figures *f, const char *path, double ns_per_tick)
{
	struct tsv *h;
	pid_t pid;
	int r = with_writer(path, ns_per_tick, 10 * NS_PER_MS, &h, &pid);

	if (r < 0)
		return r;
	bench_costs(f, h);
	tsv_close(h);
	writer_stop(pid);
	return 0;
}

static int bench_busy(const char *path, double ns_per_tick, int64_t period_ns, double *median, double *p99)
{
	double *ns = calloc(SINGLES, sizeof(*ns));
	struct tsv *h;
	pid_t pid;
	int r = ns ? with_writer(path, ns_per_tick, period_ns, &h, &pid) : -ENOMEM;

	if (r == 0) {
		time_singles(h, ns_per_tick, ns);
		*median = quantile(ns, SINGLES, 0.5);
		*p99 = quantile(ns, SINGLES, 0.99);
		tsv_close(h);
		writer_stop(pid);
	}
	free(ns);
	return r;
}

int bench_reader(struct figures *f)
{
	char path[] = "/tmp/timesvc-bench-XXXXXX";
	int fd = mkstemp(path), r;
	struct timebase tb;
	double median, p99;
	struct err e;

	if (fd < 0)
		return -errno;
	close(fd);
	r = timebase_init(&tb, TSC_ASSUME, &e);
	if (r == 0)
		r = bench_quiet(f, path, tb.ns_per_tick);
	if (r == 0)
		r = bench_busy(path, tb.ns_per_tick, 100 * NS_PER_US, &median, &p99);
	if (r == 0)
		figures_add(f, "tsv_now_p99_over_median_10khz", p99 / median, "ratio", "its median");
	if (r == 0)
		r = bench_busy(path, tb.ns_per_tick, 0, &median, &p99);
	if (r == 0)
		figures_add(f, "tsv_now_p99_ns_unpaced", p99, "ns", NULL);
	unlink(path);
	return r;
}
