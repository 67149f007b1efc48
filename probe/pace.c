#include "pace.h"

#define SHORTEST_SLEEP_NS	5000	/* less than it takes to fall asleep and wake */

int64_t pace_sleep_ns(const struct pace *p, int64_t now_ns)
{
	int64_t ns = p->sleep_max_ns;

	if (now_ns >= p->hot_from_ns)
		return 0;
	if (p->hot_from_ns - now_ns < ns)
		ns = p->hot_from_ns - now_ns;
	return ns < SHORTEST_SLEEP_NS ? 0 : ns;
}

static unsigned index_of(const struct pace_arrivals *a, unsigned ago)
{
	return (a->count - 1 - ago) % PACE_ARRIVALS;
}

void pace_arrived(struct pace_arrivals *a, uint32_t seq, int64_t sent_ns, int64_t arrived_ns)
{
	unsigned i = a->count ? index_of(a, 0) : 0;
	int64_t expected_ns = pace_expected_ns(a, arrived_ns);

	if (a->count && (seq <= a->seq[i] || sent_ns <= a->sent_ns[i]))
		a->count = 0;	/* another session, or a step of its clock */
	if (arrived_ns < expected_ns - PACE_LEAD_NS || arrived_ns > expected_ns + PACE_AFTER_NS)
		a->hits = 0;
	else if (a->hits < PACE_STEADY)
		a->hits++;
	i = a->count % PACE_ARRIVALS;
	a->seq[i] = seq;
	a->sent_ns[i] = sent_ns;
	a->arrived_ns[i] = arrived_ns;
	a->count++;
}

int64_t pace_expected_ns(const struct pace_arrivals *a, int64_t now_ns)
{
	unsigned kept = a->count < PACE_ARRIVALS ? a->count : PACE_ARRIVALS;
	unsigned last, first;
	int64_t interval_ns, quickest_ns = INT64_MAX, next_ns;

	if (kept < 4)
		return INT64_MAX;
	last = index_of(a, 0);
	first = index_of(a, kept - 1);
	interval_ns = (a->sent_ns[last] - a->sent_ns[first]) / (int64_t)(a->seq[last] - a->seq[first]);
	for (unsigned i = 0; i < kept; i++) {
		int64_t ns = a->arrived_ns[i] - a->sent_ns[i];

		quickest_ns = ns < quickest_ns ? ns : quickest_ns;
	}
	if (interval_ns <= 0)
		return now_ns;
	next_ns = a->sent_ns[last] + quickest_ns + interval_ns;
	if (next_ns + PACE_AFTER_NS < now_ns)
		next_ns += (now_ns - PACE_AFTER_NS - next_ns + interval_ns - 1) / interval_ns * interval_ns;
	return next_ns;
}
