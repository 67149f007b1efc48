#include "report.h"

#include <inttypes.h>

#include "ether.h"
#include "num.h"

#define CELL 24
#define NO_BOUND (-1)

static const char not_resolvable[] = "not resolvable";

static const char *kind(uint8_t value)
{
	const char *name = stamp_kind_name(value);

	return name ? name : "unknown";
}

static const char *stamps_in_use(const struct probe_numbers *n)
{
	const uint8_t all[] = { n->rx_stamp, n->tx_stamp, n->far_rx_stamp, n->far_tx_stamp };

	for (size_t i = 1; i < sizeof(all); i++)
		if (all[i] != all[0])
			return "mixed stamps";
	switch (all[0]) {
	case STAMP_SOFTWARE:
		return "software stamps";
	case STAMP_HARDWARE:
		return "hardware stamps";
	default:
		return "no stamps";
	}
}

static double seconds(const struct probe_data *d)
{
	return (double)nstime_sub(d->published_wall_ns, d->started_wall_ns) / (double)NS_PER_S;
}

static void print_head(FILE *out, const struct probe_data *d)
{
	const struct probe_numbers *n = &d->numbers;

	fprintf(out, "%s: %s, %.1f s, %s\n", d->name, n->reflector ? "reflector" : "sender",
		seconds(d), d->finished ? "finished" : "running");
	fprintf(out, "stamps    here: receive %s, transmit %s", kind(n->rx_stamp),
		kind(n->tx_stamp));
	if (!n->reflector)
		fprintf(out, "; there: receive %s, transmit %s", kind(n->far_rx_stamp),
			kind(n->far_tx_stamp));
	if (n->stamp_note[0])
		fprintf(out, "\n          %.*s", (int)sizeof(n->stamp_note), n->stamp_note);
	fputc('\n', out);
}

static void print_way(FILE *out, const char *name, uint64_t good, const uint64_t lost[STAMP_LOSS_COUNT])
{
	fprintf(out, "          %s: %" PRIu64 " good", name, good);
	for (int i = 0; i < STAMP_LOSS_COUNT; i++)
		if (lost[i])
			fprintf(out, ", %" PRIu64 " %s", lost[i], stamp_loss_name(i));
	fputc('\n', out);
}

static void print_hardware(FILE *out, const struct probe_numbers *n)
{
	const char *carrier = carrier_name((enum carrier)n->carrier);
	char half[CELL];

	if (!n->hardware_port)
		return;
	fprintf(out, "hardware  over %s; the map of the device clock adds up to ",
		carrier ? carrier : "unknown");
	fprintf(out, "%s to a bound, %" PRIu64 " steps\n", n->map_half_max_ns > 0 ?
		num_format_ns(half, sizeof(half), n->map_half_max_ns) : "(no map)", n->map_epochs);
	print_way(out, "receive", n->rx_good, n->rx_lost);
	print_way(out, "transmit", n->tx_good, n->tx_lost);
}

static void print_unstamped(FILE *out, const struct probe_numbers *n)
{
	for (int i = 0; i < UNSTAMPED_COUNT; i++)
		if (n->unstamped[i])
			fprintf(out, "unstamped %10" PRIu64 "  %s: %s\n", n->unstamped[i],
				probe_unstamped_name(i), probe_unstamped_text(i));
}

static void print_sender(FILE *out, const struct probe_numbers *n)
{
	char late[CELL];

	fprintf(out, "frames    %" PRIu64 " sent, %" PRIu64 " received, %" PRIu64 " lost, %" PRIu64
		" duplicates, %" PRIu64 " reordered, %" PRIu64 " late replies\n",
		n->sent, n->received, n->lost, n->duplicates, n->reordered, n->late_replies);
	fprintf(out, "sending   %" PRIu64 " left more than 100 us late, at worst %s; %" PRIu64
		" failed\n", n->send_late, num_format_ns(late, sizeof(late), n->send_late_max_ns),
		n->send_failed);
}

static void print_port(FILE *out, const struct probe_numbers *n)
{
	char gap[CELL];

	if (n->reflector)
		fprintf(out, "frames    %" PRIu64 " reflected, %" PRIu64 " failed to leave\n",
			n->reflected, n->send_failed);
	fprintf(out, "port      %" PRIu64 " malformed, %" PRIu64 " foreign, %" PRIu64
		" follow-ups lost; not polled for up to %s\n", n->malformed, n->foreign,
		n->follow_up_lost, num_format_ns(gap, sizeof(gap), n->poll_gap_max_ns));
}

/* One column of the table; bound_ns is NO_BOUND where there is none to hold values against. */
struct column {
	const char *top, *name;
	const struct hist_sum *h;
	int64_t bound_ns;
};

