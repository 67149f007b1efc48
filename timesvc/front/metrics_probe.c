#include "probes.h"

#include <stddef.h>
#include <string.h>
#include "prom.h"

/* Nominal edges. The ones that are used are the upper edges of the histogram's own buckets
 * around them (at most 1 % away), so that every count is exact. */
static const int64_t rtt_edges[] = {
	1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000, 2000000, 5000000,
	10000000, 20000000, 50000000, 100000000, 1000000000
};
static const int64_t one_way_edges[] = {
	-1000000, -200000, -100000, -50000, -20000, -10000, -5000, -1000, -1, 1000, 2000, 5000,
	10000, 20000, 50000, 100000, 200000, 500000, 1000000, 2000000, 5000000, 10000000, 100000000
};
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define EDGES_MAX 32

struct labels { const char *probe, *direction, *trust; };

static void put_bucket(FILE *out, const char *name, const struct labels *l, const char *le,
	uint64_t count)
{
	char full[80];

	snprintf(full, sizeof(full), "%s_bucket", name);
	prom_name(out, full, "probe", l->probe, "direction", l->direction, "trust", l->trust,
		"le", le, NULL);
	prom_count(out, count);
}

static void put_total(FILE *out, const char *name, const char *suffix, const struct labels *l)
{
	char full[80];

	snprintf(full, sizeof(full), "%s%s", name, suffix);
	prom_name(out, full, "probe", l->probe, "direction", l->direction, "trust", l->trust, NULL);
}

/* Cumulative counts at the edges; returns the sum, taken at the middle of each bucket. */
static double tally(const struct hist_sum *s, const int64_t *edge, size_t edges, uint64_t *count)
{
	int64_t low, high;
	double sum = 0;

	for (int i = 0; i < HIST_BUCKETS; i++) {
		if (!s->bucket[i])
			continue;
		hist_range(i, &low, &high);
		sum += (double)s->bucket[i] * ((double)low + (double)high) / 2;
		for (size_t e = 0; e < edges; e++)
			if (high <= edge[e])
				count[e] += s->bucket[i];
	}
	return sum;
}

static void put_histogram(FILE *out, const char *name, const struct labels *l,
	const struct hist_sum *s, const int64_t *nominal, size_t edges)
{
	int64_t edge[EDGES_MAX], low;
	uint64_t count[EDGES_MAX] = { 0 };
	char le[32];
	double sum;

	for (size_t e = 0; e < edges; e++)
		hist_range(hist_index(nominal[e]), &low, &edge[e]);
	sum = tally(s, edge, edges, count);
	for (size_t e = 0; e < edges; e++)
		put_bucket(out, name, l, prom_seconds_text(le, sizeof(le), edge[e]), count[e]);
	put_bucket(out, name, l, "+Inf", s->count);
	put_total(out, name, "_sum", l);
	fprintf(out, "%.9g\n", sum / (double)NS_PER_S);
	put_total(out, name, "_count", l);
	prom_count(out, s->count);
}

static void put_rtt(FILE *out, const struct view *v)
{
	static const char name[] = "timesvc_probe_rtt_seconds";

	prom_family(out, name, "histogram",
		"Round trip without the reflector's residence; the sum is of buckets' middles.");
	for (int i = 0; i < v->settings->probe_count; i++)
		if (v->probe[i])
			put_histogram(out, name, &(struct labels){ v->settings->probes[i].name,
				NULL, NULL },
				&v->probe[i]->rtt, rtt_edges, COUNT(rtt_edges));
}

static void put_way(FILE *out, const char *name, const char *probe, const char *direction,
	const char *trust, const struct hist_sum *s)
{
	put_histogram(out, name, &(struct labels){ probe, direction, trust }, s,
		one_way_edges, COUNT(one_way_edges));
}

static void put_one_way(FILE *out, const struct view *v)
{
	static const char name[] = "timesvc_probe_one_way_seconds";

	prom_family(out, name, "histogram",
		"One-way delay, apart by trust in both clocks; the sum is of buckets' middles.");
	for (int i = 0; i < v->settings->probe_count; i++) {
		const char *probe = v->settings->probes[i].name;
		const struct probe_data *d = v->probe[i];

		if (!d || d->numbers.reflector)
			continue;
		put_way(out, name, probe, "ab", "trusted", &d->one_way.ab_trusted);
		put_way(out, name, probe, "ab", "untrusted", &d->one_way.ab_untrusted);
		put_way(out, name, probe, "ba", "trusted", &d->one_way.ba_trusted);
		put_way(out, name, probe, "ba", "untrusted", &d->one_way.ba_untrusted);
	}
}

static void put_percentile(FILE *out, const char *name, const struct labels *l,
	const char *percentile, int64_t ns)
{
	prom_name(out, name, "probe", l->probe, "direction", l->direction,
		"percentile", percentile, NULL);
	prom_seconds(out, ns);
}

/* The window of the last ten seconds, while it is about them. */
static const struct probe_window *window(const struct view *v, int probe)
{
	const struct probe_data *d = v->probe[probe];

	return d && view_probe_current(v, d) ? &d->s10 : NULL;
}

static void put_rtt_window(FILE *out, const struct view *v)
{
	static const char name[] = "timesvc_probe_rtt_10s_seconds";

	prom_family(out, name, "gauge", "Percentiles of the round trip over the last ten seconds.");
	for (int i = 0; i < v->settings->probe_count; i++) {
		const struct probe_window *w = window(v, i);
		struct labels l = { v->settings->probes[i].name, NULL, NULL };

		if (!w || !w->rtt_count)
			continue;
		put_percentile(out, name, &l, "50", w->rtt_p50_ns);
		put_percentile(out, name, &l, "99", w->rtt_p99_ns);
	}
}

