#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "nstime.h"
#include "reason.h"
#include "timesvc/sources/sysclk.h"
#include "timesvc/system.h"

#define S	NS_PER_S
#define MS	NS_PER_MS
#define US	NS_PER_US
#define TAI	(INT64_C(1700000037) * S)
#define HALF	27

static const struct policy_settings policy = {
	.fallback_bound_ns = 100 * US, .recover_bound_ns = 50 * US, .recover_time_ns = 5 * S,
	.hold_limit_ns = 5 * S, .settle_syncs = 16, .growth_ppb = 1000,
};

static struct system_track track;
static struct pipeline_output theirs, out;
static struct system_parent parent;
static struct system_snapshot snap;
static int64_t now, apart;		/* the counter; CLOCK_REALTIME minus UTC by the hardware clock */
static int reads;

static void begin(void)
{
	now = 10 * S;
	apart = 0;
	reads = 1;
	theirs = (struct pipeline_output){
		.have_line = 1, .mult = UINT64_C(1) << 48, .growth = 4295,	/* 1000 ppb */
		.line = { .bound_ns = 900, .epoch = 4, .state = TSV_TRUSTED,
			.flags = TSV_PTP_SCALE | TSV_REFERENCE | TSV_TSC_ASSUMED },
		.verdict = { .from = TSV_TRUSTED, .to = TSV_TRUSTED },
	};
	parent = (struct system_parent){ .out = &theirs, .utc_known = 1, .utc_offset = 37 };
	system_init(&track, &policy, 1.0, 7, now);
}

static void run(int64_t span)
{
	for (int64_t end = now + span; now < end;) {
		struct clock_reading r = { .half_width_ns = HALF };

		now += 50 * MS;
		r.tick = (uint64_t)now;
		r.time_ns = TAI - 37 * S + now + apart;
		theirs.line.tsc = (uint64_t)now;
		theirs.line.ns = TAI + now;
		theirs.line.good_until_ns = TAI + now - 120 * MS;
		system_clock(&track, reads ? &r : NULL);
		system_judge(&track, &parent, now, (uint64_t)now, &out, &snap);
	}
}

static void beside_a_trusted_clock(void **state)
{
	(void)state;
	begin();
	apart = -700;
	run(2 * S);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
	assert_int_equal(out.verdict.reasons, 0);
	assert_int_equal(out.have_line, 1);
	assert_int_equal(out.line.ns, TAI - 37 * S + now - 700);
	assert_int_equal(out.line.good_until_ns, out.line.ns - 120 * MS);
	/* The hardware clock's 900, 700 apart, the reading's half width, and 1 of resolution. */
	assert_int_equal(out.line.bound_ns, 900 + 700 + HALF + 1);
	assert_int_equal(out.line.flags, TSV_TSC_ASSUMED);
	assert_int_equal(snap.known, 1);
	assert_int_equal(snap.have_offset, 1);
	assert_int_equal(snap.offset_ns, -700);
	assert_int_equal(snap.bound_ns, 1628);
	assert_int_equal(snap.utc_offset, 37);
	assert_int_equal(snap.read_ns, HALF);
	/* Theirs, policy's, and two half widths over the ring. */
	assert_in_range((int64_t)(((uint64_t)out.growth * NS_PER_S) >> 32), 2030, 2040);
}

static void epochs(void **state)
{
	(void)state;
	begin();
	run(1 * S);
	/* The first of theirs that was seen counts as one: 7 was published before. */
	assert_int_equal(out.line.epoch, 9);
	theirs.line.epoch++;
	run(50 * MS);
	assert_int_equal(out.epoch_rose, 1);
	assert_int_equal(out.line.epoch, 10);
	run(50 * MS);
	assert_int_equal(out.epoch_rose, 0);
	assert_int_equal(out.line.epoch, 10);
}

