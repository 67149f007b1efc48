#include "status.h"

#include "config.h"
#include "js.h"
#include "probes.h"
#include "timesvc.h"

json_t *status_child(const struct child_status *c)
{
	if (!c || !c->supervised)
		return json_null();
	return json_pack("{s:o, s:I, s:b, s:o}",
		"pid", js_number(c->pid > 0, c->pid),
		"starts", (json_int_t)c->starts,
		"crash_loop", c->crash_loop,
		"last_exit", js_wait_status(c->starts > (c->pid > 0), c->last_status));
}

json_t *status_event(const struct view *v, const struct trust_event *ev)
{
	return json_pack("{s:I, s:o, s:s, s:s, s:s, s:b, s:b, s:o, s:o, s:I, s:o, s:o, s:o}",
		"n", (json_int_t)ev->number,
		"t_ns", js_instant(1, ev->wall_ns),
		"clock", v->store->last.clock[ev->clock].name,
		"from", tsv_state_name(ev->from),
		"to", tsv_state_name(ev->to),
		"alarm_from", ev->alarm_from,
		"alarm_to", ev->alarm_to,
		"reasons", js_reason_names(ev->reasons),
		"ended", js_reason_names(ev->ended),
		"epoch", (json_int_t)ev->epoch,
		"evidence_ns", js_instant(ev->evidence_ns != 0, ev->evidence_ns),
		"offset_ns", js_number(ev->offset_ns != INT64_MIN, ev->offset_ns),
		"bound_ns", js_number(ev->bound_ns >= 0, ev->bound_ns));
}

json_t *status_probe(const struct view *v, int probe)
{
	const struct probe_settings *p = &v->settings->probes[probe];
	const struct probe_data *d = v->probe[probe];
	json_t *facts = json_pack("{s:s, s:s, s:o, s:b, s:o, s:o}",
		"name", p->name,
		"command", p->command,
		"clock", js_text(p->clock[0] ? p->clock : NULL),
		"current", d && view_probe_current(v, d),
		"age_ns", js_number(d != NULL, d ? nstime_sub(v->now_mono_ns,
		d->published_mono_ns) : 0),
		"child", status_child(view_probe_child(v, probe)));
	json_t *report = d ? probes_report(d) : NULL;

	if (!report)
		return facts;
	json_object_update(report, facts);
	json_decref(facts);
	return report;
}

static json_t *daemon_json(const struct view *v)
{
	const struct store *s = v->store;
	const struct snapshot *n = &s->last;
	int current = s->have && !view_stale(v);

	return json_pack("{s:s, s:i, s:o, s:b, s:o, s:{s:o, s:o, s:o}, s:o, s:I, s:I, s:o}",
		"version", PACKAGE_VERSION,
		"pid", v->pid,
		"started", js_instant(s->have, n->started_wall_ns),
		"engine_current", current,
		"snapshot_age_ns", js_number(s->have, view_age_ns(v)),
		"tsc",
			"hz", js_number(s->have && n->tsc_hz, (int64_t)n->tsc_hz),
			"invariant", s->have ? json_boolean(n->tsc_invariant) : json_null(),
			"assumed", s->have ? json_boolean(n->tsc_assumed) : json_null(),
		"snapshots_dropped", js_number(s->have, (int64_t)n->dropped),
		"snapshots_lost", (json_int_t)s->snapshots_lost,
		"events_lost", (json_int_t)s->events_lost,
		"tick_late_max_ns", js_number(current, n->tick_late_max_ns));
}

static json_t *clocks_json(const struct view *v)
{
	json_t *list = json_array();

	for (int i = 0; i < view_clocks(v); i++)
		json_array_append_new(list, status_clock(v, i));
	return list;
}

static json_t *probes_json(const struct view *v)
{
	json_t *list = json_array();

	for (int i = 0; i < v->settings->probe_count; i++)
		json_array_append_new(list, status_probe(v, i));
	return list;
}

static json_t *events_json(const struct view *v)
{
	json_t *list = json_array();

	for (size_t i = 0; i < v->store->count; i++)
		json_array_append_new(list, status_event(v, store_event(v->store, i)));
	return list;
}

json_t *status_json(const struct view *v)
{
	return json_pack("{s:i, s:o, s:s, s:o, s:o, s:o, s:o}",
		"schema", STATUS_SCHEMA,
		"now_ns", js_instant(1, v->now_wall_ns),
		"host", v->host,
		"daemon", daemon_json(v),
		"clocks", clocks_json(v),
		"probes", probes_json(v),
		"events", events_json(v));
}
