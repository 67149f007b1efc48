#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "reason.h"

static void every_bit_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (int bit = 0; bit < TSV_REASON_COUNT; bit++) {
		assert_non_null(tsv_reason_name(bit));
		assert_non_null(tsv_reason_text(bit));
		for (int other = 0; other < bit; other++)
			assert_string_not_equal(tsv_reason_name(bit), tsv_reason_name(other));
	}
}

static void names_and_kinds_stand(void **state)
{
	(void)state;
	assert_string_equal(tsv_reason_name(TSV_REASON_starting), "starting");
	assert_int_equal(TSV_REASON_sync_missing, 5);
	assert_string_equal(tsv_reason_name(5), "sync_missing");
	assert_string_equal(tsv_reason_text(5), "no Sync in time");
	assert_int_equal(tsv_reason_kind(TSV_REASON_sync_missing), TSV_KIND_MISSING);
	assert_int_equal(tsv_reason_kind(TSV_REASON_clock_step), TSV_KIND_CONTRARY);
	assert_int_equal(tsv_reason_kind(TSV_REASON_offset), TSV_KIND_LIMIT);
	assert_int_equal(tsv_reason_kind(TSV_REASON_crash_loop), TSV_KIND_NOTE);
}

static void bits_without_a_name(void **state)
{
	(void)state;
	assert_null(tsv_reason_name(-1));
	assert_null(tsv_reason_name(TSV_REASON_COUNT));
	assert_null(tsv_reason_name(INT32_MAX));
	assert_null(tsv_reason_text(-1));
	assert_null(tsv_reason_text(64));
	assert_int_equal(tsv_reason_kind(64), TSV_KIND_NOTE);
}

static void kinds_divide_the_bits(void **state)
{
	uint64_t seen = 0;

	(void)state;
	for (int kind = TSV_KIND_MISSING; kind <= TSV_KIND_NOTE; kind++) {
		uint64_t bits = tsv_reasons_of(kind);

		assert_int_equal(seen & bits, 0);
		seen |= bits;
	}
	assert_int_equal(seen, (UINT64_C(1) << TSV_REASON_COUNT) - 1);
	assert_true(tsv_reasons_of(TSV_KIND_LIMIT) & TSV_BIT(hold_limit));
}

static void format_lists_names(void **state)
{
	char buf[64];

	(void)state;
	assert_ptr_equal(tsv_reasons_format(buf, sizeof(buf), 0), buf);
	assert_string_equal(buf, "");
	assert_string_equal(tsv_reasons_format(buf, sizeof(buf), TSV_BIT(hold_limit) |
					       TSV_BIT(sync_missing)), "sync_missing,hold_limit");
	assert_string_equal(tsv_reasons_format(buf, sizeof(buf), UINT64_C(1) << 63), "");
	assert_string_equal(tsv_reasons_format(buf, sizeof(buf), UINT64_C(1) << 63 |
					       TSV_BIT(bound)), "bound");
}

static void format_cuts(void **state)
{
	char buf[24];

	(void)state;
	for (unsigned size = 1; size <= sizeof(buf); size++) {
		memset(buf, '#', sizeof(buf));
		tsv_reasons_format(buf, size, TSV_BIT(offset) | TSV_BIT(bound) | TSV_BIT(path_delay));
		assert_int_equal(strlen(buf), size < 24 ? size - 1 : 23);
		assert_memory_equal(buf, "path_delay,offset,bound", strlen(buf));
		for (unsigned i = size; i < sizeof(buf); i++)
			assert_int_equal(buf[i], '#');
	}
	buf[0] = '#';
	tsv_reasons_format(buf, 0, TSV_BIT(offset));
	assert_int_equal(buf[0], '#');
}

static void all_of_them_fit(void **state)
{
	char buf[512];

	(void)state;
	tsv_reasons_format(buf, sizeof(buf), UINT64_MAX);
	assert_true(strlen(buf) < sizeof(buf) - 1);
	assert_non_null(strstr(buf, "upstream_budget"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_bit_has_a_name_of_its_own),
		cmocka_unit_test(names_and_kinds_stand),
		cmocka_unit_test(bits_without_a_name),
		cmocka_unit_test(kinds_divide_the_bits),
		cmocka_unit_test(format_lists_names),
		cmocka_unit_test(format_cuts),
		cmocka_unit_test(all_of_them_fit),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
