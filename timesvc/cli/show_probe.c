#include "show.h"

#include <inttypes.h>
#include <string.h>
#include "nstime.h"
#include "num.h"
#include "text.h"

static const char no_figure[] = "n/r";	/* not resolvable */

/* A delay smaller than its own bound says nothing. */
static const char *quantile(char *buf, const json_t *d, const char *key, int *unresolved)
{
	int64_t ns, bound;

	if (!text_count(d, "count"))
		return "-";
	if (text_ns(d, key, &ns) && !(text_ns(d, "bound_ns", &bound) && nstime_abs(ns) < bound))
		return num_format_ns(buf, TEXT_CELL, ns);
	*unresolved = 1;
	return no_figure;
}

static void put_distribution(FILE *out, const char *name, const json_t *d, int *unresolved)
{
	char p50[TEXT_CELL], p99[TEXT_CELL], p999[TEXT_CELL], bound[TEXT_CELL];

	fprintf(out, "  %-22s %9" PRIu64 " %10s %10s %10s %10s\n", name, text_count(d, "count"),
		quantile(p50, d, "p50_ns", unresolved), quantile(p99, d, "p99_ns", unresolved),
		quantile(p999, d, "p999_ns", unresolved), text_span(bound, d, "bound_ns"));
}

static void put_direction(FILE *out, const char *name, const json_t *direction, int *unresolved)
{
	char label[TEXT_CELL];

	snprintf(label, sizeof(label), "%s trusted", name);
	put_distribution(out, label, json_object_get(direction, "trusted"), unresolved);
	snprintf(label, sizeof(label), "%s UNTRUSTED", name);
	put_distribution(out, label, json_object_get(direction, "untrusted"), unresolved);
}

static void put_distributions(FILE *out, const json_t *probe)
{
	const json_t *one_way = json_object_get(probe, "one_way");
	int unresolved = 0;

	fprintf(out, "  %-22s %9s %10s %10s %10s %10s\n",
		"", "COUNT", "P50", "P99", "P99.9", "BOUND");
	put_distribution(out, "round trip", json_object_get(probe, "rtt"), &unresolved);
	put_direction(out, "one way a->b", json_object_get(one_way, "ab"), &unresolved);
	put_direction(out, "one way b->a", json_object_get(one_way, "ba"), &unresolved);
	if (unresolved)
		fprintf(out, "  %s: not resolvable, too few samples or less than the bound\n",
			no_figure);
}

static const char *kind(const json_t *stamps, const char *key)
{
	const char *name = text_get(stamps, key);

	return *name ? name : "unknown";
}

static void put_stamps(FILE *out, const json_t *probe)
{
	const json_t *s = json_object_get(probe, "stamps");
	const char *rx = kind(s, "near_rx"), *tx = kind(s, "near_tx");
	const char *far_rx = kind(s, "far_rx"), *far_tx = kind(s, "far_tx");

	if (!strcmp(text_get(probe, "role"), "reflector"))
		fprintf(out, "  receive stamps %s, transmit stamps %s\n", rx, tx);
	else if (!strcmp(rx, tx) && !strcmp(rx, far_rx) && !strcmp(rx, far_tx))
		fprintf(out, "  %s stamps at both ends\n", rx);
	else
		fprintf(out,
			"  stamps here: receive %s, transmit %s; there: receive %s, transmit %s\n",
			rx, tx, far_rx, far_tx);
}

static void put_count(struct text_line *l, const json_t *object, const char *key, const char *what)
{
	text_item(l, "%" PRIu64 " %s", text_count(object, key), what);
}

static void put_frames(FILE *out, const json_t *probe)
{
	struct text_line l;

	text_begin(&l, out, 4, "  ");
	put_count(&l, probe, "sent", "sent");
	put_count(&l, probe, "received", "received");
	put_count(&l, probe, "lost", "lost");
	put_count(&l, probe, "duplicates", "duplicates");
	put_count(&l, probe, "reordered", "reordered");
	put_count(&l, probe, "send_late", "sent late");
	text_end(&l);
}

static void put_gate(FILE *out, const json_t *probe)
{
	const json_t *gate = json_object_get(probe, "gate");
	json_t *refused = json_object_get(gate, "refused"), *n;
	const char *reason;
	struct text_line l;

	text_begin(&l, out, 4, "  ");
	text_item(&l, "%" PRIu64 " admitted (%" PRIu64 " after holdover)",
		text_count(gate, "admitted"), text_count(gate, "admitted_after_holdover"));
	put_count(&l, gate, "waiting", "quarantined");
	put_count(&l, gate, "withdrawn", "withdrawn");
	put_count(&l, gate, "contradictions", "contradictions");
	text_end(&l);
	text_begin(&l, out, 4, "  not admitted: ");
	json_object_foreach(refused, reason, n)
		if (json_integer_value(n))
			text_item(&l, "%s %" PRIu64, reason, (uint64_t)json_integer_value(n));
	if (!l.items)
		text_item(&l, "none");
	text_end(&l);
}

static void put_head(FILE *out, const json_t *probe)
{
	const json_t *child = json_object_get(probe, "child");
	int current = json_is_true(json_object_get(probe, "current"));
	struct text_line l;
	char lead[64];

	snprintf(lead, sizeof(lead), "PROBE %s: ", text_get(probe, "name"));
	fputc('\n', out);
	text_begin(&l, out, 2, lead);
	text_item(&l, "%s", text_get(probe, "command"));
	if (*text_get(probe, "clock"))
		text_item(&l, "clock %s", text_get(probe, "clock"));
	if (json_is_true(json_object_get(probe, "finished")))
		text_item(&l, "finished");
	else
		text_item(&l, "%s", current ? "running" : json_object_get(probe, "rtt") ?
			"SILENT: these are old figures" : "nothing published yet");
	if (*text_get(child, "last_exit"))
		text_item(&l, "before: %s", text_get(child, "last_exit"));
	if (json_is_true(json_object_get(child, "crash_loop")))
		text_item(&l, "KEEPS DYING");
	text_end(&l);
}

static void put_reflector(FILE *out, const json_t *probe)
{
	struct text_line l;

	text_begin(&l, out, 4, "  ");
	put_count(&l, probe, "reflected", "reflected");
	put_count(&l, probe, "malformed", "malformed");
	put_count(&l, probe, "foreign", "foreign");
	text_end(&l);
}

static void put_probe(FILE *out, const json_t *probe)
{
	put_head(out, probe);
	if (!json_object_get(probe, "rtt"))
		return;
	put_stamps(out, probe);
	if (!strcmp(text_get(probe, "role"), "reflector")) {
		put_reflector(out, probe);
		return;
	}
	put_distributions(out, probe);
	put_frames(out, probe);
	put_gate(out, probe);
}

void show_probes(FILE *out, const json_t *status, const struct show_style *style)
{
	const json_t *probe;
	size_t i;

	(void)style;
	json_array_foreach(json_object_get(status, "probes"), i, probe)
		put_probe(out, probe);
}
