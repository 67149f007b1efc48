#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "nstime.h"
#include "timesvc/bound.h"

#define S	NS_PER_S
#define MS	NS_PER_MS
#define US	NS_PER_US
#define T0	(INT64_C(1700000000) * S)

static struct clockline line;
static struct offset_track offsets;
static struct clock_settings settings;
static struct bound_input in;
static struct bound b;

/* A follower one hop from its grandmaster, with nothing measured yet but a clock read to 26 ns. */
static void begin(void)
{
	line = (struct clockline){ .have = 1, .half_width_ns = 26 };
	offset_init(&offsets, 10 * US, 1);
	settings = (struct clock_settings){ .mode = MODE_OBSERVE, .upstream_budget_ns = -1 };
	in = (struct bound_input){
		.line = &line, .offsets = &offsets, .settings = &settings, .role = ROLE_FOLLOWER,
		.steps_removed = 1, .gm_accuracy = 0xFE, .ptp_timescale = 1,
	};
}

static void measured(int64_t at, int64_t offset, int64_t path)
{
	struct offset_reading r = { T0 + at, offset, path };

	assert_int_equal(offset_feed(&offsets, &r), OFFSET_ACCEPTED);
	in.evidence_ns = T0 + at;
}

static const struct bound *at(int64_t page)
{
	bound_at(&in, T0 + page, &b);
	return &b;
}

static void corrections_since_the_evidence_count(void **state)
{
	int64_t plain;

	(void)state;
	begin();
	measured(0, 100, 500);
	plain = at(0)->parent_ns;
	line.slewed_ns = 7300;
	in.slewed_ns = 7000;
	assert_int_equal(at(0)->parent_ns, plain + 300);
	in.slewed_ns = 7500;
	assert_int_equal(at(0)->parent_ns, plain + 200);
	assert_int_equal(b.read_ns, 26 + 1 + 200);
}

