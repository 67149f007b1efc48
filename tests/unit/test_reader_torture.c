#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "nstime.h"
#include "page_fixture.h"
#include "rng.h"

#define TORTURE_NS	(2 * NS_PER_S)

/* The k-th line, every field a function of k, so that a mixture of two shows. */
static struct tsv_line numbered(uint64_t k)
{
	return (struct tsv_line){
		.t0_ns = (int64_t)k, .tsc0 = k, .mult = 0, .bound0_ns = (uint32_t)(k % 1000000007),
		.trust = page_trust_word((int)(k % 5), k & 1, UINT64_MAX), .good_until_ns = -(int64_t)k,
		.epoch = (uint32_t)(k | 1u << 31), .flags = (uint32_t)(k * 2654435761u),
	};
}

static void expect_whole(const struct tsv_time *t)
{
	uint64_t k = (uint64_t)t->ns;

	assert_int_equal(t->bound_ns, k % 1000000007 + 1);
	assert_int_equal(t->state, k % 5);
	assert_int_equal(t->good_until_ns, -(int64_t)k);
	assert_int_equal(t->epoch, (uint32_t)(k | 1u << 31));
	assert_int_equal(t->flags, (uint32_t)(k * 2654435761u));
}

static void expect_whole_info(const struct tsv_info *i)
{
	assert_int_equal(i->path_delay_ns, i->offset_ns);
	assert_int_equal(i->reasons, i->offset_ns);
	assert_int_equal(i->bound_utc_ns, -i->offset_ns);
}

static void write_for_ever(struct page_fixture *f)
{
	uint64_t k;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	start_writer(f, TSV_TIMEBASE_TSC);
	k = page_epoch(f->page, 0) & INT32_MAX;
	for (;; k++) {
		struct tsv_line l = numbered(k);
		struct tsv_info i = {
			.reasons = k, .offset_ns = (int64_t)k, .path_delay_ns = (int64_t)k,
			.bound_utc_ns = -(int64_t)k,
		};

		page_publish(f->page, 0, &l);
		page_publish_info(f->page, 0, &i);
	}
}

/* Reads until `until`; returns how often no whole copy was to be had. */
static uint64_t read_until(const struct tsv *h, int64_t until, uint64_t *reads)
{
	uint64_t again = 0;
	struct tsv_info i;
	struct tsv_time t;

	do {
		for (int n = 0; n < 50; n++, ++*reads) {
			int r = tsv_now(h, &t);

			if (r == -EAGAIN)
				again++;
			else
				expect_whole(&t);
			if (tsv_info(h, &i) == 0)
				expect_whole_info(&i);
		}
	} while (nstime_mono() < until);
	return again;
}

/* Writers that never pause, killed wherever they are, for two seconds. */
static void killed_writers_tear_nothing(void **state)
{
	int64_t end = nstime_mono() + TORTURE_NS;
	uint64_t reads = 0, again = 0, kills = 0;
	struct page_fixture *f = *state;
	struct rng rng = rng_seeded();
	struct tsv_line first = numbered(5);
	struct tsv_info info = { .reasons = 0 };
	struct tsv_time t;
	struct tsv *h;

	go_live(f, TSV_TIMEBASE_TSC);
	page_publish(f->page, 0, &first);
	page_publish_info(f->page, 0, &info);
	stop_writer(f);
	assert_int_equal(tsv_open(&h, f->path, "main"), 0);
	while (nstime_mono() < end) {
		pid_t pid = fork();

		if (pid == 0)
			write_for_ever(f);
		assert_true(pid > 0);
		again += read_until(h, nstime_mono() + (int64_t)rng_below(&rng, 3000000), &reads);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		kills++;
		/* At rest a reader never has to ask again. */
		assert_in_range(tsv_now(h, &t), 0, TSV_LOCAL_RTT);
		expect_whole(&t);
		assert_int_equal(tsv_info(h, &info), 0);
		expect_whole_info(&info);
	}
	print_message("# %" PRIu64 " writers killed, %" PRIu64 " reads, %" PRIu64 " to be repeated\n",
		kills, reads, again);
	assert_true(kills > 50);
	assert_true(again < reads / 10);
	tsv_close(h);
}

#define WITH_PAGE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PAGE(killed_writers_tear_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("reader torture", tests, NULL, NULL);
}
