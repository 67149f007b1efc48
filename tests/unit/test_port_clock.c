#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "nstime.h"
#include "probe/hwclock_note.h"
#include "probe/port_sim.h"
#include "timesvc.h"

/* hwclock.h over a simulated port. */

#define HALF 50

static struct sim *sim;
static struct hwclock hw;

static void open_nic(const struct sim_nic_config *c)
{
	static const struct sim_config wire = { .delay_ns = { 500, 500 }, .seed = 1 };
	struct gate_end page = { .known = 1, .state = TSV_TRUSTED, .bound_parent_ns = 1000, .bound_gm_ns = -1,
				 .bound_utc_ns = INT64_MAX - 10, .port_budget_ns = -1 };

	sim = sim_new(&wire);
	assert_non_null(sim);
	sim_set_nic(sim, 0, c);
	sim_set_clock(sim, 0, 0, &page, -1);
	sim_advance(sim, NS_PER_S);
	hwclock_init(&hw, sim_port(sim, 0), sim_clock(sim, 0));
}

static struct sim_nic_config good(void)
{
	struct sim_nic_config c = { .scope = SCOPE_ALL, .ppb = 1000, .half_ticks = HALF,
				    .offset_ns = 5 * NS_PER_S, .tx_after_ns = 1000 };

	return c;
}

static void run(int64_t ns)
{
	for (int64_t end = sim_now(sim) + ns; sim_now(sim) < end; sim_advance(sim, NS_PER_MS))
		hwclock_work(&hw, sim_now(sim));
}

static struct stamp hardware(int64_t at_ns)
{
	struct stamp s = { .kind = STAMP_HARDWARE, .tick = (uint64_t)sim_now(sim),
			   .nic_ns = sim_nic_time(sim_nic(sim, 0), at_ns) };

	return s;
}

static int teardown(void **state)
{
	(void)state;
	sim_free(sim);
	sim = NULL;
	return 0;
}

static void receive(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct stamp s = hardware(sim_now(sim) - 1000);

		hwclock_check_rx(&hw, CARRIER_UDP, &s);
		sim_advance(sim, 2000);
	}
}

static int transmit_one(struct stamp *s)
{
	static const uint8_t frame[64];
	struct port *port = sim_port(sim, 0);
	struct port_sent sent;
	int err;

	err = port->ops->transmit(port, frame, sizeof(frame), PORT_WANT_STAMP, NULL, NULL, &sent);
	assert_int_equal(err, 0);
	err = hwclock_check_tx(&hw, CARRIER_UDP, &sent, s);
	if (err != -EAGAIN)
		return err;
	sim_advance(sim, 1000);
	return hwclock_check_tx(&hw, CARRIER_UDP, &sent, s);
}

static void transmit(unsigned n)
{
	struct stamp s;

	for (unsigned i = 0; i < n; i++)
		assert_int_equal(transmit_one(&s), 0);
}

static void prove(void)
{
	run(100 * NS_PER_MS);
	receive(HWCLOCK_PROOF);
	transmit(HWCLOCK_PROOF);
	assert_int_equal(hwclock_kind(&hw, CARRIER_UDP), STAMP_HARDWARE);
}

static void test_proof(void **state)
{
	struct sim_nic_config c = good();
	struct stamp s;

	(void)state;
	open_nic(&c);
	assert_int_equal(hwclock_kind(&hw, CARRIER_UDP), STAMP_NONE);
	receive(20);		/* no map yet: nothing is tested */
	assert_int_equal(hw.test[CARRIER_UDP].rx.asked, 0);
	run(100 * NS_PER_MS);
	receive(HWCLOCK_PROOF);
	assert_int_equal(hwclock_kind(&hw, CARRIER_UDP), STAMP_NONE);
	transmit(HWCLOCK_PROOF - 1);
	assert_int_equal(hwclock_kind(&hw, CARRIER_UDP), STAMP_NONE);
	assert_int_equal(transmit_one(&s), 0);
	assert_int_equal(hwclock_kind(&hw, CARRIER_UDP), STAMP_HARDWARE);
	assert_int_equal(s.kind, STAMP_HARDWARE);
	assert_int_equal(hwclock_kind(&hw, CARRIER_L2_PTP), STAMP_NONE);	/* its own test */
	hwclock_settle(&hw, CARRIER_L2_PTP);
	assert_int_equal(hwclock_kind(&hw, CARRIER_L2_PTP), STAMP_SOFTWARE);
}