/* IEEE 1588-2019, Table 5. */
static void accuracies(void **state)
{
	static const struct { uint8_t code; int64_t ns; } table[] = {
		{ 0x17, 1 /* 1 ps */ }, { 0x18, 1 /* 2.5 ps */ }, { 0x19, 1 /* 10 ps */ },
		{ 0x1A, 1 /* 25 ps */ }, { 0x1B, 1 /* 100 ps */ }, { 0x1C, 1 /* 250 ps */ },
		{ 0x1D, 1 }, { 0x1E, 3 /* 2.5 ns */ }, { 0x1F, 10 }, { 0x20, 25 }, { 0x21, 100 },
		{ 0x22, 250 }, { 0x23, 1 * US }, { 0x24, 2500 }, { 0x25, 10 * US }, { 0x26, 25 * US },
		{ 0x27, 100 * US },
		{ 0x28, 250 * US }, { 0x29, 1 * MS }, { 0x2A, 2500 * US }, { 0x2B, 10 * MS },
		{ 0x2C, 25 * MS }, { 0x2D, 100 * MS }, { 0x2E, 250 * MS }, { 0x2F, 1 * S }, { 0x30, 10 * S },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		assert_int_equal(bound_of_accuracy(table[i].code), table[i].ns);
	/* Over 10 s, reserved, of a profile, unknown. */
	for (int code = 0x31; code <= 0xFF; code++)
		assert_int_equal(bound_of_accuracy((uint8_t)code), -1);
	for (int code = 0; code <= 0x16; code++)
		assert_int_equal(bound_of_accuracy((uint8_t)code), -1);
}

static void expect_none(void)
{
	assert_int_equal(at(S)->parent_ns, -1);
	assert_int_equal(b.gm_ns, -1);
	assert_int_equal(b.utc_ns, -1);
	assert_int_equal(b.judged_ns, -1);
}

static void no_evidence_no_bound(void **state)
{
	(void)state;
	begin();
	expect_none();
	in.evidence_ns = T0;		/* a Sync, and no offset */
	expect_none();
	measured(0, 100, 1000);
	assert_true(at(0)->parent_ns > 0);
	line.have = 0;
	expect_none();
	line.have = 1;
	in.role = ROLE_AUTO;
	expect_none();
	in.role = ROLE_FOLLOWER;
	in.evidence_ns = 0;
	expect_none();
}

static void terms_of_a_follower(void **state)
{
	(void)state;
	begin();
	measured(0, -700, 1700);
	measured(100 * MS, 300, 1650);
	line.unslewed_ns = -13;
	at(100 * MS);
	assert_int_equal(b.offset_ns, 700);
	assert_int_equal(b.path_ns, 1700);
	assert_int_equal(b.read_ns, 26 + 13 + 1);
	assert_int_equal(b.growth_ns, 0);
	assert_int_equal(b.growth_ppb, 0);
	assert_int_equal(b.parent_ns, 700 + 1700 + 40);
	assert_int_equal(b.gm_ns, b.parent_ns);
	assert_int_equal(b.judged_ns, b.parent_ns);
	assert_int_equal(b.utc_ns, -1);
}

static void growth_since_the_evidence_rounds_up(void **state)
{
	int64_t base;

	(void)state;
	begin();
	measured(0, 100, 1000);
	base = at(0)->parent_ns;
	in.growth_ppb = 1000;
	line.rate_error_ppb = 34;
	line.slew_ppb = 130;
	assert_int_equal(at(0)->growth_ppb, 1164);
	assert_int_equal(b.growth_ns, 0);
	assert_int_equal(at(1)->growth_ns, 1);
	assert_int_equal(at(1 * S)->growth_ns, 1164);
	assert_int_equal(b.parent_ns, base + 1164);
	assert_int_equal(at(1 * S + 1)->growth_ns, 1165);
	/* Before the evidence there is nothing to grow. */
	assert_int_equal(at(-1 * S)->growth_ns, 0);
}

static void a_drifting_offset_grows_by_its_rate(void **state)
{
	(void)state;
	begin();
	for (int i = 0; i < 30; i++)
		measured(i * 100 * MS, i * 2000, 1000);
	assert_in_range(at(2900 * MS)->growth_ppb, 20000, 21500);
	assert_in_range(at(3900 * MS)->growth_ns, 20000, 21500);
	/* A reference has no offset that could drift. */
	in.role = ROLE_REFERENCE;
	assert_int_equal(at(3900 * MS)->growth_ppb, 0);
}

static void growth_fits_the_page(void **state)
{
	(void)state;
	begin();
	measured(0, 0, 1000);
	in.growth_ppb = 5 * NS_PER_S;
	assert_int_equal(at(2 * S)->growth_ppb, NS_PER_S - 1);
	assert_int_equal(b.growth_ns, 2 * S - 2);
	line.rate_error_ppb = INT64_C(1) << 60;
	assert_int_equal(at(0)->growth_ppb, NS_PER_S - 1);
}

static void the_window_stands_still_in_a_silence(void **state)
{
	(void)state;
	begin();
	measured(0, 9000, 4000);
	for (int i = 1; i <= 10; i++)
		measured(i * S, 100, 1000);
	assert_int_equal(at(10 * S)->offset_ns, 9000);
	assert_int_equal(at(100 * S)->offset_ns, 9000);
	assert_int_equal(b.path_ns, 4000);
	for (int i = 11; i <= 13; i++)
		measured(i * S, 100, 1000);
	assert_int_equal(at(13 * S)->offset_ns, 100);
	assert_int_equal(b.path_ns, 1000);
}

static void jump_to(int64_t from, int64_t offset)
{
	struct offset_reading r = { T0 + from, offset, 1000 };

	assert_int_equal(offset_feed(&offsets, &r), OFFSET_PENDING);
	r.ingress_ns += 100 * MS;
	assert_int_equal(offset_feed(&offsets, &r), OFFSET_CONFIRMED);
	in.evidence_ns = r.ingress_ns;
}

static void a_jump_is_added_until_the_memory_has_turned_over(void **state)
{
	(void)state;
	begin();
	measured(0, 0, 1000);
	jump_to(100 * MS, 15 * US);
	assert_int_equal(at(200 * MS)->offset_ns, 30 * US);
	measured(200 * MS + 11 * S, 15 * US, 1000);
	assert_int_equal(at(200 * MS + 11 * S)->offset_ns, 30 * US);
	measured(200 * MS + 11 * S + 1, 15 * US, 1000);
	assert_int_equal(at(200 * MS + 11 * S + 1)->offset_ns, 15 * US);
}

/* Where something steers, it has followed readings that nobody has confirmed yet. */
static void unconfirmed_readings_count_where_a_servo_runs(void **state)
{
	struct offset_reading r = { T0 + 100 * MS, -60 * US, 1000 };

	(void)state;
	begin();
	offsets.confirmations = 2;
	measured(0, 500, 1000);
	assert_int_equal(offset_feed(&offsets, &r), OFFSET_PENDING);
	r = (struct offset_reading){ T0 + 200 * MS, -55 * US, 1000 };
	assert_int_equal(offset_feed(&offsets, &r), OFFSET_PENDING);
	assert_int_equal(at(200 * MS)->offset_ns, 500);
	settings.mode = MODE_STEER;
	assert_int_equal(at(200 * MS)->offset_ns, 60 * US);
	settings.mode = MODE_ADOPT;
	assert_int_equal(at(200 * MS)->offset_ns, 60 * US);
	measured(300 * MS, 600, 1000);
	assert_int_equal(at(300 * MS)->offset_ns, 600);
}

static void a_reference_has_only_its_reading_and_growth(void **state)
{
	(void)state;
	begin();
	in.role = ROLE_REFERENCE;
	in.steps_removed = 0;
	in.evidence_ns = T0;
	in.growth_ppb = 1000;
	assert_int_equal(at(100 * MS)->parent_ns, 26 + 1 + 100);
	assert_int_equal(b.offset_ns, 0);
	assert_int_equal(b.path_ns, 0);
	assert_int_equal(b.gm_ns, 127);
	assert_int_equal(b.judged_ns, 127);
}

static void hops_above_the_parent_need_a_budget(void **state)
{
	int64_t parent;

	(void)state;
	begin();
	measured(0, 700, 1700);
	parent = at(0)->parent_ns;
	assert_int_equal(b.needs_budget, 0);
	in.steps_removed = 2;
	assert_int_equal(at(0)->gm_ns, -1);
	assert_int_equal(b.needs_budget, 1);
	assert_int_equal(b.judged_ns, parent);
	settings.upstream_budget_ns = 500;
	assert_int_equal(at(0)->gm_ns, parent + 500);
	assert_int_equal(b.needs_budget, 0);
	assert_int_equal(b.judged_ns, parent + 500);
	settings.upstream_budget_ns = 0;
	assert_int_equal(at(0)->gm_ns, parent);
	/* One hop has no others above it: the budget is not asked for. */
	in.steps_removed = 1;
	settings.upstream_budget_ns = 500;
	assert_int_equal(at(0)->gm_ns, parent);
}

static void utc_needs_accuracy_and_timescale(void **state)
{
	int64_t gm;

	(void)state;
	begin();
	measured(0, 700, 1700);
	in.gm_accuracy = 0x21;
	gm = at(0)->gm_ns;
	assert_int_equal(b.utc_ns, gm + 100);
	assert_int_equal(b.judged_ns, gm);	/* which is not what is judged */
	in.ptp_timescale = 0;
	assert_int_equal(at(0)->utc_ns, -1);
	in.ptp_timescale = 1;
	in.gm_accuracy = 0xFE;
	assert_int_equal(at(0)->utc_ns, -1);
	in.gm_accuracy = 0x31;
	assert_int_equal(at(0)->utc_ns, -1);
	/* No bound to the grandmaster, none to UTC. */
	in.gm_accuracy = 0x21;
	in.steps_removed = 3;
	assert_int_equal(at(0)->utc_ns, -1);
}

/* A grandmaster that serves 1970. */
static void huge_offsets_stay_huge(void **state)
{
	(void)state;
	begin();
	offsets.outlier_ns = INT64_MAX / 4;
	for (int i = 0; i < 32; i++)
		measured(i * MS, i < 16 ? 0 : -T0, 1000);
	at(32 * MS);
	assert_int_equal(b.offset_ns, T0);
	assert_true(b.parent_ns > T0);
	assert_in_range(b.growth_ppb, 1, NS_PER_S - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(corrections_since_the_evidence_count),
		cmocka_unit_test(accuracies), cmocka_unit_test(no_evidence_no_bound),
		cmocka_unit_test(terms_of_a_follower),
		cmocka_unit_test(growth_since_the_evidence_rounds_up),
		cmocka_unit_test(a_drifting_offset_grows_by_its_rate),
		cmocka_unit_test(growth_fits_the_page),
		cmocka_unit_test(the_window_stands_still_in_a_silence),
		cmocka_unit_test(a_jump_is_added_until_the_memory_has_turned_over),
		cmocka_unit_test(unconfirmed_readings_count_where_a_servo_runs),
		cmocka_unit_test(a_reference_has_only_its_reading_and_growth),
		cmocka_unit_test(hops_above_the_parent_need_a_budget),
		cmocka_unit_test(utc_needs_accuracy_and_timescale),
		cmocka_unit_test(huge_offsets_stay_huge),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("bound", tests, NULL, NULL);
}
