#include "port_sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WIRE_MAX 8192

struct sim_frame {
	int64_t at_ns;
	uint16_t len;
	uint8_t data[PORT_FRAME_MAX];
};

struct sim_end {
	struct port port;
	struct clock clock;
	struct sim_nic nic;
	struct sim *sim;
	int64_t offset_ns, good_lag_ns;
	struct gate_end page;
	int lose, repeat, refuse;
	struct port_stats stats;
	uint8_t last[PORT_FRAME_MAX];
	size_t last_len;
	struct sim_frame *wire[WIRE_MAX];	/* on their way to this end, soonest first */
	int on_wire;
	struct sim_frame *held[PORT_BURST];
	int held_count;
};

struct sim {
	struct sim_config config;
	uint64_t random;
	int64_t now_ns;
	struct sim_end end[2];
};

static struct sim_end *end_of(struct port *port)
{
	return (struct sim_end *)port;
}

static const struct sim_end *end_of_clock(const struct clock *c)
{
	return (const struct sim_end *)((const char *)c - offsetof(struct sim_end, clock));
}

/* xorshift64* (Vigna 2016) */
static uint64_t draw(struct sim *sim, uint64_t below)
{
	sim->random ^= sim->random >> 12;
	sim->random ^= sim->random << 25;
	sim->random ^= sim->random >> 27;
	return below ? sim->random * UINT64_C(0x2545f4914f6cdd1d) % below : 0;
}

static int chance(struct sim *sim, unsigned ppm)
{
	return draw(sim, 1000000) < ppm;
}

static int take_one(int *n)
{
	return *n > 0 ? (*n)-- : 0;
}

static void put_on_wire(struct sim_end *to, const uint8_t *frame, size_t len, int64_t at_ns)
{
	struct sim_frame *f = to->on_wire < WIRE_MAX ? malloc(sizeof(*f)) : NULL;
	int i = to->on_wire;

	if (!f)
		return;
	f->at_ns = at_ns;
	f->len = (uint16_t)len;
	memcpy(f->data, frame, len);
	for (; i > 0 && to->wire[i - 1]->at_ns > at_ns; i--)
		to->wire[i] = to->wire[i - 1];
	to->wire[i] = f;
	to->on_wire++;
}

static int64_t arrival_ns(struct sim *sim, int from)
{
	const struct sim_config *c = &sim->config;
	int64_t ns = sim->now_ns + c->delay_ns[from] + (int64_t)draw(sim, (uint64_t)c->jitter_ns + 1);

	return chance(sim, c->late_ppm) ? ns + c->late_ns : ns;
}

static int sim_transmit(struct port *port, const uint8_t *frame, size_t len, unsigned flags,
	void (*stamp)(void *arg, uint8_t *frame, size_t len), void *arg, struct port_sent *sent)
{
	struct sim_end *me = end_of(port);
	struct sim *sim = me->sim;
	int from = me == &sim->end[1], copies;

	if (len > sizeof(me->last))
		return -EMSGSIZE;
	if (take_one(&me->refuse)) {
		me->stats.tx_failed++;
		return -EAGAIN;
	}
	memcpy(me->last, frame, len);
	me->last_len = len;
	if (stamp)
		stamp(arg, me->last, len);
	*sent = (struct port_sent){ .tick = (uint64_t)sim->now_ns };
	sim_nic_sent(&me->nic, flags, sim->now_ns, sent);
	me->stats.tx_frames++;
	copies = take_one(&me->lose) || chance(sim, sim->config.lost_ppm) ? 0 : 1;
	if (copies && (take_one(&me->repeat) || chance(sim, sim->config.twice_ppm)))
		copies = 2;
	while (copies--)
		put_on_wire(&sim->end[!from], me->last, len, arrival_ns(sim, from));
	return 0;
}

static void drop_held(struct sim_end *me)
{
	while (me->held_count)
		free(me->held[--me->held_count]);
}

static int sim_receive(struct port *port, struct port_frame *frames, int max)
{
	struct sim_end *me = end_of(port);
	int n = 0, latched[PORT_BURST];

	drop_held(me);
	while (n < max && n < me->on_wire && me->wire[n]->at_ns <= me->sim->now_ns) {
		me->held[n] = me->wire[n];
		frames[n] = (struct port_frame){ .data = me->held[n]->data, .len = me->held[n]->len,
						 .stamp = { .kind = STAMP_SOFTWARE,
							    .tick = (uint64_t)me->sim->now_ns } };
		latched[n] = sim_nic_arrived(&me->nic, frames[n].data, frames[n].len, me->held[n]->at_ns);
		n++;
	}
	for (int i = 0; i < n; i++)
		sim_nic_rx_stamp(&me->nic, latched[i], &frames[i].stamp);
	me->held_count = n;
	me->on_wire -= n;
	memmove(me->wire, me->wire + n, (size_t)me->on_wire * sizeof(me->wire[0]));
	me->stats.rx_frames += (uint64_t)n;
	return n;
}