static void test_software_port(void **state)
{
	struct sim_nic_config c = { .scope = SCOPE_NONE };
	struct stamp s = { .kind = STAMP_SOFTWARE, .tick = 7 };

	(void)state;
	open_nic(&c);
	run(10 * NS_PER_MS);
	assert_int_equal(hwclock_kind(&hw, CARRIER_UDP), STAMP_SOFTWARE);
	hwclock_check_rx(&hw, CARRIER_UDP, &s);
	assert_int_equal(s.kind, STAMP_SOFTWARE);
	assert_int_equal(transmit_one(&s), 0);
	assert_int_equal(s.kind, STAMP_SOFTWARE);
	assert_int_equal(s.tick, sim_now(sim));
	assert_int_equal(hwclock_half_ns(&hw, &s), 0);
}

static void test_plausible(void **state)
{
	struct sim_nic_config c = good();
	struct stamp s;
	struct hwclock_way *rx = &hw.test[CARRIER_UDP].rx;

	(void)state;
	open_nic(&c);
	prove();
	s = hardware(sim_now(sim) + 2000);
	hwclock_check_rx(&hw, CARRIER_UDP, &s);
	assert_int_equal(s.kind, STAMP_NONE);
	assert_int_equal(rx->lost[STAMP_LOSS_later], 1);
	s = hardware(sim_now(sim) - 200 * NS_PER_MS);
	hwclock_check_rx(&hw, CARRIER_UDP, &s);
	assert_int_equal(rx->lost[STAMP_LOSS_earlier], 1);
	s = hardware(sim_now(sim));
	hwclock_check_rx(&hw, CARRIER_UDP, &s);
	assert_int_equal(s.kind, STAMP_HARDWARE);
	hwclock_check_rx(&hw, CARRIER_UDP, &s);
	assert_int_equal(s.kind, STAMP_NONE);
	assert_int_equal(rx->lost[STAMP_LOSS_repeated], 1);
	s = (struct stamp){ .kind = STAMP_SOFTWARE, .tick = (uint64_t)sim_now(sim), .loss = STAMP_LOSS_torn };
	hwclock_check_rx(&hw, CARRIER_UDP, &s);
	assert_int_equal(s.kind, STAMP_NONE);
	assert_int_equal(rx->lost[STAMP_LOSS_torn], 1);
	assert_int_equal(hwclock_kind(&hw, CARRIER_UDP), STAMP_HARDWARE);	/* what is proved stays so */
}

static void test_slot_in_use(void **state)
{
	static const uint8_t frame[64];
	struct sim_nic_config c = good();
	struct port_sent first, second;
	struct port *port;
	struct stamp s;

	(void)state;
	open_nic(&c);
	prove();
	port = sim_port(sim, 0);
	port->ops->transmit(port, frame, sizeof(frame), PORT_WANT_STAMP, NULL, NULL, &first);
	port->ops->transmit(port, frame, sizeof(frame), PORT_WANT_STAMP, NULL, NULL, &second);
	assert_int_equal(second.asked, 0);
	assert_int_equal(hwclock_check_tx(&hw, CARRIER_UDP, &second, &s), 0);
	assert_int_equal(s.kind, STAMP_NONE);
	assert_int_equal(hw.test[CARRIER_UDP].tx.lost[STAMP_LOSS_no_slot], 1);
	sim_advance(sim, 1000);
	assert_int_equal(hwclock_check_tx(&hw, CARRIER_UDP, &first, &s), 0);
	assert_int_equal(s.kind, STAMP_HARDWARE);
}

static void test_refuted(void **state)
{
	struct sim_nic_config c = good();
	struct probe_numbers n = { 0 };
	struct stamp s;

	(void)state;
	c.no_tx = 1;
	open_nic(&c);
	run(100 * NS_PER_MS);
	receive(HWCLOCK_PROOF);
	for (int i = 0; i < HWCLOCK_TRIES; i++) {
		static const uint8_t frame[64];
		struct port *port = sim_port(sim, 0);
		struct port_sent sent;

		port->ops->transmit(port, frame, sizeof(frame), PORT_WANT_STAMP, NULL, NULL, &sent);
		sim_advance(sim, TX_SLOT_WAIT_NS);
		assert_int_equal(hwclock_check_tx(&hw, CARRIER_UDP, &sent, &s), 0);
	}
	assert_int_equal(hwclock_kind(&hw, CARRIER_UDP), STAMP_SOFTWARE);
	hwclock_note(&hw, CARRIER_UDP, &n);
	assert_string_equal(n.stamp_note, "software stamps over udp; 0 of 64 transmit stamps were good "
			    "(the transmit stamp never came); rebuild the driver");
	assert_int_equal(n.tx_lost[STAMP_LOSS_timeout], HWCLOCK_TRIES);
	s = hardware(sim_now(sim));
	hwclock_check_rx(&hw, CARRIER_UDP, &s);
	assert_int_equal(s.kind, STAMP_SOFTWARE);
}

/* What some drivers return for the device clock. */
static int64_t host_offset_ns[16];

static int64_t host_now(clockid_t id)
{
	return sim_now(sim) + host_offset_ns[id];
}

