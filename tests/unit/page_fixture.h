/* page_fixture.h: a trust page of its own for every test, seen from three sides: the writer, the bytes, and
 * readers. Include cmocka.h first. */
#ifndef TESTS_PAGE_FIXTURE_H
#define TESTS_PAGE_FIXTURE_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "timesvc/page.h"

struct page_fixture {
	char path[32];
	struct page *page;
	struct tsv_page *bytes;		/* after map_bytes() */
};

/* The path of an empty file. */
static inline int fixture_setup(void **state)
{
	struct page_fixture *f = calloc(1, sizeof(*f));
	int fd;

	assert_non_null(f);
	strcpy(f->path, "/tmp/timesvc-page-XXXXXX");
	fd = mkstemp(f->path);
	assert_true(fd >= 0);
	close(fd);
	*state = f;
	return 0;
}

static inline int fixture_teardown(void **state)
{
	struct page_fixture *f = *state;

	page_close(f->page);
	if (f->bytes)
		munmap(f->bytes, sizeof(*f->bytes));
	unlink(f->path);
	free(f);
	return 0;
}

static inline void map_bytes(struct page_fixture *f)
{
	int fd = open(f->path, O_RDWR | O_CLOEXEC);
	void *map;

	assert_true(fd >= 0);
	map = mmap(NULL, sizeof(*f->bytes), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	close(fd);
	f->bytes = map;
}

/* A writer with one clock "main", not live yet. */
static inline void start_writer(struct page_fixture *f, enum tsv_timebase timebase)
{
	struct err e;

	assert_int_equal(page_open(&f->page, f->path, timebase, &e), 0);
	assert_int_equal(page_clock(f->page, "main"), 0);
}

static inline void stop_writer(struct page_fixture *f)
{
	page_close(f->page);
	f->page = NULL;
}

static inline void go_live(struct page_fixture *f, enum tsv_timebase timebase)
{
	start_writer(f, timebase);
	page_live(f->page);
	if (f->bytes == NULL)
		map_bytes(f);
}

/* TRUSTED from tick 1000 at 5000 ns on, 1 ns a tick, good for a million ticks. */
static inline struct tsv_line plain_line(void)
{
	return (struct tsv_line){
		.t0_ns = 5000, .tsc0 = 1000, .mult = UINT64_C(1) << 48, .bound0_ns = 300, .growth = 0,
		.trust = page_trust_word(TSV_TRUSTED, 0, 1001008), .good_until_ns = 4900, .epoch = 3,
		.flags = TSV_SOFTWARE,
	};
}

#endif
