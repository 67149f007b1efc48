#include "hwclock.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include "log.h"
#include "nstime.h"

#define BURST		8			/* reads of the device clock, of which the narrowest counts */
#define FAST_NS		(2 * NS_PER_MS)		/* between bursts until there is a map */
#define SLOW_NS		(20 * NS_PER_MS)
#define EARLY_NS	(10 * NS_PER_MS)	/* a stamp may be older than the poll before by this */
#define GIVE_UP		16			/* failed readings in a row, and there is no device clock */
#define UNSTEADY	256			/* readings without a line, and it is none of nanoseconds */
#define FREE_PPB	500.0			/* wander of an oscillator that nobody steers */
#define STEERED_PPB	20000.0			/* and of one that a servo does */

void hwclock_init(struct hwclock *h, struct port *port, const struct clock *clock)
{
	struct clockmap_config config = { 0 };
	int hardware;

	memset(h, 0, sizeof(*h));
	h->port = port;
	h->clock = clock;
	h->host_now = nstime_now;
	port->ops->caps(port, &h->caps);
	config.ns_per_tick = (double)clock->mult / (double)(UINT64_C(1) << 48);
	config.resolution_ns = h->caps.resolution_ns > 0 ? h->caps.resolution_ns : 1;
	config.wander_ppb = h->caps.phc_index >= 0 ? STEERED_PPB : FREE_PPB;
	clockmap_init(&h->map, &config);
	port->map = &h->map;
	h->emptied_tick = h->polled_tick = clock->ops->ticks(clock);
	hardware = h->caps.rx == STAMP_HARDWARE && h->caps.tx == STAMP_HARDWARE && port->ops->device_clock &&
		   port->ops->tx_stamp;
	for (int i = 0; i < CARRIER_COUNT; i++)
		h->test[i].state = hardware ? HWCLOCK_TESTING : HWCLOCK_NONE;
	if (hardware && h->caps.rx_scope != SCOPE_ALL)
		h->test[CARRIER_UDP].state = HWCLOCK_REFUTED;
}

/* The device clock. */

static void give_up(struct hwclock *h, const char *why)
{
	for (int i = 0; i < CARRIER_COUNT; i++)
		if (h->test[i].state != HWCLOCK_NONE)
			h->test[i].state = HWCLOCK_REFUTED;
	h->refused = why;
	log_warn("no hardware stamps: %s", why);
}

static void doubt(struct hwclock *h, const struct port_clock_reading *r)
{
	static const clockid_t ids[OS_CLOCKS] = { CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW,
						  CLOCK_BOOTTIME, CLOCK_TAI };
	int64_t host_ns[OS_CLOCKS];
	int64_t age_ns;

	for (int i = 0; i < OS_CLOCKS; i++)
		host_ns[i] = h->host_now(ids[i]);
	age_ns = clock_span_ns(h->clock, r->tick, h->clock->ops->ticks(h->clock));
	if (os_clock_look(&h->os, &h->map, r, host_ns, age_ns + NS_PER_MS))
		give_up(h, "the device clock that the driver reads is the host's own");
}

static int narrowest(struct hwclock *h, struct port_clock_reading *best)
{
	struct port_clock_reading r;
	int found = 0;

	for (int i = 0; i < BURST; i++) {
		int err = h->port->ops->device_clock(h->port, &r);

		if (err)
			return found ? 0 : err;
		if (!found || r.half_ticks < best->half_ticks)
			*best = r;
		found = 1;
	}
	return 0;
}

static void compare(struct hwclock *h, const struct port_clock_reading *r)
{
	struct clock_reading page;
	int was = h->shared.shared;
	uint8_t mac[6];

	h->port->ops->mac(h->port, mac);
	h->clock->ops->read(h->clock, r->tick, &page);
	shared_clock_look(&h->shared, mac, r->nic_ns, clock_span_ns(h->clock, 0, r->half_ticks), &page);
	if (h->shared.shared != was)
		log_info("the port's clock is %s", was ? "not the page's any more" : "the page's own");
}

static void read_device(struct hwclock *h)
{
	struct port_clock_reading r = { 0 };
	int err = narrowest(h, &r);

	if (err) {
		if (err == -ENOTSUP)
			give_up(h, "the port has none any more");
		else if (++h->clock_failed >= GIVE_UP)
			give_up(h, "the device clock cannot be read");
		return;
	}
	h->clock_failed = 0;
	clockmap_add(&h->map, &r);
	h->unsteady = h->map.window ? 0 : h->unsteady + 1;
	if (h->unsteady >= UNSTEADY)
		give_up(h, "the device clock is no steady clock of nanoseconds");
	if (h->caps.doubtful_clock)
		doubt(h, &r);
	if (h->caps.phc_index >= 0)
		compare(h, &r);
}