static void try_host_clock(const struct sim_nic_config *c, int refused)
{
	struct probe_numbers n = { 0 };

	open_nic(c);
	hw.host_now = host_now;
	run(200 * NS_PER_MS);
	hwclock_note(&hw, CARRIER_UDP, &n);
	if (refused) {
		assert_int_equal(hwclock_kind(&hw, CARRIER_UDP), STAMP_SOFTWARE);
		assert_string_equal(n.stamp_note, "the device clock that the driver reads is the host's own");
	} else {
		assert_int_equal(hwclock_kind(&hw, CARRIER_UDP), STAMP_NONE);
	}
	sim_free(sim);
	sim = NULL;
}

static void test_host_clock(void **state)
{
	struct sim_nic_config c = good();

	(void)state;
	for (int i = 0; i < 16; i++)
		host_offset_ns[i] = (i + 1) * 1000 * NS_PER_S;
	c.ppb = 0;
	c.doubtful = 1;
	try_host_clock(&c, 0);
	c.offset_ns = host_offset_ns[CLOCK_REALTIME];
	try_host_clock(&c, 1);
	c.offset_ns = host_offset_ns[CLOCK_MONOTONIC_RAW];
	try_host_clock(&c, 1);
	c.offset_ns = 0;		/* the counter, as time */
	try_host_clock(&c, 1);
	c.doubtful = 0;			/* a PHC may well agree with the host's clock */
	c.offset_ns = host_offset_ns[CLOCK_REALTIME];
	try_host_clock(&c, 0);
}

static void test_clock_fails(void **state)
{
	struct sim_nic_config c = good();
	struct probe_numbers n = { 0 };

	(void)state;
	open_nic(&c);
	sim_nic(sim, 0)->deaf_clock = 5;
	run(100 * NS_PER_MS);
	assert_true(clockmap_ready(&hw.map));
	sim_nic(sim, 0)->deaf_clock = 1000;
	run(NS_PER_S);
	hwclock_note(&hw, CARRIER_UDP, &n);
	assert_string_equal(n.stamp_note, "the device clock cannot be read");
	assert_int_equal(hwclock_kind(&hw, CARRIER_UDP), STAMP_SOFTWARE);
}

/* Not of nanoseconds. */
static void test_unsteady(void **state)
{
	struct sim_nic_config c = good();
	struct probe_numbers n = { 0 };

	(void)state;
	c.ppb = 20000000;
	open_nic(&c);
	run(NS_PER_S);
	hwclock_note(&hw, CARRIER_UDP, &n);
	assert_string_equal(n.stamp_note, "the device clock is no steady clock of nanoseconds");
	assert_int_equal(hwclock_kind(&hw, CARRIER_UDP), STAMP_SOFTWARE);
}

static void test_reading(void **state)
{
	struct sim_nic_config c = good();
	struct stamp a, b, software = { .kind = STAMP_SOFTWARE, .tick = 77, .half_ticks = 5 };
	struct clock_reading r;
	int64_t at;

	(void)state;
	open_nic(&c);
	at = sim_now(sim);
	a = hardware(at);
	assert_int_equal(hwclock_read(&hw, &a, &r), -EAGAIN);
	assert_int_equal(hwclock_half_ns(&hw, &a), -EAGAIN);
	run(100 * NS_PER_MS);
	at = sim_now(sim);
	a = hardware(at);
	b = hardware(at + 30000);
	assert_int_equal(hwclock_read(&hw, &a, &r), 0);
	assert_in_range(r.ns - at + 5, 0, 10);
	assert_int_equal(r.end.bound_parent_ns, 1000 + hwclock_half_ns(&hw, &a));
	assert_in_range(hwclock_half_ns(&hw, &a), HALF, HALF + 60);
	assert_int_equal(r.end.bound_gm_ns, -1);		/* none stays none */
	assert_int_equal(r.end.bound_utc_ns, INT64_MAX);	/* and too much does not wrap */
	assert_in_range(hwclock_span_ns(&hw, &a, &b) - 30000 + 2, 0, 4);
	assert_in_range(hwclock_span_ns(&hw, &b, &a) + 30000 + 2, 0, 4);
	assert_int_equal(hwclock_read(&hw, &software, &r), 0);
	assert_int_equal(r.ns, 77);
	assert_int_equal(r.end.bound_parent_ns, 1005);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_proof, teardown),
		cmocka_unit_test_teardown(test_software_port, teardown),
		cmocka_unit_test_teardown(test_plausible, teardown),
		cmocka_unit_test_teardown(test_slot_in_use, teardown),
		cmocka_unit_test_teardown(test_refuted, teardown),
		cmocka_unit_test_teardown(test_host_clock, teardown),
		cmocka_unit_test_teardown(test_clock_fails, teardown),
		cmocka_unit_test_teardown(test_unsteady, teardown),
		cmocka_unit_test_teardown(test_reading, teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
