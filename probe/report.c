#include "report.h"

#include <inttypes.h>
#include <string.h>
#include "ether.h"

#define REPORT_SCHEMA 1

/* A report is built whole or not at all: a failed allocation is seen here and noted in *ok. */
static void put(json_t *object, const char *key, json_t *value, int *ok)
{
	if (json_object_set_new(object, key, value) < 0)
		*ok = 0;
}

static void put_count(json_t *object, const char *key, uint64_t value, int *ok)
{
	put(object, key, json_integer((json_int_t)value), ok);
}

static void put_ns(json_t *object, const char *key, int known, int64_t ns, int *ok)
{
	put(object, key, known ? json_integer(ns) : json_null(), ok);
}

static json_t *instant(int64_t ns)
{
	return json_sprintf("%" PRId64, ns);
}

static void put_quantiles(json_t *object, const struct hist_sum *h, int *ok)
{
	static const struct { const char *key; uint64_t num, den; } quantiles[] = {
		{ "p50_ns", 1, 2 }, { "p90_ns", 9, 10 }, { "p99_ns", 99, 100 },
		{ "p999_ns", 999, 1000 }, { "p9999_ns", 9999, 10000 },
	};

	put_count(object, "count", h->count, ok);
	put_ns(object, "min_ns", h->count > 0, h->min_ns, ok);
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
		int64_t ns = 0;
		int rc = hist_quantile(h, quantiles[i].num, quantiles[i].den, &ns);

		put_ns(object, quantiles[i].key, rc == 0, ns, ok);
	}
	put_ns(object, "max_ns", h->count > 0, h->max_ns, ok);
}

static json_t *distribution(const struct hist_sum *h, int *ok)
{
	json_t *o = json_object();

	put_quantiles(o, h, ok);
	return o;
}

static json_t *direction(const struct hist_sum *trusted, const struct hist_sum *untrusted,
	int64_t bound_ns, int *ok)
{
	json_t *o = json_object(), *t = distribution(trusted, ok);

	put_ns(t, "bound_ns", trusted->count > 0, bound_ns, ok);
	put(o, "trusted", t, ok);
	put(o, "untrusted", distribution(untrusted, ok), ok);
	return o;
}

static json_t *one_way(const struct probe_data *d, int *ok)
{
	const struct gate_sums *s = &d->one_way;
	json_t *o = json_object();

	put(o, "ab", direction(&s->ab_trusted, &s->ab_untrusted, d->gate.bound_max_ns, ok), ok);
	put(o, "ba", direction(&s->ba_trusted, &s->ba_untrusted, d->gate.bound_max_ns, ok), ok);
	return o;
}

/* Segments are other programs' memory: what is no text or no kind becomes null, not a crash. */
static json_t *text(const char *s)
{
	json_t *value = s ? json_string(s) : NULL;

	return value ? value : json_null();
}

static json_t *kind(uint8_t value)
{
	return text(stamp_kind_name(value));
}

static json_t *unstamped(const struct probe_numbers *n, int *ok)
{
	json_t *o = json_object();

	for (int i = 0; i < UNSTAMPED_COUNT; i++)
		put_count(o, probe_unstamped_name(i), n->unstamped[i], ok);
	return o;
}

static json_t *way(uint64_t good, const uint64_t lost[STAMP_LOSS_COUNT], int *ok)
{
	json_t *o = json_object();

	put_count(o, "good", good, ok);
	for (int i = 0; i < STAMP_LOSS_COUNT; i++)
		put_count(o, stamp_loss_name(i), lost[i], ok);
	return o;
}

/* What this end's hardware delivered; null where it has no stamps. */
static json_t *hardware(const struct probe_numbers *n, int *ok)
{
	json_t *o;

	if (!n->hardware_port)
		return json_null();
	o = json_object();
	put(o, "rx", way(n->rx_good, n->rx_lost, ok), ok);
	put(o, "tx", way(n->tx_good, n->tx_lost, ok), ok);
	put_count(o, "map_readings", n->map_readings, ok);
	put_count(o, "map_epochs", n->map_epochs, ok);
	put_ns(o, "map_half_ns", n->map_half_ns >= 0, n->map_half_ns, ok);
	put_ns(o, "map_half_max_ns", n->map_half_max_ns > 0, n->map_half_max_ns, ok);
	return o;
}

static json_t *note(const struct probe_numbers *n)
{
	size_t len = strnlen(n->stamp_note, sizeof(n->stamp_note));
	json_t *value = len ? json_stringn(n->stamp_note, len) : NULL;

	return value ? value : json_null();
}

