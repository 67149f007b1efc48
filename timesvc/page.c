#include "timesvc/page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct page {
	struct tsv_page *map;
	int fd;
};

static int same_layout(const struct tsv_page *p)
{
	return p->magic == TSV_PAGE_MAGIC && p->version == TSV_PAGE_VERSION &&
		p->size == sizeof(*p);
}

/* The place of `state` is the same in every layout that has our magic. */
static int supersede(int fd)
{
	struct tsv_page head;
	uint32_t state = TSV_PAGE_SUPERSEDED;
	ssize_t n = pread(fd, &head, offsetof(struct tsv_page, timebase), 0);

	if (n != (ssize_t)offsetof(struct tsv_page, timebase))
		return n != 0;
	if (same_layout(&head))
		return 0;
	if (head.magic == TSV_PAGE_MAGIC &&
	    pwrite(fd, &state, sizeof(state), offsetof(struct tsv_page, state)) < 0)
		return -errno;
	return 1;
}

static int open_file(const char *path, uid_t uid, gid_t gid, struct err *e)
{
	int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);

	if (fd < 0)
		return err_set(e, -errno, "cannot open the page %s: %s", path, strerror(errno));
	if (fchmod(fd, 0644) < 0 || (geteuid() == 0 && fchown(fd, uid, gid) < 0)) {
		int code = -errno;

		close(fd);
		return err_set(e, code, "cannot own the page %s: %s", path, strerror(-code));
	}
	return fd;
}