static int in_use(const struct hwclock *h)
{
	for (int i = 0; i < CARRIER_COUNT; i++)
		if (h->test[i].state == HWCLOCK_TESTING || h->test[i].state == HWCLOCK_PROVED)
			return 1;
	return 0;
}

void hwclock_work(struct hwclock *h, int64_t now_ns)
{
	if (now_ns < h->due_ns || !in_use(h))
		return;
	read_device(h);
	h->due_ns = now_ns + (h->map.window < CLOCKMAP_READINGS / 4 ? FAST_NS : SLOW_NS);
}

int hwclock_receive(struct hwclock *h, struct port_frame *frames, int max)
{
	uint64_t tick = h->clock->ops->ticks(h->clock);
	int n = h->port->ops->receive(h->port, frames, max);

	h->emptied_tick = h->polled_tick;
	if (n < max)
		h->polled_tick = tick;
	return n;
}

/* Proof. */

enum stamp_kind hwclock_kind(const struct hwclock *h, enum carrier carrier)
{
	switch (h->test[carrier].state) {
	case HWCLOCK_TESTING:
		return STAMP_NONE;
	case HWCLOCK_PROVED:
		return STAMP_HARDWARE;
	default:
		return STAMP_SOFTWARE;
	}
}

static int failed(const struct hwclock_way *w)
{
	return w->asked - w->good >= HWCLOCK_TRIES;
}

static void weigh(struct hwclock_test *t)
{
	if (t->state != HWCLOCK_TESTING)
		return;
	if (t->rx.good >= HWCLOCK_PROOF && t->tx.good >= HWCLOCK_PROOF)
		t->state = HWCLOCK_PROVED;
	else if (failed(&t->rx) || failed(&t->tx))
		t->state = HWCLOCK_REFUTED;
}

void hwclock_settle(struct hwclock *h, enum carrier carrier)
{
	if (h->test[carrier].state == HWCLOCK_TESTING)
		h->test[carrier].state = HWCLOCK_REFUTED;
}

/* A hardware stamp must lie between two ticks. Returns why it cannot be, or STAMP_LOSS_COUNT. */
static enum stamp_loss implausible(const struct hwclock *h, const struct stamp *s, int64_t last_ns,
	uint64_t from, uint64_t to)
{
	struct clockmap_point p;

	if (s->kind != STAMP_HARDWARE)
		return s->loss;
	if (!s->nic_ns)
		return STAMP_LOSS_zero;
	if (clockmap_point(&h->map, s->nic_ns, &p))
		return STAMP_LOSS_no_map;
	if (s->nic_ns == last_ns)
		return STAMP_LOSS_repeated;
	if (clock_span_ns(h->clock, from, p.tick) < -p.half_ns)
		return STAMP_LOSS_earlier;
	if (clock_span_ns(h->clock, to, p.tick) > p.half_ns)
		return STAMP_LOSS_later;
	return STAMP_LOSS_COUNT;
}

/* Without a map nothing has been tested. */
static void account(struct hwclock_test *t, struct hwclock_way *w, enum stamp_loss loss)
{
	if (t->state == HWCLOCK_TESTING && loss == STAMP_LOSS_no_map)
		return;
	w->asked++;
	if (loss == STAMP_LOSS_COUNT)
		w->good++;
	else
		w->lost[loss]++;
	weigh(t);
}

static void demote(struct stamp *s, enum stamp_kind kind, enum stamp_loss loss)
{
	if (kind == STAMP_SOFTWARE)
		s->kind = STAMP_SOFTWARE;
	else if (kind == STAMP_NONE || loss != STAMP_LOSS_COUNT)
		s->kind = STAMP_NONE;
}

static uint64_t ticks_of(const struct hwclock *h, int64_t ns)
{
	return (uint64_t)((double)ns / h->map.config.ns_per_tick);
}

void hwclock_check_rx(struct hwclock *h, enum carrier carrier, struct stamp *stamp)
{
	struct hwclock_test *t = &h->test[carrier];
	enum stamp_loss loss;

	if (t->state == HWCLOCK_NONE || t->state == HWCLOCK_REFUTED) {
		stamp->kind = STAMP_SOFTWARE;
		return;
	}
	loss = implausible(h, stamp, h->last_rx_ns, h->emptied_tick - ticks_of(h, EARLY_NS), stamp->tick);
	if (stamp->kind == STAMP_HARDWARE)
		h->last_rx_ns = stamp->nic_ns;
	account(t, &t->rx, loss);
	demote(stamp, hwclock_kind(h, carrier), loss);
}

unsigned hwclock_tx_flags(const struct hwclock *h, enum carrier carrier)
{
	return h->test[carrier].state == HWCLOCK_REFUTED ? 0 : PORT_WANT_STAMP;
}

