#include "metrics.h"

#include <stdlib.h>
#include "config.h"
#include "probes.h"
#include "prom.h"

static void put_count(FILE *out, const char *name, const char *type, const char *help,
	uint64_t value)
{
	prom_family(out, name, type, help);
	prom_name(out, name, NULL);
	prom_count(out, value);
}

static void put_seconds(FILE *out, const char *name, const char *help, int64_t ns)
{
	prom_family(out, name, "gauge", help);
	prom_name(out, name, NULL);
	prom_seconds(out, ns);
}

static void put_build(FILE *out)
{
	prom_family(out, "timesvc_build_info", "gauge", "The version that runs.");
	prom_name(out, "timesvc_build_info", "version", PACKAGE_VERSION, NULL);
	prom_count(out, 1);
}

static void put_engine(FILE *out, const struct view *v)
{
	const struct snapshot *n = &v->store->last;

	put_seconds(out, "timesvc_snapshot_age_seconds", "Time since the engine's last word.",
		view_age_ns(v));
	put_seconds(out, "timesvc_start_time_seconds", "When the daemon started, Unix time.",
		n->started_wall_ns);
	put_count(out, "timesvc_snapshots_dropped_total", "counter",
		"Snapshots that the engine could not hand over.", n->dropped);
	put_count(out, "timesvc_events_total", "counter",
		"Edges of state, alarm or epoch since the start, all clocks.",
		v->store->events_last);
	put_count(out, "timesvc_events_lost_total", "counter",
		"Events that never reached the front.", v->store->events_lost);
}

static void put_counter_clock(FILE *out, const struct snapshot *n)
{
	put_seconds(out, "timesvc_tick_late_max_seconds",
		"Worst lateness of the engine's timer since the snapshot before.",
		n->tick_late_max_ns);
	if (n->tsc_hz)
		put_count(out, "timesvc_tsc_hertz", "gauge", "Rate of the time stamp counter.",
			n->tsc_hz);
	put_count(out, "timesvc_tsc_invariant", "gauge",
		"1: the CPU says that its time stamp counter is invariant.", n->tsc_invariant);
	put_count(out, "timesvc_tsc_assumed", "gauge",
		"1: it does not, and is used because the configuration says so.", n->tsc_assumed);
}

static void put_all(FILE *out, const struct view *v)
{
	int current = v->store->have && !view_stale(v);

	put_build(out);
	put_count(out, "timesvc_engine_up", "gauge",
		"1: the engine's last word is fresh; 0: every clock is STALE.", current);
	if (v->store->have)
		put_engine(out, v);
	if (current)
		put_counter_clock(out, &v->store->last);
	metrics_clocks(out, v);
	metrics_children(out, v);
	probes_metrics(out, v);
}

char *metrics_text(const struct view *v, size_t *len)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	put_all(out, v);
	if (ferror(out) | fclose(out)) {
		free(text);
		return NULL;
	}
	if (len)
		*len = size;
	return text;
}