int page_prepare(const char *path, uid_t uid, gid_t gid, struct err *e)
{
	int fd = open_file(path, uid, gid, e), old;

	if (fd < 0)
		return fd;
	old = supersede(fd);
	close(fd);
	if (old == 0)
		return 0;
	if (old < 0 || unlink(path) < 0)
		return err_set(e, -EIO, "cannot replace the page %s of another layout", path);
	fd = open_file(path, uid, gid, e);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int lock_and_map(struct page *p, const char *path, struct err *e)
{
	struct stat st;

	if (flock(p->fd, LOCK_EX | LOCK_NB) < 0)
		return err_set(e, -errno, "the page %s belongs to another timesvcd", path);
	if (fstat(p->fd, &st) < 0 ||
	    (st.st_size != sizeof(struct tsv_page) && ftruncate(p->fd, sizeof(struct tsv_page)) < 0))
		return err_set(e, -errno, "cannot size the page %s: %s", path, strerror(errno));
	p->map = mmap(NULL, sizeof(*p->map), PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, 0);
	if (p->map == MAP_FAILED)
		return err_set(e, -errno, "cannot map the page %s: %s", path, strerror(errno));
	return 0;
}

static inline void store64(uint64_t *p, uint64_t v)
{
	__atomic_store_n(p, v, __ATOMIC_RELAXED);
}

static inline void store32(uint32_t *p, uint32_t v)
{
	__atomic_store_n(p, v, __ATOMIC_RELAXED);
}

/* Odd, fence, payload, even with release: see lib/page.h. A writer that was killed in the
 * middle left an odd number; the next one goes on from there. */
static uint64_t write_begin(uint64_t *seq)
{
	uint64_t odd = __atomic_load_n(seq, __ATOMIC_RELAXED) | 1;

	store64(seq, odd);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	return odd;
}

static void write_end(uint64_t *seq, uint64_t odd)
{
	__atomic_store_n(seq, odd + 1, __ATOMIC_RELEASE);
}

static void line_store(struct tsv_line *to, const struct tsv_line *from)
{
	uint64_t odd = write_begin(&to->seq);

	__atomic_store_n(&to->t0_ns, from->t0_ns, __ATOMIC_RELAXED);
	store64(&to->tsc0, from->tsc0);
	store64(&to->mult, from->mult);
	store32(&to->bound0_ns, from->bound0_ns);
	store32(&to->growth, from->growth);
	store64(&to->trust, from->trust);
	__atomic_store_n(&to->good_until_ns, from->good_until_ns, __ATOMIC_RELAXED);
	store32(&to->epoch, from->epoch);
	store32(&to->flags, from->flags);
	write_end(&to->seq, odd);
}

static void cold_store(struct tsv_cold *to, const uint64_t *words)
{
	uint64_t odd = write_begin(&to->seq);

	for (size_t i = 0; i < sizeof(to->words) / sizeof(to->words[0]); i++)
		store64(&to->words[i], words[i]);
	write_end(&to->seq, odd);
}

/* A writer that was killed inside a primary left the shadow whole: mend the primary before the
 * shadow is written again. */
static void repair(struct tsv_page *m)
{
	for (uint32_t i = 0; i < m->clocks && i < TSV_CLOCKS_MAX; i++) {
		struct tsv_line *line = m->clock[i].line;
		struct tsv_cold *cold = m->clock[i].cold;

		if ((line[0].seq & 1) && !(line[1].seq & 1))
			line_store(&line[0], &line[1]);
		if ((cold[0].seq & 1) && !(cold[1].seq & 1))
			cold_store(&cold[0], cold[1].words);
	}
}

/* Readers that have it mapped see another word than they opened, and open again. */
static void reset(struct tsv_page *m, enum tsv_timebase timebase)
{
	static const struct tsv_line no_line;
	static const struct tsv_cold no_cold;

	__atomic_store_n(&m->state, TSV_PAGE_NEW, __ATOMIC_SEQ_CST);
	for (int i = 0; i < 2 * TSV_CLOCKS_MAX; i++) {
		line_store(&m->clock[i / 2].line[i % 2], &no_line);
		cold_store(&m->clock[i / 2].cold[i % 2], no_cold.words);
	}
	memset(m->names, 0, sizeof(m->names));
	m->clocks = 0;
	m->version = TSV_PAGE_VERSION;
	m->size = sizeof(*m);
	m->timebase = timebase;
}

int page_open(struct page **page, const char *path, enum tsv_timebase timebase, struct err *e)
{
	struct page *p = calloc(1, sizeof(*p));
	int r;

	if (p == NULL)
		return err_set(e, -ENOMEM, "out of memory");
	p->fd = open(path, O_RDWR | O_CLOEXEC);
	if (p->fd < 0) {
		r = err_set(e, -errno, "cannot open the page %s: %s", path, strerror(errno));
		goto release;
	}
	r = lock_and_map(p, path, e);
	if (r < 0)
		goto close;
	if (same_layout(p->map) && p->map->timebase == timebase)
		repair(p->map);
	else
		reset(p->map, timebase);
	p->map->writer_pid = (uint32_t)getpid();
	p->map->starts++;
	*page = p;
	return 0;
close:
	close(p->fd);
release:
	free(p);
	return r;
}

void page_close(struct page *p)
{
	if (p == NULL)
		return;
	munmap(p->map, sizeof(*p->map));
	close(p->fd);
	free(p);
}

int page_clock(struct page *p, const char *name)
{
	struct tsv_page *m = p->map;
	uint32_t i;

	for (i = 0; i < m->clocks; i++)
		if (strncmp(m->names[i], name, sizeof(m->names[i])) == 0)
			return (int)i;
	if (i == TSV_CLOCKS_MAX)
		return -ENOSPC;
	strncpy(m->names[i], name, sizeof(m->names[i]) - 1);
	__atomic_store_n(&m->clocks, i + 1, __ATOMIC_RELEASE);
	return (int)i;
}

void page_live(struct page *p)
{
	__atomic_store_n(&p->map->state, TSV_PAGE_LIVE, __ATOMIC_RELEASE);
	__atomic_store_n(&p->map->magic, TSV_PAGE_MAGIC, __ATOMIC_RELEASE);
}

uint32_t page_epoch(const struct page *p, int clock)
{
	const struct tsv_line *l = p->map->clock[clock].line;

	return l[0].epoch > l[1].epoch ? l[0].epoch : l[1].epoch;
}

void page_publish(struct page *p, int clock, const struct tsv_line *line)
{
	struct tsv_clock_page *c = &p->map->clock[clock];

	line_store(&c->line[1], line);
	line_store(&c->line[0], line);
}

void page_publish_info(struct page *p, int clock, const struct tsv_info *info)
{
	struct tsv_clock_page *c = &p->map->clock[clock];
	uint64_t words[sizeof(c->cold[0].words) / 8] = { 0 };

	memcpy(words, info, sizeof(*info));
	cold_store(&c->cold[1], words);
	cold_store(&c->cold[0], words);
}

uint64_t page_trust_word(int state, int alarm, uint64_t void_after_tick)
{
	return (void_after_tick & ~UINT64_C(15)) | (uint64_t)(alarm ? 8 : 0) | (uint64_t)(state & 7);
}

uint32_t page_growth(uint32_t per_ns, uint64_t mult)
{
	const unsigned __int128 one = (unsigned __int128)1 << 48;
	unsigned __int128 per_tick = ((unsigned __int128)per_ns * mult + one - 1) / one;

	return per_tick > UINT32_MAX ? UINT32_MAX : (uint32_t)per_tick;
}
