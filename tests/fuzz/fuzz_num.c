/* Any text is either a number inside the limits, or refused with a sentence and no effect. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "num.h"

#define UNTOUCHED INT64_C(0x5555555555555555)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

typedef int parse_fn(const char *text, int64_t min, int64_t max, int64_t *out, struct err *e);

static int check(parse_fn *parse, const char *text, int64_t min, int64_t max, int64_t *value)
{
	struct err e = { 0 };
	int rc;

	*value = UNTOUCHED;
	rc = parse(text, min, max, value, &e);
	if (rc == 0)
		require(*value >= min && *value <= max);
	else
		require(*value == UNTOUCHED && e.code == rc && e.msg[0]);
	return rc;
}

static void check_duration_again(int64_t value)
{
	char text[24], people[24];
	int64_t again;

	num_format_ns(people, sizeof(people), value);
	require(strlen(people) < sizeof(people) - 1);
	num_format_duration(text, sizeof(text), value);
	require(check(num_parse_duration_ns, text, value, value, &again) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	int64_t value;
	int truth;

	require(text != NULL);
	check(num_parse_i64, text, INT64_MIN, INT64_MAX, &value);
	check(num_parse_i64, text, -100, 255, &value);
	check(num_parse_ppb, text, INT64_MIN, INT64_MAX, &value);
	check(num_parse_ppb, text, 0, 100000, &value);
	check(num_parse_duration_ns, text, 0, INT64_C(10000000000), &value);
	if (check(num_parse_duration_ns, text, INT64_MIN, INT64_MAX, &value) == 0)
		check_duration_again(value);
	if (num_parse_bool(text, &truth, NULL) == 0)
		require(truth == 0 || truth == 1);
	free(text);
	return 0;
}