static const struct row { const char *name; uint64_t num, den; } rows[] = {
	{ "min", 0, 1 }, { "p50", 1, 2 }, { "p90", 9, 10 }, { "p99", 99, 100 },
	{ "p99.9", 999, 1000 }, { "p99.99", 9999, 10000 }, { "max", 1, 1 },
};

static const char *cell(char *buf, const struct column *c, const struct row *r)
{
	int64_t ns;

	if (c->h->count == 0)
		return "-";
	if (hist_quantile(c->h, r->num, r->den, &ns) < 0 || nstime_abs(ns) < c->bound_ns)
		return not_resolvable;
	return num_format_ns(buf, CELL, ns);
}

static void print_row(FILE *out, const struct column *columns, size_t count, const struct row *r)
{
	char buf[CELL];

	fprintf(out, "%-9s", r->name);
	for (size_t i = 0; i < count; i++)
		fprintf(out, " %14s", cell(buf, &columns[i], r));
	fputc('\n', out);
}

static void print_bounds(FILE *out, const struct column *columns, size_t count)
{
	char buf[CELL];

	fprintf(out, "%-9s", "bound");
	for (size_t i = 0; i < count; i++) {
		const struct column *c = &columns[i];

		fprintf(out, " %14s", c->bound_ns == NO_BOUND || c->h->count == 0 ? "-" :
			num_format_ns(buf, sizeof(buf), c->bound_ns));
	}
	fputc('\n', out);
}

static void print_table(FILE *out, const struct probe_data *d)
{
	const struct gate_sums *s = &d->one_way;
	int64_t bound_ns = d->gate.bound_max_ns;
	const struct column columns[] = {
		{ "round trip", "", &d->rtt, NO_BOUND },
		{ "a->b", "trusted", &s->ab_trusted, bound_ns },
		{ "b->a", "trusted", &s->ba_trusted, bound_ns },
		{ "a->b", "UNTRUSTED", &s->ab_untrusted, NO_BOUND },
		{ "b->a", "UNTRUSTED", &s->ba_untrusted, NO_BOUND },
	};
	const size_t count = sizeof(columns) / sizeof(columns[0]);

	fprintf(out, "\n%s\n%-9s", stamps_in_use(&d->numbers), "");
	for (size_t i = 0; i < count; i++)
		fprintf(out, " %14s", columns[i].top);
	fprintf(out, "\n%-9s", "");
	for (size_t i = 0; i < count; i++)
		fprintf(out, " %14s", columns[i].name);
	fprintf(out, "\n%-9s", "count");
	for (size_t i = 0; i < count; i++)
		fprintf(out, " %14" PRIu64, columns[i].h->count);
	fputc('\n', out);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		print_row(out, columns, count, &rows[i]);
	print_bounds(out, columns, count);
}

static void print_delay(FILE *out, const char *name, const struct hist_sum *h, int64_t bound_ns)
{
	char value[CELL], bound[CELL];
	int64_t ns;

	num_format_ns(bound, sizeof(bound), bound_ns);
	fprintf(out, "%-9s ", name);
	if (h->count == 0)
		fputs("none: no sample was admitted\n", out);
	else if (hist_quantile(h, 1, 2, &ns) < 0)
		fprintf(out, "%s (too few samples)\n", not_resolvable);
	else if (nstime_abs(ns) < bound_ns)
		fprintf(out, "%s (|%s| < %s)\n", not_resolvable,
			num_format_ns(value, sizeof(value), ns), bound);
	else
		fprintf(out, "%s ± %s (median of the trusted)\n",
			num_format_ns(value, sizeof(value), ns), bound);
}

static void print_gate(FILE *out, const struct gate_numbers *n)
{
	fprintf(out, "gate      %" PRIu64 " admitted (%" PRIu64 " after holdover), %" PRIu64
		" waiting, %" PRIu64 " withdrawn, %" PRIu64 " contradictions\n", n->admitted,
		n->admitted_after_holdover, n->waiting, n->withdrawn, n->contradictions);
	for (int reason = 0; reason < GATE_REASON_COUNT; reason++)
		if (n->refused[reason] > 0)
			fprintf(out, "refused   %10" PRIu64 "  %s: %s\n", n->refused[reason],
				gate_reason_name(reason), gate_reason_text(reason));
}

void report_text(FILE *out, const struct probe_data *d)
{
	print_head(out, d);
	if (!d->numbers.reflector)
		print_sender(out, &d->numbers);
	print_port(out, &d->numbers);
	print_hardware(out, &d->numbers);
	print_unstamped(out, &d->numbers);
	if (d->numbers.reflector)
		return;
	print_table(out, d);
	fputc('\n', out);
	print_delay(out, "a->b", &d->one_way.ab_trusted, d->gate.bound_max_ns);
	print_delay(out, "b->a", &d->one_way.ba_trusted, d->gate.bound_max_ns);
	print_gate(out, &d->gate);
}
