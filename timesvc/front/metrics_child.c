#include "metrics.h"

#include "prom.h"

struct child {
	const char *program, *clock, *probe;
	const struct child_status *status;
};

static void put_child(FILE *out, const char *name, const struct child *child, uint64_t value)
{
	prom_name(out, name, "child", child->program, "clock", child->clock,
		"probe", child->probe, NULL);
	prom_count(out, value);
}

static uint64_t up(const struct child_status *s)
{
	return s->pid > 0;
}

static uint64_t starts(const struct child_status *s)
{
	return s->starts;
}

static uint64_t crash_loop(const struct child_status *s)
{
	return s->crash_loop;
}

static void put_one(FILE *out, const char *name, const struct child *child,
	uint64_t (*get)(const struct child_status *))
{
	if (child->status && child->status->supervised)
		put_child(out, name, child, get(child->status));
}

static void put_family(FILE *out, const struct view *v, const char *name, const char *type,
	const char *help, uint64_t (*get)(const struct child_status *))
{
	struct clock_snapshot c;

	prom_family(out, name, type, help);
	for (int i = 0; i < view_clocks(v); i++) {
		if (!view_clock(v, i, &c))
			continue;
		put_one(out, name, &(struct child){ "ptp4l", c.name, NULL, &c.ptp4l }, get);
		put_one(out, name, &(struct child){ "phc2sys", c.name, NULL, &c.phc2sys }, get);
	}
	for (int i = 0; i < v->settings->probe_count; i++)
		put_one(out, name, &(struct child){ "timesvc-probe", NULL,
			v->settings->probes[i].name, view_probe_child(v, i) }, get);
}

void metrics_children(FILE *out, const struct view *v)
{
	put_family(out, v, "timesvc_child_up", "gauge", "1: the supervised program runs.", up);
	put_family(out, v, "timesvc_child_starts_total", "counter",
		"How often the supervised program was started.", starts);
	put_family(out, v, "timesvc_child_crash_loop", "gauge",
		"1: the supervised program keeps dying.", crash_loop);
}
