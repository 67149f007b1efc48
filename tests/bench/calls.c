/* Calls each reader function a known number of times, for whoever counts instructions. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "timesvc.h"
#include "timesvc/page.h"

#define CALLS 1000

static int publish(const char *path, struct page **page)
{
	struct tsv_line line = {
		.t0_ns = 1, .mult = UINT64_C(1) << 47, .bound0_ns = 2500, .growth = 4295, .epoch = 1,
		.trust = page_trust_word(TSV_TRUSTED, 0, UINT64_MAX),
	};
	struct tsv_info info = { .name = "main" };
	struct err e;
	int r = page_open(page, path, TSV_TIMEBASE_TSC, &e);

	if (r < 0)
		return r;
	page_publish(*page, page_clock(*page, "main"), &line);
	page_publish_info(*page, 0, &info);
	page_live(*page);
	return 0;
}

static int call(const struct tsv *h)
{
	struct tsv_time t;
	struct tsv_info i;
	int bad = 0;

	for (int n = 0; n < CALLS; n++) {
		bad |= tsv_now(h, &t) != TSV_TRUSTED;
		bad |= tsv_at(h, 12345, &t) != TSV_TRUSTED;
		bad |= tsv_info(h, &i) != 0;
	}
	return bad;
}

int main(void)
{
	char path[] = "/tmp/timesvc-calls-XXXXXX";
	int fd = mkstemp(path), bad;
	struct page *page;
	struct tsv *h;

	if (fd < 0 || publish(path, &page) < 0 || tsv_open(&h, path, "main") < 0)
		return 1;
	bad = call(h);
	tsv_close(h);
	page_close(page);
	close(fd);
	unlink(path);
#ifdef __OPTIMIZE__
	printf("%d\n", CALLS);
#endif
	return bad;
}
