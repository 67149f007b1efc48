/* What a test of stamps found, in words and in numbers. */
#include "hwclock_note.h"

#include <stdio.h>
#include <string.h>
#include "log.h"

static int most_common(const struct hwclock_way *w)
{
	int most = 0;

	for (int i = 1; i < STAMP_LOSS_COUNT; i++)
		if (w->lost[i] > w->lost[most])
			most = i;
	return most;
}

static int way_failed(const struct hwclock_way *w)
{
	return w->good < HWCLOCK_PROOF;
}

static void say_way(char *to, size_t size, const char *way, const struct hwclock_way *w)
{
	size_t used = strlen(to);

	if (!way_failed(w))
		return;
	if (!w->asked) {
		snprintf(to + used, size - used, "; no %s stamp was ever tested", way);
		return;
	}
	snprintf(to + used, size - used, "; %u of %u %s stamps were good (%s)", w->good, w->asked, way,
		 stamp_loss_text(most_common(w)));
}

/* A missing transmit stamp is what a hint about the driver is for. */
static void explain(const struct hwclock *h, enum carrier carrier, char *to, size_t size)
{
	const struct hwclock_test *t = &h->test[carrier];

	to[0] = '\0';
	if (t->state == HWCLOCK_NONE && h->caps.hint)
		snprintf(to, size, "%s", h->caps.hint);
	if (t->state != HWCLOCK_REFUTED)
		return;
	if (h->refused) {
		snprintf(to, size, "%s", h->refused);
		return;
	}
	snprintf(to, size, "software stamps over %s", carrier_name(carrier));
	if (carrier == CARRIER_UDP && h->caps.rx_scope != SCOPE_ALL) {
		snprintf(to + strlen(to), size - strlen(to), ", as the NIC stamps %s only", h->caps.scope);
		return;
	}
	say_way(to, size, "receive", &t->rx);
	say_way(to, size, "transmit", &t->tx);
	if (h->caps.hint && way_failed(&t->tx) && t->tx.asked)
		snprintf(to + strlen(to), size - strlen(to), "; %s", h->caps.hint);
}

static void note_map(const struct hwclock *h, struct probe_numbers *n)
{
	struct clockmap_point p;

	n->map_readings = h->map.readings;
	n->map_epochs = h->map.epoch;
	n->map_half_ns = -1;
	if (clockmap_point(&h->map, h->map.nic0_ns, &p))
		return;
	n->map_half_ns = p.half_ns;
	if (p.half_ns > n->map_half_max_ns)
		n->map_half_max_ns = p.half_ns;
}

void hwclock_note(const struct hwclock *h, enum carrier carrier, struct probe_numbers *n)
{
	const struct hwclock_test *t = &h->test[carrier];

	n->rx_stamp = n->tx_stamp = (uint8_t)hwclock_kind(h, carrier);
	n->carrier = (uint8_t)carrier;
	n->hardware_port = t->state != HWCLOCK_NONE;
	n->rx_good = t->rx.good;
	n->tx_good = t->tx.good;
	memcpy(n->rx_lost, t->rx.lost, sizeof(n->rx_lost));
	memcpy(n->tx_lost, t->tx.lost, sizeof(n->tx_lost));
	explain(h, carrier, n->stamp_note, sizeof(n->stamp_note));
	note_map(h, n);
}

void hwclock_tell(const struct hwclock *h, enum carrier carrier)
{
	const struct hwclock_test *t = &h->test[carrier];
	char text[sizeof(((struct probe_numbers *)0)->stamp_note)];

	explain(h, carrier, text, sizeof(text));
	if (t->state == HWCLOCK_PROVED)
		log_info("hardware stamps over %s: %u of %u received and %u of %u sent were good (%s: %s)",
			 carrier_name(carrier), t->rx.good, t->rx.asked, t->tx.good, t->tx.asked,
			 h->caps.scope, h->caps.unit);
	else if (text[0])
		log_warn("%s", text);
}
