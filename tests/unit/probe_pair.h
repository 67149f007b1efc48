/* probe_pair.h: a sender and a reflector in the virtual world of port_sim.h. Include cmocka.h first. */
#ifndef TESTS_PROBE_PAIR_H
#define TESTS_PROBE_PAIR_H

#include <stdlib.h>
#include <string.h>
#include "nstime.h"
#include "probe/port_sim.h"
#include "probe/reflector.h"
#include "probe/sender.h"
#include "probe/stamp.h"
#include "timesvc.h"

#define NEAR		0
#define FAR		1
#define NEAR_IP		UINT32_C(0x0a000001)
#define FAR_IP		UINT32_C(0x0a000002)
#define NEAR_PORT	50000
#define SSID		0x1234
#define PAGE		(INT64_C(1700000000) * NS_PER_S)
#define STEP		(10 * NS_PER_US)
#define THERE		(30 * NS_PER_US)
#define BACK		(20 * NS_PER_US)

struct pair {
	struct sim *sim;
	struct gate *gate;
	struct hist_sum rtt;
	struct probe_numbers numbers[2];
	struct hwclock hw[2];
	struct net net[2];
	struct sender *sender;
	struct reflector reflector;
	int deaf;		/* the reflector does not look at its port */
};

static inline struct gate_end pair_page(int end)
{
	struct gate_end e = { .known = 1, .state = TSV_TRUSTED, .epoch = 3, .bound_parent_ns = 1000,
			      .bound_gm_ns = -1, .bound_utc_ns = -1, .port_budget_ns = -1 };

	e.clock[0] = (uint8_t)(end + 1);
	e.parent[0] = e.gm[0] = 1;
	e.flags = end == NEAR ? TSV_REFERENCE : 0;
	return e;
}

static inline void pair_set_page(struct pair *p, int end, const struct gate_end *page)
{
	sim_set_clock(p->sim, end, PAGE, page, 10 * NS_PER_MS);
}

static inline struct sim_config pair_wire(void)
{
	struct sim_config c = { .delay_ns = { THERE, BACK }, .seed = 1 };

	return c;
}

/* `nics`: of both ends; NULL: no hardware stamps. */
static inline struct pair *pair_new_nics(const struct sim_config *wire, const struct sender_config *config,
	const struct sim_nic_config *nics)
{
	struct net_config near = { .local_ip = NEAR_IP, .remote_ip = FAR_IP, .local_port = NEAR_PORT,
				   .resolve = 1 };
	struct net_config far = { .local_ip = FAR_IP, .remote_ip = NEAR_IP, .local_port = STAMP_UDP_PORT };
	struct pair *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	p->sim = sim_new(wire);
	p->gate = gate_new(5 * NS_PER_S, NULL, NULL);
	assert_non_null(p->sim);
	assert_non_null(p->gate);
	for (int end = 0; end < 2; end++) {
		struct gate_end page = pair_page(end);

		pair_set_page(p, end, &page);
		if (nics)
			sim_set_nic(p->sim, end, &nics[end]);
		hwclock_init(&p->hw[end], sim_port(p->sim, end), sim_clock(p->sim, end));
		net_init(&p->net[end], &p->hw[end], end == NEAR ? &near : &far, &p->numbers[end]);
	}
	p->sender = sender_new(config, &p->net[NEAR], p->gate, &p->rtt, &p->numbers[NEAR]);
	assert_non_null(p->sender);
	reflector_init(&p->reflector, &p->net[FAR], &p->numbers[FAR]);
	return p;
}

static inline struct pair *pair_new(const struct sim_config *wire, const struct sender_config *config)
{
	return pair_new_nics(wire, config, NULL);
}

static inline void pair_free(struct pair *p)
{
	sender_free(p->sender);
	gate_free(p->gate);
	sim_free(p->sim);
	free(p);
}

static inline struct sender_config pair_config(int64_t rate, uint64_t count)
{
	struct sender_config c = { .rate = rate, .count = count, .ssid = SSID,
				   .remote_port = STAMP_UDP_PORT, .carrier = CARRIER_COUNT };

	return c;
}

/* As if the far end had answered ARP already. */
static inline void pair_resolve(struct pair *p)
{
	sim_port(p->sim, FAR)->ops->mac(sim_port(p->sim, FAR), p->net[NEAR].remote_mac);
	p->net[NEAR].resolved = 1;
}

static inline void pair_poll_near(struct pair *p)
{
	struct port_frame frames[PORT_BURST];
	struct ether_packet packet;
	int n = hwclock_receive(&p->hw[NEAR], frames, PORT_BURST);

	for (int i = 0; i < n; i++)
		if (net_input(&p->net[NEAR], &frames[i], sim_now(p->sim), &packet))
			sender_input(p->sender, &packet, &frames[i], sim_now(p->sim));
}

static inline void pair_poll_far(struct pair *p)
{
	struct port_frame frames[PORT_BURST];
	struct ether_packet packet;
	int n = hwclock_receive(&p->hw[FAR], frames, PORT_BURST);

	for (int i = 0; i < n; i++)
		if (net_input(&p->net[FAR], &frames[i], sim_now(p->sim), &packet))
			reflector_input(&p->reflector, &packet, &frames[i], sim_now(p->sim));
}

static inline void pair_step(struct pair *p)
{
	sim_advance(p->sim, STEP);
	for (int end = 0; end < 2; end++)
		hwclock_work(&p->hw[end], sim_now(p->sim));
	if (!p->deaf)
		pair_poll_far(p);
	reflector_work(&p->reflector);
	pair_poll_near(p);
	net_work(&p->net[NEAR], sim_now(p->sim));
	sender_work(p->sender, sim_now(p->sim));
}

static inline void pair_run(struct pair *p, int64_t ns)
{
	for (int64_t end_ns = sim_now(p->sim) + ns; sim_now(p->sim) < end_ns;)
		pair_step(p);
}

/* To the end of the run. */
static inline void pair_finish(struct pair *p)
{
	while (!sender_done(p->sender, sim_now(p->sim)))
		pair_step(p);
	sender_finish(p->sender);
}

static inline uint64_t pair_refused(const struct pair *p)
{
	uint64_t sum = 0;

	for (int i = 0; i < GATE_REASON_COUNT; i++)
		sum += gate_numbers(p->gate)->refused[i];
	return sum;
}

/* No probe and no sample is unaccounted for. */
static inline void pair_assert_books(const struct pair *p)
{
	const struct probe_numbers *n = &p->numbers[NEAR];
	const struct gate_numbers *g = gate_numbers(p->gate);
	uint64_t unstamped = 0;

	assert_int_equal(n->sent, n->received + n->lost);
	for (int i = 0; i < UNSTAMPED_COUNT; i++)
		unstamped += n->unstamped[i];
	assert_int_equal(n->received, p->rtt.count + n->malformed + unstamped);
	assert_int_equal(p->rtt.count, g->admitted + pair_refused(p));
	assert_int_equal(g->waiting, 0);
}

#endif
