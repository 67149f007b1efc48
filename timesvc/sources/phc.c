#include "phc.h"

#include <errno.h>
#include <string.h>

#include "nstime.h"

/* Readings per way while the ways are compared, and readings to choose from afterwards. */
#define TRIALS		4
#define BASIC_TRIES	5
#define RESOLUTION_NS	1
/* No driver says how far apart its two latches can be: PCIe PTM is within this. */
#define PRECISE_NS	100
/* Beyond this the system clock did not run, it jumped: the kernel corrects it by 500 ppm at most. */
#define RATE_MAX	1e-3

void phc_init(struct phc *p, const struct phc_ops *ops, void *arg, double ns_per_tick)
{
	*p = (struct phc){ .ops = ops, .arg = arg, .ns_per_tick = ns_per_tick };
}

const char *phc_way_name(enum phc_way way)
{
	static const char *const names[] = { "precise", "extended", "basic" };

	return names[way];
}

static int refused(int r)
{
	return r == -EOPNOTSUPP || r == -ENOTTY || r == -EINVAL || r == -ENOSYS;
}

static const struct phc_cross *narrowest(const struct phc_cross *x, int n)
{
	const struct phc_cross *best = NULL;

	for (int i = 0; i < n; i++)
		if (x[i].after_ns >= x[i].before_ns &&
		    (best == NULL || x[i].after_ns - x[i].before_ns < best->after_ns - best->before_ns))
			best = &x[i];
	return best;
}

/* The line through the two brackets, at the middle of the reading. */
static int combine(const struct phc *p, const struct clock_reading *a, const struct clock_reading *b,
	const struct phc_cross *x, struct clock_reading *out)
{
	int64_t span = b->time_ns - a->time_ns, width = x->after_ns - x->before_ns;
	int64_t slack = a->half_width_ns + b->half_width_ns;
	int64_t system = a->half_width_ns > b->half_width_ns ? a->half_width_ns : b->half_width_ns;
	double ticks = (double)(b->tick - a->tick), off = ticks * p->ns_per_tick - (double)span;
	int64_t middle = x->before_ns + width / 2;

	if (span <= 0 || (off < 0 ? -off : off) > (double)slack + RATE_MAX * (double)span ||
	    x->before_ns < a->time_ns - slack || x->after_ns > b->time_ns + slack)
		return -EAGAIN;
	*out = (struct clock_reading){
		.tick = a->tick + (uint64_t)(int64_t)(ticks * (double)(middle - a->time_ns) / (double)span),
		.time_ns = x->phc_ns,
		.half_width_ns = width / 2 + width % 2 + system + RESOLUTION_NS,
	};
	return 0;
}

static int read_cross(struct phc *p, enum phc_way way, struct clock_reading *out)
{
	clockid_t clock = p->ops->clock(p->arg, way);
	struct phc_cross x[PHC_BATCH];
	const struct phc_cross *best;
	struct clock_reading a, b;
	int r, n;

	r = p->ops->system(p->arg, clock, &a);
	if (r < 0)
		return r;
	n = p->ops->cross(p->arg, way, x);
	if (n < 0)
		return n;
	r = p->ops->system(p->arg, clock, &b);
	if (r < 0)
		return r;
	best = narrowest(x, n);
	if (best == NULL)
		return -EAGAIN;
	r = combine(p, &a, &b, best, out);
	if (r == 0 && way == PHC_PRECISE)
		out->half_width_ns += PRECISE_NS;
	return r;
}

static int read_basic(struct phc *p, struct clock_reading *out)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < BASIC_TRIES; i++) {
		uint64_t before = p->ops->ticks(p->arg), width;
		int64_t ns;
		int r = p->ops->gettime(p->arg, &ns);

		if (r < 0)
			return r;
		width = p->ops->ticks(p->arg) - before;
		if (width >= best)
			continue;
		best = width;
		*out = (struct clock_reading){ .tick = before + width / 2, .time_ns = ns };
	}
	out->half_width_ns = (int64_t)((double)(best / 2 + 1) * p->ns_per_tick) + 1 + RESOLUTION_NS;
	return 0;
}

/* Twice where the system clock jumped, or turned out to be another. */
static int read_way(struct phc *p, enum phc_way way, struct clock_reading *out)
{
	int r;

	if (way == PHC_BASIC)
		return read_basic(p, out);
	r = read_cross(p, way, out);
	return r == -EAGAIN ? read_cross(p, way, out) : r;
}

/* The narrowest half width of a few readings, or what is wrong with the way. */
static int64_t try_way(struct phc *p, enum phc_way way)
{
	int64_t best = INT64_MAX;
	struct clock_reading r;

	for (int i = 0; i < TRIALS; i++) {
		int rc = read_way(p, way, &r);

		if (rc < 0)
			return rc;
		if (r.half_width_ns < best)
			best = r.half_width_ns;
	}
	return best;
}

static int choose(struct phc *p)
{
	int64_t best = INT64_MAX;
	int last = -EOPNOTSUPP;

	p->chosen = 0;
	for (int way = 0; way < PHC_WAYS; way++) {
		int64_t half = p->lacks >> way & 1 ? -EOPNOTSUPP : try_way(p, way);

		if (half < 0 && refused((int)half))
			p->lacks |= 1u << way;
		else if (half < 0)
			last = (int)half;
		if (half < 0 || half >= best)
			continue;
		best = half;
		p->way = way;
		p->chosen = 1;
	}
	return p->chosen ? 0 : last;
}

int phc_read(struct phc *p, struct clock_reading *out)
{
	int r = p->chosen ? read_way(p, p->way, out) : -EOPNOTSUPP;

	if (refused(r)) {
		p->lacks |= p->chosen ? 1u << p->way : 0;
		r = choose(p);
		if (r == 0)
			r = read_way(p, p->way, out);
	}
	if (r == 0)
		p->half_width_ns = out->half_width_ns;
	return r;
}