static json_t *stamps(const struct probe_numbers *n, int *ok)
{
	json_t *o = json_object();

	put(o, "carrier", text(carrier_name((enum carrier)n->carrier)), ok);
	put(o, "note", note(n), ok);
	put(o, "unstamped", unstamped(n, ok), ok);
	put(o, "hardware", hardware(n, ok), ok);
	put(o, "near_rx", kind(n->rx_stamp), ok);
	put(o, "near_tx", kind(n->tx_stamp), ok);
	put(o, "far_rx", kind(n->far_rx_stamp), ok);
	put(o, "far_tx", kind(n->far_tx_stamp), ok);
	return o;
}

static void put_numbers(json_t *o, const struct probe_numbers *n, int *ok)
{
	put_count(o, "sent", n->sent, ok);
	put_count(o, "received", n->received, ok);
	put_count(o, "lost", n->lost, ok);
	put_count(o, "duplicates", n->duplicates, ok);
	put_count(o, "reordered", n->reordered, ok);
	put_count(o, "late_replies", n->late_replies, ok);
	put_count(o, "send_late", n->send_late, ok);
	put_ns(o, "send_late_max_ns", 1, n->send_late_max_ns, ok);
	put_count(o, "send_failed", n->send_failed, ok);
	put_count(o, "reflected", n->reflected, ok);
	put_count(o, "malformed", n->malformed, ok);
	put_count(o, "foreign", n->foreign, ok);
	put_count(o, "follow_up_lost", n->follow_up_lost, ok);
	put_count(o, "arp_requests", n->arp_requests, ok);
	put_count(o, "arp_replies", n->arp_replies, ok);
	put_ns(o, "poll_gap_max_ns", 1, n->poll_gap_max_ns, ok);
}

static json_t *gate(const struct gate_numbers *n, int *ok)
{
	json_t *o = json_object(), *refused = json_object();

	put_count(o, "admitted", n->admitted, ok);
	put_count(o, "admitted_after_holdover", n->admitted_after_holdover, ok);
	put_count(o, "waiting", n->waiting, ok);
	put_count(o, "withdrawn", n->withdrawn, ok);
	put_count(o, "contradictions", n->contradictions, ok);
	put_count(o, "slices_admitted", n->slices_admitted, ok);
	put_count(o, "slices_withdrawn", n->slices_withdrawn, ok);
	put_ns(o, "bound_max_ns", n->admitted > 0, n->bound_max_ns, ok);
	for (int reason = 0; reason < GATE_REASON_COUNT; reason++)
		put_count(refused, gate_reason_name(reason), n->refused[reason], ok);
	put(o, "refused", refused, ok);
	return o;
}

static json_t *window(const struct probe_window *w, int *ok)
{
	json_t *o = json_object();

	put_count(o, "rtt_count", w->rtt_count, ok);
	put_ns(o, "rtt_p50_ns", w->rtt_count > 0, w->rtt_p50_ns, ok);
	put_ns(o, "rtt_p99_ns", w->rtt_count > 0, w->rtt_p99_ns, ok);
	put_count(o, "ab_count", w->ab_count, ok);
	put_ns(o, "ab_p50_ns", w->ab_count > 0, w->ab_p50_ns, ok);
	put_count(o, "ba_count", w->ba_count, ok);
	put_ns(o, "ba_p50_ns", w->ba_count > 0, w->ba_p50_ns, ok);
	return o;
}

static json_t *windows(const struct probe_data *d, int *ok)
{
	json_t *o = json_object();

	put(o, "s1", window(&d->s1, ok), ok);
	put(o, "s10", window(&d->s10, ok), ok);
	return o;
}

static double seconds(const struct probe_data *d)
{
	return (double)nstime_sub(d->published_wall_ns, d->started_wall_ns) / (double)NS_PER_S;
}

json_t *report_json(const struct probe_data *d)
{
	json_t *o = json_object();
	int ok = 1;

	put(o, "schema", json_integer(REPORT_SCHEMA), &ok);
	put(o, "name", text(d->name), &ok);
	put(o, "role", json_string(d->numbers.reflector ? "reflector" : "sender"), &ok);
	put(o, "started", instant(d->started_wall_ns), &ok);
	put(o, "seconds", json_real(seconds(d)), &ok);
	put(o, "finished", json_boolean(d->finished), &ok);
	put(o, "stamps", stamps(&d->numbers, &ok), &ok);
	put_numbers(o, &d->numbers, &ok);
	put(o, "rtt", distribution(&d->rtt, &ok), &ok);
	put(o, "one_way", one_way(d, &ok), &ok);
	put(o, "gate", gate(&d->gate, &ok), &ok);
	put(o, "windows", windows(d, &ok), &ok);
	if (ok)
		return o;
	json_decref(o);
	return NULL;
}
