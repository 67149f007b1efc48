#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "pipeline_fixture.h"

static void a_reference_is_trusted_by_what_it_sends(void **state)
{
	(void)state;
	begin_reference();
	run(4 * S);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
	assert_int_equal(out.line.flags, TSV_SOFTWARE | TSV_REFERENCE);
	assert_int_equal(p.snap.role, ROLE_REFERENCE);
	assert_int_equal(p.snap.have_offset, 1);
	assert_int_equal(p.snap.offset_ns, 0);
	assert_in_range(out.line.bound_ns, 27, 300);
	/* Sync was sent after the poll before the last. */
	assert_int_equal(out.line.good_until_ns, local_time() - POLL);
	sync_on = 0;
	run(1 * S);
	expect_holdover(B(sync_missing));
}

static void a_reference_of_somebody_else_is_none(void **state)
{
	(void)state;
	begin_reference();
	r.parent.gm.id[7] = 1;
	run(4 * S);
	assert_false(saw(TSV_TRUSTED));
	assert_true(out.verdict.reasons & B(port_state));
}

static void a_reference_moves_when_ptp4l_serves_another_time(void **state)
{
	(void)state;
	begin_reference();
	run(4 * S);
	pipeline_shift(&p, 120 * US);
	run(500 * MS);
	assert_int_equal(out.line.ns, local_time());
	pipeline_ptp4l(&p, 0);
	answers = 0;
	run(500 * MS);
	assert_int_equal(out.line.ns, local_time());
	assert_int_equal(out.line.epoch, 1);
	pipeline_ptp4l(&p, 1);
	answers = 1;
	r.stats.tx[PTP_MSG_SYNC] = 0;
	run(500 * MS);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
	assert_int_equal(out.line.ns, local_time() + 120 * US);
	assert_int_equal(out.line.epoch, 2);
	assert_int_equal(out.line.good_until_ns, local_time() - POLL + 120 * US);
}

/* What ptp4l adds as a master is not in the local clock, which is a follower's page time. */
static void a_follower_serves_nothing(void **state)
{
	(void)state;
	begin_as(ROLE_AUTO);
	settings.served_shift_ns = 120 * US;
	start(0);
	run(4 * S);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
	assert_int_equal(out.line.ns, local_time());
}

static void a_shift_of_a_reference_is_there_from_the_start(void **state)
{
	(void)state;
	begin_reference();
	settings.served_shift_ns = p.shift_ns = p.next_shift_ns = 120 * US;
	run(4 * S);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
	assert_int_equal(out.line.ns, local_time() + 120 * US);
}

static void the_role_is_found_while_nobody_relies_on_it(void **state)
{
	(void)state;
	begin();
	r.port.state = PTP_MASTER;
	r.parent.gm = self;
	run(1 * S);
	expect_holdover(B(port_state));
	assert_int_equal(p.role, ROLE_FOLLOWER);
	run(5 * S);
	assert_int_equal(out.verdict.to, TSV_LOCAL_RTT);
	run(7 * S);
	assert_int_equal(p.role, ROLE_REFERENCE);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
}

static void a_role_that_is_set_stays(void **state)
{
	(void)state;
	begin_as(ROLE_FOLLOWER);
	r.port.state = PTP_MASTER;
	r.parent.gm = self;
	start(0);
	run(10 * S);
	assert_int_equal(p.role, ROLE_FOLLOWER);
	assert_false(saw(TSV_TRUSTED));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reference_is_trusted_by_what_it_sends),
		cmocka_unit_test(a_reference_of_somebody_else_is_none),
		cmocka_unit_test(a_reference_moves_when_ptp4l_serves_another_time),
		cmocka_unit_test(a_follower_serves_nothing),
		cmocka_unit_test(a_shift_of_a_reference_is_there_from_the_start),
		cmocka_unit_test(the_role_is_found_while_nobody_relies_on_it),
		cmocka_unit_test(a_role_that_is_set_stays),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("pipeline reference", tests, NULL, NULL);
}