static void sim_close(struct port *port)
{
	(void)port;
}

static void sim_caps(const struct port *port, struct port_caps *caps)
{
	*caps = (struct port_caps){
		.rx = STAMP_SOFTWARE, .tx = STAMP_SOFTWARE, .unit = "virtual nanoseconds",
		.epoch = "start of the world", .scope = "all frames", .resolution_ns = 1,
		.phc_index = -1,
	};
	sim_nic_caps(&((const struct sim_end *)port)->nic, caps);
}

static void sim_mac(const struct port *port, uint8_t mac[6])
{
	const struct sim_end *me = (const struct sim_end *)port;
	uint8_t own[6] = { 2, 0, 0, 0, 0, me == &me->sim->end[1] };

	memcpy(mac, own, 6);
}

static int sim_mtu(const struct port *port)
{
	(void)port;
	return 1500;
}

static void sim_stats(struct port *port, struct port_stats *stats)
{
	*stats = end_of(port)->stats;
}

static int sim_tx_stamp(struct port *port, uint32_t id, struct stamp *out)
{
	struct sim_end *me = end_of(port);

	return sim_nic_tx_stamp(&me->nic, id, me->sim->now_ns, out);
}

static int sim_device_clock(struct port *port, struct port_clock_reading *out)
{
	struct sim_end *me = end_of(port);

	return sim_nic_clock(&me->nic, me->sim->now_ns, out);
}

static const struct port_ops sim_ops = {
	.scheme = "sim", .close = sim_close, .caps = sim_caps, .mac = sim_mac, .mtu = sim_mtu,
	.transmit = sim_transmit, .receive = sim_receive, .tx_stamp = sim_tx_stamp,
	.device_clock = sim_device_clock, .stats = sim_stats,
};

static uint64_t sim_ticks(const struct clock *c)
{
	return (uint64_t)end_of_clock(c)->sim->now_ns;
}

static void sim_read(const struct clock *c, uint64_t tick, struct clock_reading *out)
{
	const struct sim_end *me = end_of_clock(c);

	out->ns = (int64_t)tick + me->offset_ns;
	out->end = me->page;
	if (me->good_lag_ns >= 0)
		out->end.good_until_ns = me->sim->now_ns + me->offset_ns - me->good_lag_ns;
}

static const struct clock_ops sim_clock_ops = { .ticks = sim_ticks, .read = sim_read };

struct sim *sim_new(const struct sim_config *config)
{
	struct sim *sim = calloc(1, sizeof(*sim));

	if (!sim)
		return NULL;
	sim->config = *config;
	sim->random = config->seed ? config->seed : 1;
	for (int i = 0; i < 2; i++) {
		sim->end[i].sim = sim;
		sim->end[i].port.ops = &sim_ops;
		sim->end[i].nic.map = &sim->end[i].port.map;
		sim->end[i].clock.ops = &sim_clock_ops;
		sim->end[i].clock.mult = UINT64_C(1) << 48;
		sim->end[i].good_lag_ns = -1;
	}
	return sim;
}

void sim_free(struct sim *sim)
{
	for (int i = 0; sim && i < 2; i++) {
		drop_held(&sim->end[i]);
		while (sim->end[i].on_wire)
			free(sim->end[i].wire[--sim->end[i].on_wire]);
	}
	free(sim);
}

struct port *sim_port(struct sim *sim, int end)
{
	return &sim->end[end].port;
}

struct clock *sim_clock(struct sim *sim, int end)
{
	return &sim->end[end].clock;
}

struct sim_nic *sim_nic(struct sim *sim, int end)
{
	return &sim->end[end].nic;
}

void sim_set_nic(struct sim *sim, int end, const struct sim_nic_config *config)
{
	sim->end[end].nic.config = *config;
}

int64_t sim_now(const struct sim *sim)
{
	return sim->now_ns;
}

void sim_advance(struct sim *sim, int64_t ns)
{
	sim->now_ns += ns;
}

void sim_set_clock(struct sim *sim, int end, int64_t offset_ns, const struct gate_end *page,
	int64_t good_lag_ns)
{
	sim->end[end].offset_ns = offset_ns;
	sim->end[end].page = *page;
	sim->end[end].good_lag_ns = good_lag_ns;
}

void sim_lose(struct sim *sim, int end, int n)
{
	sim->end[end].lose = n;
}

void sim_repeat(struct sim *sim, int end, int n)
{
	sim->end[end].repeat = n;
}

void sim_refuse(struct sim *sim, int end, int n)
{
	sim->end[end].refuse = n;
}

const uint8_t *sim_last(const struct sim *sim, int end, size_t *len)
{
	*len = sim->end[end].last_len;
	return *len ? sim->end[end].last : NULL;
}
