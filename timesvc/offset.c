#include "timesvc/offset.h"

#include <math.h>
#include <stdlib.h>

#include "nstime.h"

#define FILTER_LENGTH	10	/* linuxptp's delay_filter_length */
#define NEIGHBOURS	8
#define STRAYS_MAX	6	/* so many, however scattered, are the truth */
#define MEMORY_MIN_NS	(2 * NS_PER_S)
#define MEMORY_MAX_NS	(120 * NS_PER_S)

void offset_init(struct offset_track *t, int64_t outlier_ns, int confirmations)
{
	*t = (struct offset_track){ .outlier_ns = outlier_ns, .confirmations = confirmations };
	offset_set_memory(t, 0);
}

void offset_set_memory(struct offset_track *t, int log_min_delay_req)
{
	int64_t memory = (FILTER_LENGTH + 1) * nstime_log_interval(log_min_delay_req);

	t->memory_ns = memory < MEMORY_MIN_NS ? MEMORY_MIN_NS :
		memory > MEMORY_MAX_NS ? MEMORY_MAX_NS : memory;
}

/* The i-th last accepted reading, 0 the newest. */
static const struct offset_reading *recent(const struct offset_track *t, unsigned i)
{
	return &t->recent[(t->next + OFFSET_RECENT - 1 - i) % OFFSET_RECENT];
}

const struct offset_reading *offset_last(const struct offset_track *t)
{
	return t->count ? recent(t, 0) : NULL;
}

/* Sixteen buckets cover the memory; the one that is being filled makes the window a little longer. */
static void bucket_add(struct offset_track *t, const struct offset_reading *r)
{
	struct offset_bucket *b = &t->bucket[t->newest];
	int64_t magnitude = nstime_abs(r->offset_ns);

	if (t->buckets == 0 || r->ingress_ns - b->start_ns >= t->memory_ns / 16) {
		t->newest = (t->newest + 1) % OFFSET_BUCKETS;
		if (t->buckets < OFFSET_BUCKETS)
			t->buckets++;
		b = &t->bucket[t->newest];
		*b = (struct offset_bucket){ r->ingress_ns, magnitude, r->path_ns };
		return;
	}
	if (magnitude > b->offset_max_ns)
		b->offset_max_ns = magnitude;
	if (r->path_ns > b->path_max_ns)
		b->path_max_ns = r->path_ns;
}

static void accept(struct offset_track *t, const struct offset_reading *r)
{
	t->recent[t->next] = *r;
	t->next = (t->next + 1) % OFFSET_RECENT;
	if (t->count < OFFSET_RECENT)
		t->count++;
	t->accepted++;
	bucket_add(t, r);
}

static int near_neighbours(const struct offset_track *t, int64_t offset)
{
	int64_t low = INT64_MAX, high = INT64_MIN;

	for (unsigned i = 0; i < t->count && i < NEIGHBOURS; i++) {
		int64_t v = recent(t, i)->offset_ns;

		low = v < low ? v : low;
		high = v > high ? v : high;
	}
	return t->count == 0 ||
		(offset >= low - t->outlier_ns && offset <= high + t->outlier_ns);
}

static void drop_pending(struct offset_track *t)
{
	t->outliers += (uint64_t)t->pendings;
	t->pendings = 0;
}

static void note_jump(struct offset_track *t, const struct offset_reading *r)
{
	int64_t jump = nstime_abs(nstime_sub(r->offset_ns, offset_last(t)->offset_ns));
	int64_t before = offset_jump(t, r->ingress_ns);

	/* A larger one that is about to be forgotten stands for the smaller one as well. */
	t->jump_ns = jump > before ? jump : before;
	t->jump_ingress_ns = r->ingress_ns;
}

static enum offset_verdict confirm(struct offset_track *t)
{
	note_jump(t, &t->pending[t->pendings - 1]);
	for (int i = 0; i < t->pendings; i++)
		accept(t, &t->pending[i]);
	t->pendings = t->strays = 0;
	return OFFSET_CONFIRMED;
}

static enum offset_verdict suspend(struct offset_track *t, const struct offset_reading *r)
{
	if (t->pendings > 0) {
		int64_t last = t->pending[t->pendings - 1].offset_ns;

		if (nstime_abs(nstime_sub(r->offset_ns, last)) > t->outlier_ns)
			drop_pending(t);
	}
	t->pending[t->pendings++] = *r;
	t->strays++;
	if (t->pendings > t->confirmations || t->strays >= STRAYS_MAX)
		return confirm(t);
	return OFFSET_PENDING;
}

enum offset_verdict offset_feed(struct offset_track *t, const struct offset_reading *r)
{
	if (t->seen_ns == r->ingress_ns)
		return OFFSET_OLD;
	t->seen_ns = r->ingress_ns;
	if (!near_neighbours(t, r->offset_ns))
		return suspend(t, r);
	drop_pending(t);
	t->strays = 0;
	accept(t, r);
	return OFFSET_ACCEPTED;
}

void offset_restart(struct offset_track *t, int keep)
{
	struct offset_reading kept[OFFSET_PENDING_MAX];
	int n = keep < (int)t->count ? keep : (int)t->count;

	for (int i = 0; i < n; i++)
		kept[i] = *recent(t, (unsigned)(n - 1 - i));
	t->buckets = t->newest = t->count = t->next = 0;
	t->pendings = t->strays = 0;
	t->jump_ns = 0;
	for (int i = 0; i < n; i++) {
		accept(t, &kept[i]);
		t->accepted--;
	}
}

void offset_window(const struct offset_track *t, int64_t now_ns, int64_t *offset_ns, int64_t *path_ns)
{
	*offset_ns = *path_ns = 0;
	for (unsigned i = 0; i < t->buckets; i++) {
		const struct offset_bucket *b =
			&t->bucket[(t->newest + OFFSET_BUCKETS - i) % OFFSET_BUCKETS];

		/* The newest always counts; an older one while any of it can be inside. */
		if (i > 0 && now_ns - b->start_ns > t->memory_ns + t->memory_ns / 16)
			break;
		if (b->offset_max_ns > *offset_ns)
			*offset_ns = b->offset_max_ns;
		if (b->path_max_ns > *path_ns)
			*path_ns = b->path_max_ns;
	}
}

int64_t offset_jump(const struct offset_track *t, int64_t now_ns)
{
	return t->jump_ns && now_ns - t->jump_ingress_ns <= t->memory_ns ? t->jump_ns : 0;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t median_offset(const struct offset_track *t, unsigned from, unsigned n)
{
	int64_t v[OFFSET_RECENT];

	for (unsigned i = 0; i < n; i++)
		v[i] = recent(t, from + i)->offset_ns;
	qsort(v, n, sizeof(v[0]), compare);
	return v[n / 2];
}

int64_t offset_rate_ppb(const struct offset_track *t)
{
	unsigned third = t->count / 3;
	int64_t span, change;

	if (third < 2)
		return 0;
	span = recent(t, third / 2)->ingress_ns - recent(t, t->count - 1 - third / 2)->ingress_ns;
	if (span <= 0)
		return 0;
	change = median_offset(t, 0, third) - median_offset(t, t->count - third, third);
	return (int64_t)fmin((double)nstime_abs(change) / (double)span * 1e9, 1e9);
}

int offset_run_beyond(const struct offset_track *t, int64_t limit_ns)
{
	unsigned n = 0;

	while (n < t->count && nstime_abs(recent(t, n)->offset_ns) > limit_ns)
		n++;
	return (int)n;
}
