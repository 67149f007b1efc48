#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "judge_fixture.h"

static void alarm_needs_three_readings(void **state)
{
	struct judge_verdict v;

	(void)state;
	trust();
	assert_int_equal(offset(T0, 31 * US, 2).alarm_to, 0);
	v = offset(T0, 31 * US, 3);
	assert_int_equal(v.alarm_from, 0);
	assert_int_equal(v.alarm_to, 1);
	assert_int_equal(v.to, TSV_TRUSTED);
	assert_int_equal(v.reasons, B(offset));
	assert_int_equal(v.epoch_rises, 0);
	assert_int_equal(offset(T0, 31 * US, 4).alarm_from, 1);
}

static void alarm_clears_after_five_calm_seconds(void **state)
{
	struct judge_verdict v;

	(void)state;
	trust();
	offset(T0, -31 * US, 3);
	assert_int_equal(offset(T0 + S, -20 * US, 0).alarm_to, 1);
	v = offset(T0 + 6 * S - 1, 20 * US, 0);
	assert_int_equal(v.alarm_to, 1);
	assert_int_equal(v.reasons, B(offset));
	v = offset(T0 + 6 * S, -20 * US, 0);
	assert_int_equal(v.alarm_from, 1);
	assert_int_equal(v.alarm_to, 0);
	assert_int_equal(v.reasons, 0);
}

static void alarm_stays_while_not_calm(void **state)
{
	(void)state;
	trust();
	offset(T0, 31 * US, 3);
	offset(T0 + S, 20 * US, 0);
	/* One reading over the clear line starts the time anew. */
	offset(T0 + 4 * S, 20 * US + 1, 0);
	offset(T0 + 5 * S, 0, 0);
	assert_int_equal(offset(T0 + 10 * S - 1, 0, 0).alarm_to, 1);
	assert_int_equal(offset(T0 + 10 * S, 0, 0).alarm_to, 0);
}

static void a_second_alarm_lasts_as_long(void **state)
{
	(void)state;
	trust();
	offset(T0, 31 * US, 3);
	offset(T0 + S, 0, 0);
	assert_int_equal(offset(T0 + 6 * S, 0, 0).alarm_to, 0);
	assert_int_equal(offset(T0 + 60 * S, 31 * US, 3).alarm_to, 1);
	assert_int_equal(offset(T0 + 61 * S, 0, 0).alarm_to, 1);
	assert_int_equal(offset(T0 + 66 * S - 1, 0, 0).alarm_to, 1);
	assert_int_equal(offset(T0 + 66 * S, 0, 0).alarm_to, 0);
}

static void alarm_survives_holdover_only(void **state)
{
	struct judge_verdict v;

	(void)state;
	trust();
	offset(T0, 31 * US, 3);
	offset(T0, 0, 0);
	v = miss(T0 + S, B(sync_missing));
	assert_int_equal(v.to, TSV_HOLDOVER);
	assert_int_equal(v.alarm_to, 1);
	assert_int_equal(v.reasons, B(sync_missing) | B(offset));
	/* A silence is not calm. */
	assert_int_equal(offset(T0 + 4 * S, 0, 0).alarm_to, 1);
	assert_int_equal(offset(T0 + 9 * S - 1, 0, 0).alarm_to, 1);
	v = contrary(T0 + 9 * S, B(path_delay));
	assert_int_equal(v.alarm_from, 1);
	assert_int_equal(v.alarm_to, 0);
	assert_int_equal(v.reasons, B(path_delay));
}

static void no_alarm_outside_trusted(void **state)
{
	(void)state;
	fall();
	assert_int_equal(offset(T0, 80 * US, 9).alarm_to, 0);
	hold();
	assert_int_equal(miss(T0, B(sync_missing)).alarm_to, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alarm_needs_three_readings),
		cmocka_unit_test(alarm_clears_after_five_calm_seconds),
		cmocka_unit_test(alarm_stays_while_not_calm),
		cmocka_unit_test(a_second_alarm_lasts_as_long),
		cmocka_unit_test(alarm_survives_holdover_only),
		cmocka_unit_test(no_alarm_outside_trusted),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("judge alarm", tests, NULL, NULL);
}
