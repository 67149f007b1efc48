#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "probe_pair.h"

#include "probe/hwclock_note.h"

/* What the maps of both ends and the tick of their clocks may add up to here. */
#define NEARLY	150

static struct sim_nic_config nic(enum stamp_scope scope)
{
	struct sim_nic_config c = { .scope = scope, .ppb = 25000, .tick_ns = 16, .half_ticks = 50,
				    .tx_after_ns = 2000, .offset_ns = 7 * NS_PER_S, .bits = 40 };

	return c;
}

static struct pair *world(const struct sim_nic_config *near, const struct sim_nic_config *far, uint64_t count)
{
	struct sim_nic_config nics[2] = { *near, *far };
	struct sender_config config = pair_config(1000, count);
	struct sim_config wire = pair_wire();
	struct pair *p = pair_new_nics(&wire, &config, nics);

	pair_resolve(p);
	return p;
}

static struct pair *same(enum stamp_scope scope, uint64_t count)
{
	struct sim_nic_config c = nic(scope);

	return world(&c, &c, count);
}

/* Runs until so many measured probes have left. */
static void run_to(struct pair *p, uint64_t sent)
{
	while (p->numbers[NEAR].sent < sent)
		pair_step(p);
}

static void note(struct pair *p)
{
	for (int end = 0; end < 2; end++)
		hwclock_note(&p->hw[end], p->net[end].carrier, &p->numbers[end]);
}

static uint64_t unstamped(const struct pair *p)
{
	uint64_t sum = 0;

	for (int i = 0; i < UNSTAMPED_COUNT; i++)
		sum += p->numbers[NEAR].unstamped[i];
	return sum;
}

static void assert_near(int64_t value, int64_t expected, int64_t by)
{
	if (value < expected - by || value > expected + by)
		fail_msg("%lld is not %lld +- %lld", (long long)value, (long long)expected, (long long)by);
}

static void assert_trusted_delays(const struct pair *p)
{
	const struct gate_sums *s = gate_sums(p->gate);

	assert_near(s->ab_trusted.min_ns, THERE, NEARLY);
	assert_near(s->ab_trusted.max_ns, THERE, NEARLY);
	assert_near(s->ba_trusted.min_ns, BACK, NEARLY);
	assert_near(s->ba_trusted.max_ns, BACK, NEARLY);
}

static void assert_delays(const struct pair *p)
{
	assert_near(p->rtt.min_ns, THERE + BACK, 60);
	assert_near(p->rtt.max_ns, THERE + BACK, 60);
	assert_trusted_delays(p);
	assert_int_equal(gate_numbers(p->gate)->contradictions, 0);
}

static void assert_kinds(struct pair *p, enum stamp_kind near, enum stamp_kind far, enum carrier carrier)
{
	note(p);
	assert_int_equal(p->numbers[NEAR].rx_stamp, near);
	assert_int_equal(p->numbers[NEAR].tx_stamp, near);
	assert_int_equal(p->numbers[NEAR].far_rx_stamp, far);
	assert_int_equal(p->numbers[NEAR].far_tx_stamp, far);
	assert_int_equal(p->numbers[NEAR].carrier, carrier);
}

static void test_all_four(void **state)
{
	struct pair *p = same(SCOPE_PTP_SYNC, 500);

	(void)state;
	pair_finish(p);
	pair_assert_books(p);
	assert_kinds(p, STAMP_HARDWARE, STAMP_HARDWARE, CARRIER_L2_PTP);
	assert_int_equal(p->numbers[NEAR].sent, 500);
	assert_int_equal(p->rtt.count, 500);
	assert_int_equal(unstamped(p), 0);
	assert_int_equal(gate_numbers(p->gate)->admitted, 500);
	assert_delays(p);
	/* both pages' 1000 ns, and both maps */
	assert_in_range(gate_numbers(p->gate)->bound_max_ns, 2100, 2400);
	pair_free(p);
}