static void put_one_way_window(FILE *out, const struct view *v)
{
	static const char name[] = "timesvc_probe_one_way_10s_seconds";

	prom_family(out, name, "gauge",
		"Median of the trusted one-way delay over the last ten seconds.");
	for (int i = 0; i < v->settings->probe_count; i++) {
		const struct probe_window *w = window(v, i);
		const char *probe = v->settings->probes[i].name;

		if (w && w->ab_count)
			put_percentile(out, name, &(struct labels){ probe, "ab", NULL }, "50",
				w->ab_p50_ns);
		if (w && w->ba_count)
			put_percentile(out, name, &(struct labels){ probe, "ba", NULL }, "50",
				w->ba_p50_ns);
	}
}

static void put_verdict(FILE *out, const char *probe, const char *verdict, const char *reason,
	uint64_t n)
{
	prom_name(out, "timesvc_probe_samples_total", "probe", probe, "verdict", verdict,
		"reason", reason, NULL);
	prom_count(out, n);
}

static const char *verdict_of(int reason)
{
	if (reason == GATE_contradiction)
		return "contradiction";
	return strncmp(gate_reason_name(reason), "withdrawn", 9) ? "refused" : "withdrawn";
}

static void put_samples(FILE *out, const struct view *v)
{
	prom_family(out, "timesvc_probe_samples_total", "counter",
		"One-way samples by what the gate decided and why.");
	for (int i = 0; i < v->settings->probe_count; i++) {
		const char *probe = v->settings->probes[i].name;
		const struct probe_data *d = v->probe[i];

		if (!d || d->numbers.reflector)
			continue;
		put_verdict(out, probe, "admitted", "trusted",
			d->gate.admitted - d->gate.admitted_after_holdover);
		put_verdict(out, probe, "admitted", "after_holdover",
			d->gate.admitted_after_holdover);
		for (int r = 0; r < GATE_REASON_COUNT; r++)
			put_verdict(out, probe, verdict_of(r), gate_reason_name(r),
				d->gate.refused[r]);
	}
}

struct number {
	const char *name, *type;
	size_t offset;		/* in struct probe_data */
	const char *help;
};

#define NUMBER(field) offsetof(struct probe_data, field)
static const struct number numbers[] = {
	{ "timesvc_probe_sent_total", "counter", NUMBER(numbers.sent),
	  "Probes sent." },
	{ "timesvc_probe_received_total", "counter", NUMBER(numbers.received),
	  "Replies received." },
	{ "timesvc_probe_lost_total", "counter", NUMBER(numbers.lost),
	  "Probes without a reply in time." },
	{ "timesvc_probe_duplicates_total", "counter", NUMBER(numbers.duplicates),
	  "Replies that came twice." },
	{ "timesvc_probe_reordered_total", "counter", NUMBER(numbers.reordered),
	  "Replies that came out of order." },
	{ "timesvc_probe_late_replies_total", "counter", NUMBER(numbers.late_replies),
	  "Replies that came after their probe was lost." },
	{ "timesvc_probe_send_late_total", "counter", NUMBER(numbers.send_late),
	  "Probes that left more than 100 us after their time." },
	{ "timesvc_probe_send_failed_total", "counter", NUMBER(numbers.send_failed),
	  "Probes that could not be sent." },
	{ "timesvc_probe_reflected_total", "counter", NUMBER(numbers.reflected),
	  "Probes reflected." },
	{ "timesvc_probe_malformed_total", "counter", NUMBER(numbers.malformed),
	  "Frames for us that were no good." },
	{ "timesvc_probe_foreign_total", "counter", NUMBER(numbers.foreign),
	  "Frames that were not for us." },
	{ "timesvc_probe_follow_up_lost_total", "counter", NUMBER(numbers.follow_up_lost),
	  "Transmit stamps lost with the reply that carried them." },
	{ "timesvc_probe_waiting", "gauge", NUMBER(gate.waiting),
	  "One-way samples in quarantine now." },
	{ "timesvc_probe_contradictions_total", "counter", NUMBER(gate.contradictions),
	  "Delays that were impossible within the bound." },
};

static void put_number(FILE *out, const struct view *v, const struct number *n)
{
	uint64_t value;

	prom_family(out, n->name, n->type, n->help);
	for (int i = 0; i < v->settings->probe_count; i++) {
		if (!v->probe[i])
			continue;
		memcpy(&value, (const char *)v->probe[i] + n->offset, sizeof(value));
		prom_name(out, n->name, "probe", v->settings->probes[i].name, NULL);
		prom_count(out, value);
	}
}

static void put_current(FILE *out, const struct view *v)
{
	static const char name[] = "timesvc_probe_current";

	prom_family(out, name, "gauge", "1: the probe published a moment ago and runs.");
	for (int i = 0; i < v->settings->probe_count; i++) {
		const struct probe_data *d = v->probe[i];

		prom_name(out, name, "probe", v->settings->probes[i].name, NULL);
		prom_count(out, d && view_probe_current(v, d));
	}
}

void probes_metrics(FILE *out, const struct view *v)
{
	put_current(out, v);
	put_rtt(out, v);
	put_rtt_window(out, v);
	put_one_way(out, v);
	put_one_way_window(out, v);
	put_samples(out, v);
	for (size_t i = 0; i < COUNT(numbers); i++)
		put_number(out, v, &numbers[i]);
}
