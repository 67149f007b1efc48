/* The reader of the trust page. A reader never waits: it takes a tick first, then tries primary,
 * shadow, primary (page.h says why one of them is whole), and else distrusts. */
#include "timesvc.h"

#include "config.h"

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

#define unlikely(x) __builtin_expect(!!(x), 0)

struct tsv {
	const uint64_t *trust;	/* first: tsv_trust() of timesvc.h reads it */
	const struct tsv_page *page;
	const struct tsv_clock_page *clock;
	uint64_t live;		/* what `state` and `timebase` of the page read as one word */
	uint32_t timebase;
};

/* A line in registers. */
struct copy {
	int64_t t0_ns, good_until_ns;
	uint64_t tsc0, mult, trust;
	uint64_t bound;		/* growth << 32 | bound0_ns */
	uint64_t marks;		/* flags << 32 | epoch */
};

static inline uint64_t load64(const uint64_t *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

#define FIRST_OF_PAIR(type, a, b) \
	_Static_assert(offsetof(type, a) % 8 == 0 && offsetof(type, b) == offsetof(type, a) + 4, \
		       #a " and " #b)
FIRST_OF_PAIR(struct tsv_page, state, timebase);
FIRST_OF_PAIR(struct tsv_line, bound0_ns, growth);
FIRST_OF_PAIR(struct tsv_line, epoch, flags);
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first of a pair is the low half");

/* Two 32-bit fields in one load. */
static inline uint64_t load_pair(const uint32_t *first)
{
	return load64((const uint64_t *)(const void *)first);
}

/* No longer live, or running on another counter. What a writer does to the lines of a page after it took
 * it out of service is seen no earlier than that: ask after reading a line. */
static inline int superseded(const struct tsv *h)
{
	return load_pair(&h->page->state) != h->live;
}

/* Whether *to is whole. */
static inline int line_copy(const struct tsv_line *from, struct copy *to)
{
	uint64_t seq = __atomic_load_n(&from->seq, __ATOMIC_ACQUIRE);

	to->t0_ns = __atomic_load_n(&from->t0_ns, __ATOMIC_RELAXED);
	to->tsc0 = load64(&from->tsc0);
	to->mult = load64(&from->mult);
	to->bound = load_pair(&from->bound0_ns);
	to->trust = load64(&from->trust);
	to->good_until_ns = __atomic_load_n(&from->good_until_ns, __ATOMIC_RELAXED);
	to->marks = load_pair(&from->epoch);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return !(seq & 1) && load64(&from->seq) == seq;
}

static inline int64_t bound_at(const struct copy *l, uint64_t age)
{
	uint32_t bound0 = (uint32_t)l->bound;
	uint64_t growth = (uint64_t)((unsigned __int128)age * (l->bound >> 32) >> 32);

	return bound0 == UINT32_MAX ? INT64_MAX : (int64_t)(bound0 + UINT64_C(1) + growth);
}

/* `age` is how many ticks `tick` is away from the line's start, since_ns what it is after it. */
static inline int answer(const struct tsv *h, const struct copy *l, uint64_t tick, uint64_t age,
	int64_t since_ns, struct tsv_time *out)
{
	if (unlikely(superseded(h)))
		return -ESTALE;
	if (unlikely((uint32_t)l->marks == 0))
		return -ENODATA;
	out->ns = (int64_t)((uint64_t)l->t0_ns + (uint64_t)since_ns);
	out->bound_ns = bound_at(l, age);
	out->good_until_ns = l->good_until_ns;
	out->tsc = tick;
	out->epoch = (uint32_t)l->marks;
	out->flags = (uint32_t)(l->marks >> 32);
	out->reserved = 0;
	if (unlikely(tick > TSV_TRUST_VOID(l->trust)))
		return out->state = TSV_STALE;
	return out->state = TSV_TRUST_STATE(l->trust);
}

/* From the given try on. The tick may be older than the line. */
static __attribute__((noinline)) int read_at(const struct tsv *h, uint64_t tick, int try,
	struct tsv_time *out)
{
	struct copy l;

	for (; try < LINE_TRIES; try++) {
		if (!line_copy(&h->clock->line[try & 1], &l))
			continue;
		int64_t span = (int64_t)(tick - l.tsc0);
		uint64_t age = span < 0 ? -(uint64_t)span : (uint64_t)span;

		return answer(h, &l, tick, age, (int64_t)((__int128)span * (__int128)l.mult >> 48), out);
	}
	return superseded(h) ? -ESTALE : -EAGAIN;
}

static __attribute__((noinline)) uint64_t raw_ticks(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static __attribute__((noinline)) int now_raw(const struct tsv *h, struct tsv_time *out)
{
	return read_at(h, raw_ticks(), 0, out);
}

uint64_t tsv_ticks(const struct tsv *h)
{
	return h->timebase == TSV_TIMEBASE_TSC ? tsc_read() : raw_ticks();
}

/* The hot path. Some processors let nothing pass a rdtsc, so that the next call waits for the way from the
 * tick to the last store: time and bound are each one multiplication away from it, beside each other. */
int tsv_now(const struct tsv *h, struct tsv_time *out)
{
	const struct tsv_line *line = h->clock->line;
	struct copy l;
	uint64_t tick, age;

	if (unlikely(h->timebase != TSV_TIMEBASE_TSC))
		return now_raw(h, out);
	tick = tsc_read();
	if (unlikely(!line_copy(line, &l) || tick < l.tsc0))
		return read_at(h, tick, 1, out);
	age = tick - l.tsc0;
	return answer(h, &l, tick, age, (int64_t)((unsigned __int128)age * l.mult >> 48), out);
}

int tsv_at(const struct tsv *h, uint64_t tick, struct tsv_time *out)
{
	return read_at(h, tick, 0, out);
}

/* The one out-of-line copy, for callers that cannot inline. */
extern inline int tsv_trust(const struct tsv *h, uint64_t tick);

int tsv_usable(const struct tsv *h, uint64_t tick)
{
	return tsv_trust(h, tick) == TSV_TRUSTED && !superseded(h);
}

static int line_read(const struct tsv_clock_page *clock, struct copy *out)
{
	for (int i = 0; i < LINE_TRIES; i++)
		if (line_copy(&clock->line[i & 1], out))
			return 1;
	return 0;
}

double tsv_tick_hz(const struct tsv *h)
{
	struct copy l;

	if (!line_read(h->clock, &l) || l.mult == 0)
		return 0;
	return 1e9 * (double)(UINT64_C(1) << 48) / (double)l.mult;
}

/* As many words as this reader knows of. */
static int cold_copy(const struct tsv_cold *from, struct tsv_info *out)
{
	uint64_t words[sizeof(*out) / 8];
	uint64_t seq = __atomic_load_n(&from->seq, __ATOMIC_ACQUIRE);

	_Static_assert(sizeof(*out) % 8 == 0 && sizeof(*out) <= sizeof(from->words), "a cold copy holds it");
	for (size_t i = 0; i < sizeof(words) / 8; i++)
		words[i] = load64(&from->words[i]);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if ((seq & 1) || load64(&from->seq) != seq)
		return 0;
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

/* Fills in what the handle remembers of the page, from one look at it. */
static int page_check(const struct tsv_page *p, struct tsv *h)
{
	uint64_t magic = __atomic_load_n(&p->magic, __ATOMIC_ACQUIRE);

	if (magic == 0)
		return -EAGAIN;
	if (magic != TSV_PAGE_MAGIC || p->version != TSV_PAGE_VERSION || p->size != sizeof(*p))
		return -EPROTO;
	h->page = p;
	h->live = load_pair(&p->state);
	h->timebase = (uint32_t)(h->live >> 32);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	switch ((uint32_t)h->live) {
	case TSV_PAGE_LIVE:
		return h->timebase == TSV_TIMEBASE_TSC || h->timebase == TSV_TIMEBASE_RAW ?
			0 : -EPROTO;
	case TSV_PAGE_SUPERSEDED:
		return -ESTALE;
	default:
		return -EAGAIN;
	}
}

static int find_clock(const struct tsv_page *p, const char *name)
{
	uint32_t count = __atomic_load_n(&p->clocks, __ATOMIC_ACQUIRE);

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
	h = malloc(sizeof(*h));
	if (h == NULL)
		return -ENOMEM;
	r = map_file(path ? path : TSV_DEFAULT_PAGE, &page);
	if (r < 0)
		goto release;
	r = page_check(page, h);
	if (r < 0)
		goto unmap;
	r = index = find_clock(page, clock);
	if (r < 0)
		goto unmap;
	h->clock = &page->clock[index];
	h->trust = &h->clock->line[0].trust;
	*handle = h;
	return 0;
unmap:
	munmap((void *)(uintptr_t)page, sizeof(*page));
release:
	free(h);
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
	return PACKAGE_VERSION;
}