static void test_all_frames(void **state)
{
	struct pair *p = same(SCOPE_ALL, 200);

	(void)state;
	pair_finish(p);
	pair_assert_books(p);
	assert_kinds(p, STAMP_HARDWARE, STAMP_HARDWARE, CARRIER_UDP);
	assert_int_equal(p->rtt.count, 200);
	assert_delays(p);
	pair_free(p);
}

static void test_one_end(void **state)
{
	struct sim_nic_config with = nic(SCOPE_PTP_SYNC), without = { .scope = SCOPE_NONE };
	struct pair *p = world(&with, &without, 200);

	(void)state;
	pair_finish(p);
	pair_assert_books(p);
	assert_kinds(p, STAMP_HARDWARE, STAMP_SOFTWARE, CARRIER_L2_PTP);
	assert_int_equal(p->rtt.count, 200);
	pair_free(p);
	p = world(&without, &with, 200);
	pair_finish(p);
	pair_assert_books(p);
	assert_kinds(p, STAMP_SOFTWARE, STAMP_SOFTWARE, CARRIER_UDP);
	assert_int_equal(p->rtt.count, 200);
	pair_free(p);
}

/* A driver without the flag: frames and receive stamps, and never a transmit stamp. */
static void test_no_transmit_stamps(void **state)
{
	struct sim_nic_config c = nic(SCOPE_PTP_SYNC);
	struct pair *p;

	(void)state;
	c.no_tx = 1;
	p = world(&c, &c, 200);
	pair_finish(p);
	pair_assert_books(p);
	assert_kinds(p, STAMP_SOFTWARE, STAMP_SOFTWARE, CARRIER_UDP);
	assert_int_equal(p->rtt.count, 200);
	hwclock_note(&p->hw[NEAR], CARRIER_L2_PTP, &p->numbers[NEAR]);
	assert_non_null(strstr(p->numbers[NEAR].stamp_note, "0 of "));
	assert_non_null(strstr(p->numbers[NEAR].stamp_note, "transmit stamps were good"));
	assert_non_null(strstr(p->numbers[NEAR].stamp_note, "rebuild the driver"));
	pair_free(p);
}

/* Faults of single stamps: each one costs the probes that it concerns, and nothing else. */

static const struct fault {
	size_t at;
	int tx;
	enum stamp_loss loss;
} faults[] = {
	{ offsetof(struct sim_nic, zero_rx), 0, STAMP_LOSS_zero },
	{ offsetof(struct sim_nic, stale_rx), 0, STAMP_LOSS_repeated },
	{ offsetof(struct sim_nic, early_rx), 0, STAMP_LOSS_earlier },
	{ offsetof(struct sim_nic, late_rx), 0, STAMP_LOSS_later },
	{ offsetof(struct sim_nic, zero_tx), 1, STAMP_LOSS_zero },
	{ offsetof(struct sim_nic, lost_tx), 1, STAMP_LOSS_timeout },
};

static void try_fault(const struct fault *f, int end)
{
	struct pair *p = same(SCOPE_PTP_SYNC, 400);
	int n = 3;

	run_to(p, 100);
	memcpy((char *)sim_nic(p->sim, end) + f->at, &n, sizeof(n));
	pair_finish(p);
	pair_assert_books(p);
	note(p);
	if (f->tx)
		assert_int_equal(p->numbers[end].tx_lost[f->loss], 3);
	else
		assert_int_equal(p->numbers[end].rx_lost[f->loss], 3);
	if (f->loss == STAMP_LOSS_timeout && end == FAR)
		assert_in_range(unstamped(p), 3, 24);	/* the slot is in use for 5 ms each time */
	else
		assert_int_equal(unstamped(p), 3);
	assert_int_equal(p->numbers[NEAR].follow_up_lost, 0);
	assert_int_equal(p->rtt.count, 400 - unstamped(p));
	assert_delays(p);
	pair_free(p);
}

static void test_faults(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		for (int end = 0; end < 2; end++)
			try_fault(&faults[i], end);
}

