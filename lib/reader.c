/* The reader of the trust page. A reader never waits: it takes a tick first, then tries primary,
 * shadow, primary (page.h says why one of them is whole), and else distrusts. */
#include "timesvc.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "page.h"
#include "tsc.h"

#define LINE_TRIES 3

struct tsv {
	const struct tsv_page *page;
	const struct tsv_clock_page *clock;
	uint64_t live;		/* what `state` and `timebase` of the page read as one word */
	uint32_t timebase;
};

static inline uint64_t load64(const uint64_t *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static inline uint32_t load32(const uint32_t *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

/* Both 32-bit fields in one load: no longer live, or running on another counter. */
static inline uint64_t page_word(const struct tsv_page *p)
{
	_Static_assert(offsetof(struct tsv_page, timebase) == offsetof(struct tsv_page, state) + 4 &&
		       offsetof(struct tsv_page, state) % 8 == 0, "state and timebase are one word");
	return load64((const uint64_t *)(const void *)&p->state);
}

static inline int superseded(const struct tsv *h)
{
	return page_word(h->page) != h->live;
}

static inline int line_copy(const struct tsv_line *from, struct tsv_line *to)
{
	uint64_t seq = __atomic_load_n(&from->seq, __ATOMIC_ACQUIRE);

	to->t0_ns = __atomic_load_n(&from->t0_ns, __ATOMIC_RELAXED);
	to->tsc0 = load64(&from->tsc0);
	to->mult = load64(&from->mult);
	to->bound0_ns = load32(&from->bound0_ns);
	to->growth = load32(&from->growth);
	to->trust = load64(&from->trust);
	to->good_until_ns = __atomic_load_n(&from->good_until_ns, __ATOMIC_RELAXED);
	to->epoch = load32(&from->epoch);
	to->flags = load32(&from->flags);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return !(seq & 1) && load64(&from->seq) == seq;
}

static inline int line_read(const struct tsv_clock_page *clock, struct tsv_line *out)
{
	for (int i = 0; i < LINE_TRIES; i++)
		if (line_copy(&clock->line[i & 1], out))
			return 1;
	return 0;
}

static inline int64_t line_time(const struct tsv_line *l, uint64_t tick)
{
	/* The tick may be older than the line: a signed span. */
	__int128 span = (int64_t)(tick - l->tsc0);

	return l->t0_ns + (int64_t)(span * (__int128)l->mult >> 48);
}

static inline int64_t line_bound(const struct tsv_line *l, int64_t time_ns)
{
	uint64_t age = (uint64_t)(time_ns < l->t0_ns ? l->t0_ns - time_ns : time_ns - l->t0_ns);

	if (l->bound0_ns == UINT32_MAX)
		return INT64_MAX;
	return l->bound0_ns + (int64_t)(((unsigned __int128)age * l->growth + UINT32_MAX) >> 32);
}

static inline int trust_state(uint64_t word, uint64_t tick)
{
	return tick > TSV_TRUST_VOID(word) ? TSV_STALE : TSV_TRUST_STATE(word);
}

static int read_at(const struct tsv *h, uint64_t tick, struct tsv_time *out)
{
	struct tsv_line l;

	if (superseded(h))
		return -ESTALE;
	if (!line_read(h->clock, &l))
		return -EAGAIN;
	if (l.epoch == 0)
		return -ENODATA;
	out->ns = line_time(&l, tick);
	out->bound_ns = line_bound(&l, out->ns);
	out->good_until_ns = l.good_until_ns;
	out->tsc = tick;
	out->epoch = l.epoch;
	out->flags = l.flags;
	out->state = trust_state(l.trust, tick);
	out->reserved = 0;
	return out->state;
}

uint64_t tsv_ticks(const struct tsv *h)
{
	struct timespec ts;

	if (h->timebase == TSV_TIMEBASE_TSC)
		return tsc_read();
	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

int tsv_now(const struct tsv *h, struct tsv_time *out)
{
	return read_at(h, tsv_ticks(h), out);
}

int tsv_at(const struct tsv *h, uint64_t tick, struct tsv_time *out)
{
	return read_at(h, tick, out);
}

int tsv_trust(const struct tsv *h, uint64_t tick)
{
	return trust_state(load64(&h->clock->line[0].trust), tick);
}

int tsv_usable(const struct tsv *h, uint64_t tick)
{
	return tsv_trust(h, tick) == TSV_TRUSTED && !superseded(h);
}

double tsv_tick_hz(const struct tsv *h)
{
	struct tsv_line l;

	if (!line_read(h->clock, &l) || l.mult == 0)
		return 0;
	return 1e9 * (double)(UINT64_C(1) << 48) / (double)l.mult;
}

static int cold_copy(const struct tsv_cold *from, struct tsv_info *out)
{
	uint64_t words[sizeof(from->words) / 8];
	uint64_t seq = __atomic_load_n(&from->seq, __ATOMIC_ACQUIRE);

	for (size_t i = 0; i < sizeof(words) / 8; i++)
		words[i] = load64(&from->words[i]);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if ((seq & 1) || load64(&from->seq) != seq)
		return 0;
	_Static_assert(sizeof(*out) <= sizeof(words), "tsv_info fits a cold copy");
	memcpy(out, words, sizeof(*out));
	return 1;
}

int tsv_info(const struct tsv *h, struct tsv_info *out)
{
	for (int i = 0; i < LINE_TRIES; i++)
		if (cold_copy(&h->clock->cold[i & 1], out))
			return 0;
	return -EAGAIN;
}

static int page_check(const struct tsv_page *p, size_t size)
{
	if (size < sizeof(*p) || __atomic_load_n(&p->magic, __ATOMIC_ACQUIRE) != TSV_PAGE_MAGIC)
		return size == 0 ? -EAGAIN : -EPROTO;
	if (p->version != TSV_PAGE_VERSION || p->size != sizeof(*p))
		return -EPROTO;
	switch (load32(&p->state)) {
	case TSV_PAGE_LIVE:
		return p->timebase == TSV_TIMEBASE_TSC || p->timebase == TSV_TIMEBASE_RAW ?
			0 : -EPROTO;
	case TSV_PAGE_SUPERSEDED:
		return -ESTALE;
	default:
		return -EAGAIN;
	}
}

static int find_clock(const struct tsv_page *p, const char *name)
{
	uint32_t count = load32(&p->clocks);

	for (uint32_t i = 0; i < count && i < TSV_CLOCKS_MAX; i++)
		if (name == NULL || strncmp(p->names[i], name, sizeof(p->names[i])) == 0)
			return (int)i;
	return -EAGAIN;
}

static int map_file(const char *path, const struct tsv_page **page)
{
	struct stat st;
	void *map;
	int fd, r = 0;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		r = -errno;
	else if (st.st_size < (off_t)sizeof(struct tsv_page))
		r = st.st_size == 0 ? -EAGAIN : -EPROTO;
	if (r == 0) {
		map = mmap(NULL, sizeof(struct tsv_page), PROT_READ, MAP_SHARED, fd, 0);
		if (map == MAP_FAILED)
			r = -errno;
		else
			*page = map;
	}
	close(fd);
	return r;
}

int tsv_open(struct tsv **handle, const char *path, const char *clock)
{
	const struct tsv_page *page = NULL;
	struct tsv *h;
	int r, index;

	if (path == NULL)
		path = getenv("TIMESVC_PAGE");
	r = map_file(path ? path : TSV_DEFAULT_PAGE, &page);
	if (r < 0)
		return r;
	r = page_check(page, sizeof(*page));
	if (r < 0)
		goto unmap;
	r = index = find_clock(page, clock);
	if (r < 0)
		goto unmap;
	h = malloc(sizeof(*h));
	if (h == NULL) {
		r = -ENOMEM;
		goto unmap;
	}
	h->page = page;
	h->clock = &page->clock[index];
	h->timebase = page->timebase;
	h->live = page_word(page);
	*handle = h;
	return 0;
unmap:
	munmap((void *)(uintptr_t)page, sizeof(*page));
	return r;
}

void tsv_close(struct tsv *h)
{
	if (h == NULL)
		return;
	munmap((void *)(uintptr_t)h->page, sizeof(*h->page));
	free(h);
}

const char *tsv_state_name(int state)
{
	static const char *const names[] = {
		"UNKNOWN", "SETTLING", "TRUSTED", "HOLDOVER", "LOCAL_RTT", "STALE"
	};

	return state >= 0 && state <= TSV_STALE ? names[state] : "INVALID";
}

const char *tsv_version(void)
{
	return "1.0.0";
}