static void follows_the_hardware_clock(void **state)
{
	static const enum tsv_state states[] = { TSV_UNKNOWN, TSV_SETTLING, TSV_HOLDOVER, TSV_LOCAL_RTT };

	(void)state;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		int64_t good_until;

		begin();
		run(1 * S);
		good_until = out.line.good_until_ns;
		theirs.verdict.to = states[i];
		theirs.verdict.reasons = TSV_BIT(sync_missing);
		run(100 * MS);
		assert_int_equal(out.verdict.to, states[i]);
		assert_int_equal(out.verdict.reasons, TSV_BIT(sync_missing));
		assert_int_equal(out.line.good_until_ns, good_until);
		/* Back with it, at once. */
		theirs.verdict.to = TSV_TRUSTED;
		theirs.verdict.reasons = 0;
		run(150 * MS);
		assert_int_equal(out.verdict.to, TSV_TRUSTED);
	}
}

static void steps_of_its_own(void **state)
{
	uint32_t epoch;

	(void)state;
	begin();
	run(2 * S);
	epoch = out.line.epoch;
	apart = 20 * US;
	run(50 * MS);
	assert_int_equal(out.verdict.to, TSV_LOCAL_RTT);
	assert_int_equal(out.verdict.reasons, TSV_BIT(clock_step));
	assert_int_equal(out.line.epoch, epoch + 1);
	assert_int_equal(snap.clock_steps, 1);
	run(4900 * MS);
	assert_int_equal(out.verdict.to, TSV_LOCAL_RTT);
	run(300 * MS);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
	/* While the hardware clock is not relied on, a step raises the epoch all the same. */
	theirs.verdict.to = TSV_LOCAL_RTT;
	run(100 * MS);
	epoch = out.line.epoch;
	apart = 0;
	run(50 * MS);
	assert_int_equal(out.line.epoch, epoch + 1);
}

static void too_far_apart(void **state)
{
	(void)state;
	begin();
	apart = 150 * US;
	run(1 * S);
	assert_int_equal(out.verdict.to, TSV_LOCAL_RTT);
	assert_true(out.verdict.reasons & TSV_BIT(bound));
	assert_int_equal(snap.bound_ns, 150 * US + 900 + HALF + 1);
	/* A wrong second is no bound that fits the page. */
	begin();
	apart = 5 * S;
	run(1 * S);
	assert_int_equal(snap.offset_ns, 5 * S);
	assert_int_equal(snap.bound_ns, -1);
	assert_int_equal(out.verdict.to, TSV_LOCAL_RTT);
}

static void without_the_offset_of_utc(void **state)
{
	(void)state;
	begin();
	parent.utc_known = 0;
	run(1 * S);
	assert_int_equal(snap.bound_ns, -1);
	assert_int_equal(snap.have_offset, 0);
	assert_int_equal(out.line.bound_ns, -1);
	assert_int_not_equal(out.verdict.to, TSV_TRUSTED);
	assert_true(out.verdict.reasons & TSV_BIT(utc_offset));
}

static void what_cannot_be_read(void **state)
{
	(void)state;
	begin();
	run(1 * S);
	reads = 0;
	run(100 * MS);
	assert_int_equal(out.verdict.to, TSV_HOLDOVER);
	assert_int_equal(out.verdict.reasons, TSV_BIT(clock_read));
	/* Never read: nothing to publish. */
	begin();
	reads = 0;
	run(100 * MS);
	assert_int_equal(out.have_line, 0);
	assert_int_equal(snap.bound_ns, -1);
	/* The hardware clock has no line. */
	begin();
	theirs.have_line = 0;
	run(100 * MS);
	assert_int_equal(out.have_line, 0);
}

static void without_a_bound_of_theirs(void **state)
{
	(void)state;
	begin();
	theirs.line.bound_ns = -1;
	theirs.verdict.to = TSV_LOCAL_RTT;
	run(1 * S);
	assert_int_equal(snap.bound_ns, -1);
	assert_int_equal(snap.offset_ns, 0);
	assert_int_equal(snap.have_offset, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beside_a_trusted_clock),
		cmocka_unit_test(epochs),
		cmocka_unit_test(follows_the_hardware_clock),
		cmocka_unit_test(steps_of_its_own),
		cmocka_unit_test(too_far_apart),
		cmocka_unit_test(without_the_offset_of_utc),
		cmocka_unit_test(what_cannot_be_read),
		cmocka_unit_test(without_a_bound_of_theirs),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("system", tests, NULL, NULL);
}