/* The low bits wrap while it runs; 32 and 40 of them. */
static void test_wraps(void **state)
{
	static const int bits[] = { 32, 40, 64 };

	(void)state;
	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		struct sim_nic_config c = nic(SCOPE_PTP_SYNC);
		struct pair *p;

		c.bits = bits[i];
		c.offset_ns = (INT64_C(1) << (bits[i] < 64 ? bits[i] : 48)) - 300 * NS_PER_MS;
		p = world(&c, &c, 600);
		pair_finish(p);
		pair_assert_books(p);
		assert_int_equal(p->rtt.count, 600);
		assert_delays(p);
		pair_free(p);
	}
}

/* A step of the device clock: what was measured since the last reading of it is withdrawn with its slice,
 * nothing is measured across it, and the map finds its feet again. */
static void try_step(int64_t step_ns, int end)
{
	struct pair *p = same(SCOPE_PTP_SYNC, 600);

	run_to(p, 100);
	sim_nic(p->sim, end)->stepped_ns += step_ns;
	pair_finish(p);
	pair_assert_books(p);
	note(p);
	assert_int_equal(p->numbers[end].map_epochs, 1);
	assert_in_range(unstamped(p), 1, 150);
	assert_true(p->rtt.count > 400);
	assert_trusted_delays(p);
	assert_true(gate_numbers(p->gate)->admitted > 300);
	pair_free(p);
}

static void test_steps(void **state)
{
	static const int64_t steps[] = { NS_PER_S, -NS_PER_S, 50 * NS_PER_MS, -7 * NS_PER_S, 5 * NS_PER_US,
					 -5 * NS_PER_US };

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		for (int end = 0; end < 2; end++)
			try_step(steps[i], end);
}

/* One read of the clock tore: stamps wait for the next one, the line stays. */
static void test_torn_clock(void **state)
{
	struct pair *p = same(SCOPE_PTP_SYNC, 300);

	(void)state;
	run_to(p, 100);
	sim_nic(p->sim, NEAR)->torn_clock = 8;	/* a whole burst */
	pair_finish(p);
	pair_assert_books(p);
	note(p);
	assert_int_equal(p->numbers[NEAR].map_epochs, 0);
	assert_in_range(unstamped(p), 1, 50);
	assert_true(p->numbers[NEAR].rx_lost[STAMP_LOSS_no_map] > 0);
	assert_delays(p);
	pair_free(p);
}

/* The clock cannot be read any more: from there on stamps are software, and in no table with the others. */
static void try_change(int end)
{
	struct pair *p = same(SCOPE_PTP_SYNC, 1000);

	run_to(p, 100);
	sim_nic(p->sim, end)->deaf_clock = 1 << 20;
	pair_finish(p);
	pair_assert_books(p);
	assert_true(p->rtt.count >= 100 && p->rtt.count < 900);
	assert_in_range(p->numbers[NEAR].unstamped[UNSTAMPED_mixed], 100, 900);
	assert_near(p->rtt.min_ns, THERE + BACK, 60);
	assert_near(p->rtt.max_ns, THERE + BACK, 60);
	assert_trusted_delays(p);
	pair_free(p);
}

static void test_change_of_kind(void **state)
{
	(void)state;
	try_change(NEAR);
	try_change(FAR);
}

/* The reflector looks away for a while and finds several probes at once: one register, one stamp. */
static void test_burst(void **state)
{
	struct pair *p = same(SCOPE_PTP_SYNC, 400);

	(void)state;
	run_to(p, 100);
	p->deaf = 1;
	run_to(p, 110);
	p->deaf = 0;
	pair_finish(p);
	pair_assert_books(p);
	assert_in_range(unstamped(p), 5, 40);
	assert_int_equal(p->numbers[NEAR].follow_up_lost, 0);
	assert_delays(p);
	pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_four),
		cmocka_unit_test(test_all_frames),
		cmocka_unit_test(test_one_end),
		cmocka_unit_test(test_no_transmit_stamps),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_wraps),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_torn_clock),
		cmocka_unit_test(test_change_of_kind),
		cmocka_unit_test(test_burst),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
