#include "writer.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nstime.h"
#include "timesvc/page.h"
#include "tsc.h"

#define GROWTH 8590	/* 2 ppm */
#define VOID_AFTER_NS 10e9

static void publish(struct page *page, int clock, double ns_per_tick)
{
	uint64_t tick = tsc_read();
	uint64_t mult = (uint64_t)(ns_per_tick * 0x1p48);
	struct tsv_line line = {
		.t0_ns = nstime_now(CLOCK_REALTIME), .tsc0 = tick, .mult = mult,
		.bound0_ns = 2500, .growth = page_growth(GROWTH, mult), .epoch = 1,
	};

	line.trust = page_trust_word(TSV_TRUSTED, 0, tick + (uint64_t)(VOID_AFTER_NS / ns_per_tick));
	line.good_until_ns = line.t0_ns;
	page_publish(page, clock, &line);
}

static void publish_for_ever(struct page *page, int clock, double ns_per_tick, int64_t period_ns)
{
	for (int64_t due = nstime_mono();;) {
		struct timespec at;

		publish(page, clock, ns_per_tick);
		if (period_ns == 0)
			continue;
		due += period_ns;
		at = nstime_to_timespec(due);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
	}
}

static void run(const char *path, double ns_per_tick, int64_t period_ns, int ready)
{
	struct page *page;
	struct err e;
	int clock;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_TIMERSLACK, 1);
	if (page_prepare(path, getuid(), getgid(), &e) < 0 ||
	    page_open(&page, path, TSV_TIMEBASE_TSC, &e) < 0) {
		fprintf(stderr, "bench: %s\n", e.msg);
		_exit(1);
	}
	clock = page_clock(page, BENCH_CLOCK);
	publish(page, clock, ns_per_tick);
	page_live(page);
	close(ready);
	publish_for_ever(page, clock, ns_per_tick, period_ns);
}

pid_t writer_start(const char *path, double ns_per_tick, int64_t period_ns)
{
	int ready[2];
	char end;
	pid_t pid;

	if (pipe(ready) < 0)
		return -errno;
	pid = fork();
	if (pid == 0) {
		close(ready[0]);
		run(path, ns_per_tick, period_ns, ready[1]);
	}
	close(ready[1]);
	if (pid > 0 && read(ready[0], &end, 1) < 0)
		perror("bench: writer");
	close(ready[0]);
	return pid;
}

void writer_stop(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
