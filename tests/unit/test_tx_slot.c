#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "probe/tx_slot.h"

static void test_one_at_a_time(void **state)
{
	struct tx_slot s = { 0 };
	uint32_t id, other;

	(void)state;
	assert_int_equal(tx_slot_wanted(&s, 0), -ENODATA);
	assert_int_equal(tx_slot_take(&s, 1000, &id), 0);
	assert_int_equal(tx_slot_take(&s, 2000, &other), -EBUSY);
	assert_int_equal(tx_slot_wanted(&s, id), 0);
	assert_int_equal(tx_slot_looked(&s, 0, 3000), -EAGAIN);
	assert_int_equal(tx_slot_looked(&s, 1, 4000), 0);
	assert_int_equal(tx_slot_wanted(&s, id), -ENODATA);	/* handed out once */
	assert_int_equal(tx_slot_take(&s, 5000, &other), 0);
	assert_int_not_equal(other, id);
	assert_int_equal(s.stale, 0);
}

static void test_never_ready(void **state)
{
	struct tx_slot s = { 0 };
	uint32_t id, other;

	(void)state;
	tx_slot_take(&s, 0, &id);
	assert_int_equal(tx_slot_looked(&s, 0, TX_SLOT_WAIT_NS - 1), -EAGAIN);
	assert_int_equal(tx_slot_looked(&s, 0, TX_SLOT_WAIT_NS), -ENODATA);
	assert_int_equal(s.stale, 1);		/* its stamp may still come, for nobody */
	tx_slot_take(&s, TX_SLOT_WAIT_NS, &id);
	/* nobody looked: the next frame does not wait for ever */
	assert_int_equal(tx_slot_take(&s, 2 * TX_SLOT_WAIT_NS - 1, &other), -EBUSY);
	assert_int_equal(tx_slot_take(&s, 2 * TX_SLOT_WAIT_NS, &other), 0);
	assert_int_equal(tx_slot_wanted(&s, id), -ENODATA);
	assert_int_equal(tx_slot_wanted(&s, other), 0);
}

static void test_undo(void **state)
{
	struct tx_slot s = { 0 };
	uint32_t id;

	(void)state;
	tx_slot_take(&s, 0, &id);
	tx_slot_undo(&s);
	assert_int_equal(tx_slot_wanted(&s, id), -ENODATA);
	assert_int_equal(tx_slot_take(&s, 1, &id), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_at_a_time), cmocka_unit_test(test_never_ready),
		cmocka_unit_test(test_undo),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