static int check_tx(struct hwclock *h, enum carrier carrier, const struct port_sent *sent,
	struct stamp *stamp)
{
	struct hwclock_test *t = &h->test[carrier];
	enum stamp_loss loss;

	loss = implausible(h, stamp, h->last_tx_ns, sent->tick, h->clock->ops->ticks(h->clock));
	if (stamp->kind == STAMP_HARDWARE)
		h->last_tx_ns = stamp->nic_ns;
	account(t, &t->tx, loss);
	demote(stamp, hwclock_kind(h, carrier), loss);
	return 0;
}

int hwclock_check_tx(struct hwclock *h, enum carrier carrier, const struct port_sent *sent,
	struct stamp *stamp)
{
	struct hwclock_test *t = &h->test[carrier];
	int software = t->state == HWCLOCK_NONE || t->state == HWCLOCK_REFUTED;
	int err;

	*stamp = (struct stamp){ .kind = STAMP_SOFTWARE, .tick = sent->tick, .loss = STAMP_LOSS_timeout };
	if (!sent->asked) {
		if (!software)
			account(t, &t->tx, STAMP_LOSS_no_slot);
		demote(stamp, hwclock_kind(h, carrier), STAMP_LOSS_no_slot);
		return 0;
	}
	err = h->port->ops->tx_stamp(h->port, sent->id, stamp);
	if (err == -EAGAIN)
		return err;
	if (err)
		*stamp = (struct stamp){ .kind = STAMP_SOFTWARE, .tick = sent->tick, .loss = stamp->loss };
	if (!software)
		return check_tx(h, carrier, sent, stamp);
	stamp->kind = STAMP_SOFTWARE;
	return 0;
}

void hwclock_abandon_tx(struct hwclock *h, enum carrier carrier)
{
	struct hwclock_test *t = &h->test[carrier];

	if (t->state == HWCLOCK_TESTING || t->state == HWCLOCK_PROVED)
		account(t, &t->tx, STAMP_LOSS_timeout);
}

/* Use. */

static void widen(int64_t *bound_ns, int64_t by_ns)
{
	if (*bound_ns >= 0)
		*bound_ns = nstime_add(*bound_ns, by_ns);
}

void hwclock_widen(struct clock_reading *r, int64_t by_ns)
{
	widen(&r->end.bound_parent_ns, by_ns);
	widen(&r->end.bound_gm_ns, by_ns);
	widen(&r->end.bound_utc_ns, by_ns);
}

static int point(const struct hwclock *h, const struct stamp *stamp, struct clockmap_point *out)
{
	if (stamp->kind == STAMP_HARDWARE)
		return clockmap_point(&h->map, stamp->nic_ns, out);
	out->tick = stamp->tick;
	out->half_ns = clock_span_ns(h->clock, 0, stamp->half_ticks);
	return 0;
}

int64_t hwclock_half_ns(const struct hwclock *h, const struct stamp *stamp)
{
	struct clockmap_point p;
	int err = point(h, stamp, &p);

	if (err)
		return err;
	return stamp->kind == STAMP_HARDWARE && h->shared.shared ? 0 : p.half_ns;
}

/* The map vouches for stamps up to its newest reading, and only in its own epoch. */
static void vouch(const struct hwclock *h, uint64_t tick, struct clock_reading *out)
{
	int64_t mapped_ns = out->ns - clock_span_ns(h->clock, h->map.tick0, tick);

	if (!in_use(h))
		return;
	out->end.epoch += h->map.epoch;
	if (out->end.good_until_ns > mapped_ns)
		out->end.good_until_ns = mapped_ns;
}

void hwclock_page(const struct hwclock *h, uint64_t tick, struct clock_reading *out)
{
	h->clock->ops->read(h->clock, tick, out);
	vouch(h, tick, out);
}

int hwclock_read(const struct hwclock *h, const struct stamp *stamp, struct clock_reading *out)
{
	struct clockmap_point p;
	int err = point(h, stamp, &p);

	if (err)
		return err;
	hwclock_page(h, p.tick, out);
	if (stamp->kind == STAMP_HARDWARE && h->shared.shared)
		out->ns = stamp->nic_ns;
	else
		hwclock_widen(out, p.half_ns);
	return 0;
}

int64_t hwclock_span_ns(const struct hwclock *h, const struct stamp *from, const struct stamp *to)
{
	if (from->kind != STAMP_HARDWARE || to->kind != STAMP_HARDWARE)
		return clock_span_ns(h->clock, from->tick, to->tick);
	return (int64_t)(clockmap_span_ticks(&h->map, from->nic_ns, to->nic_ns) * h->map.config.ns_per_tick);
}
