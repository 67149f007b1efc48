#include "windows.h"

/* *out = newer - older; the extent is that of the buckets. */
static void difference(struct hist_sum *out, const struct hist_sum *newer, const struct hist_sum *older)
{
	int64_t low, high;

	hist_sum_reset(out);
	out->min_ns = INT64_MAX;
	out->max_ns = INT64_MIN;
	for (int i = 0; i < HIST_BUCKETS; i++) {
		out->bucket[i] = newer->bucket[i] - older->bucket[i];
		if (!out->bucket[i])
			continue;
		out->count += out->bucket[i];
		hist_range(i, &low, &high);
		out->min_ns = low < out->min_ns ? low : out->min_ns;
		out->max_ns = high > out->max_ns ? high : out->max_ns;
	}
}

static int64_t quantile(const struct hist_sum *h, uint64_t num, uint64_t den)
{
	int64_t ns = h->count ? h->max_ns : 0;

	hist_quantile(h, num, den, &ns);
	return ns;
}

static void gained(struct windows *w, const struct windows_series *s, unsigned seconds)
{
	const struct hist_sum *newer = &s->kept[w->turns % WINDOWS_KEPT];

	difference(&w->scratch, newer, &s->kept[(w->turns + WINDOWS_KEPT - seconds) % WINDOWS_KEPT]);
}

static void fill(struct windows *w, unsigned seconds, struct probe_window *out)
{
	gained(w, &w->rtt, seconds);
	out->rtt_count = w->scratch.count;
	out->rtt_p50_ns = quantile(&w->scratch, 1, 2);
	out->rtt_p99_ns = quantile(&w->scratch, 99, 100);
	gained(w, &w->ab, seconds);
	out->ab_count = w->scratch.count;
	out->ab_p50_ns = quantile(&w->scratch, 1, 2);
	gained(w, &w->ba, seconds);
	out->ba_count = w->scratch.count;
	out->ba_p50_ns = quantile(&w->scratch, 1, 2);
}

void windows_turn(struct windows *w, const struct hist_sum *rtt, const struct gate_sums *sums,
	struct probe_window *s1, struct probe_window *s10)
{
	unsigned i = ++w->turns % WINDOWS_KEPT;

	w->rtt.kept[i] = *rtt;
	w->ab.kept[i] = sums->ab_trusted;
	w->ba.kept[i] = sums->ba_trusted;
	fill(w, 1, s1);
	fill(w, 10, s10);
}
