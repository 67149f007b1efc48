#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "nstime.h"
#include "num.h"
#include "rng.h"

#define ROUNDS 100000

typedef int parse_fn(const char *text, int64_t min, int64_t max, int64_t *out, struct err *e);

static void assert_reads(parse_fn *parse, const char *text, int64_t want)
{
	int64_t got = 0;
	struct err e = { 0 };

	if (parse(text, INT64_MIN, INT64_MAX, &got, &e))
		fail_msg("\"%s\": %s", text, e.msg);
	if (got != want)
		fail_msg("\"%s\": %" PRId64, text, got);
}

static void assert_refuses(parse_fn *parse, const char *text, int code, const char *msg)
{
	int64_t got = 4711;
	struct err e = { 0 };

	if (parse(text, -10, 1000, &got, &e) != code)
		fail_msg("\"%s\" was read as %" PRId64 ", %d %s", text, got, e.code, e.msg);
	assert_int_equal(e.code, code);
	assert_int_equal(got, 4711);
	if (msg)
		assert_string_equal(e.msg, msg);
}

static void integers(void **state)
{
	static const char *const bad[] = {
		"", " 1", "1 ", "-", "+", "0x", "-0x", "1.0", "1e3", "12a", "0xg", "--1", "x1", "1\n",
	};

	(void)state;
	assert_reads(num_parse_i64, "0", 0);
	assert_reads(num_parse_i64, "-0", 0);
	assert_reads(num_parse_i64, "010", 10);
	assert_reads(num_parse_i64, "+12", 12);
	assert_reads(num_parse_i64, "-12", -12);
	assert_reads(num_parse_i64, "0x1F", 31);
	assert_reads(num_parse_i64, "-0Xf", -15);
	assert_reads(num_parse_i64, "0xabcdef", 0xabcdef);
	assert_reads(num_parse_i64, "0xABCDEF", 0xabcdef);
	assert_reads(num_parse_i64, "9223372036854775807", INT64_MAX);
	assert_reads(num_parse_i64, "-9223372036854775808", INT64_MIN);
	assert_reads(num_parse_i64, "-0x8000000000000000", INT64_MIN);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_refuses(num_parse_i64, bad[i], -EINVAL, NULL);
	assert_refuses(num_parse_i64, "ten", -EINVAL,
		       "\"ten\" is not a whole number such as 10 or 0x1f");
	assert_refuses(num_parse_i64, "1001", -ERANGE, "1001 is out of range, allowed is -10 to 1000");
	assert_refuses(num_parse_i64, "-11", -ERANGE, NULL);
	assert_refuses(num_parse_i64, "9223372036854775808", -ERANGE, NULL);
	assert_refuses(num_parse_i64, "18446744073709551616", -ERANGE, NULL);
	assert_refuses(num_parse_i64, "184467440737095516160", -ERANGE, NULL);
	assert_refuses(num_parse_i64, "0x10000000000000005", -ERANGE, NULL);
}

static void limits_are_allowed(void **state)
{
	int64_t v;

	(void)state;
	assert_int_equal(num_parse_i64("-10", -10, 1000, &v, NULL), 0);
	assert_int_equal(v, -10);
	assert_int_equal(num_parse_i64("1000", -10, 1000, &v, NULL), 0);
	assert_int_equal(v, 1000);
	assert_int_equal(num_parse_i64("1001", -10, 1000, &v, NULL), -ERANGE);
}

static void durations(void **state)
{
	static const char *const bad[] = {
		"", "us", "1", "30 us", " 30us", "30us ", "30uss", "30US", "1.us", ".5us", "1..5us",
		"1.5", "-", "-us", "0.0", "1e3us", "0x10us", "1m", "1h30min",
	};

	(void)state;
	assert_reads(num_parse_duration_ns, "0", 0);
	assert_reads(num_parse_duration_ns, "-0", 0);
	assert_reads(num_parse_duration_ns, "0s", 0);
	assert_reads(num_parse_duration_ns, "250ns", 250);
	assert_reads(num_parse_duration_ns, "30us", 30 * NS_PER_US);
	assert_reads(num_parse_duration_ns, "-120us", -120 * NS_PER_US);
	assert_reads(num_parse_duration_ns, "1.5ms", 1500 * NS_PER_US);
	assert_reads(num_parse_duration_ns, "2s", 2 * NS_PER_S);
	assert_reads(num_parse_duration_ns, "1min", 60 * NS_PER_S);
	assert_reads(num_parse_duration_ns, "2h", 7200 * NS_PER_S);
	assert_reads(num_parse_duration_ns, "0.000000001s", 1);
	assert_reads(num_parse_duration_ns, "1.0000000000000000000000000ns", 1);
	assert_reads(num_parse_duration_ns, "0.00000000025h", 900);
	assert_reads(num_parse_duration_ns, "9223372036.854775807s", INT64_MAX);
	assert_reads(num_parse_duration_ns, "-9223372036.854775808s", INT64_MIN);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_refuses(num_parse_duration_ns, bad[i], -EINVAL, NULL);
	assert_refuses(num_parse_duration_ns, "30", -EINVAL,
		       "\"30\" is not a duration such as 250ns, 30us, 1.5ms, 2s, 5min or 2h");
	assert_refuses(num_parse_duration_ns, "0.5ns", -EINVAL, "0.5ns is finer than 1ns");
	assert_refuses(num_parse_duration_ns, "0.0000000001s", -EINVAL, NULL);
	assert_refuses(num_parse_duration_ns, "0.0000000000000000000001h", -EINVAL, NULL);
	assert_refuses(num_parse_duration_ns, "2us", -ERANGE,
		       "2us is out of range, allowed is -10ns to 1us");
	assert_refuses(num_parse_duration_ns, "9223372036854775808ns", -ERANGE, NULL);
	assert_refuses(num_parse_duration_ns, "2562048h", -ERANGE, NULL);
	assert_refuses(num_parse_duration_ns, "99999999999999999999h", -ERANGE, NULL);
}

static void rates(void **state)
{
	(void)state;
	assert_reads(num_parse_ppb, "500ppb", 500);
	assert_reads(num_parse_ppb, "1.5ppm", 1500);
	assert_reads(num_parse_ppb, "-0.001ppm", -1);
	assert_reads(num_parse_ppb, "0", 0);
	assert_refuses(num_parse_ppb, "5", -EINVAL, "\"5\" is not a rate such as 500ppb or 1.5ppm");
	assert_refuses(num_parse_ppb, "5us", -EINVAL, NULL);
	assert_refuses(num_parse_ppb, "0.0001ppm", -EINVAL, "0.0001ppm is finer than 1ppb");
	assert_refuses(num_parse_ppb, "2ppm", -ERANGE,
		       "2ppm is out of range, allowed is -10ppb to 1000ppb");
}

static void truths(void **state)
{
	static const char *const no[] = { "no", "off", "false", "0" };
	static const char *const yes[] = { "yes", "on", "true", "1" };
	struct err e = { 0 };
	int v;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(num_parse_bool(no[i], &v, &e), 0);
		assert_int_equal(v, 0);
		assert_int_equal(num_parse_bool(yes[i], &v, &e), 0);
		assert_int_equal(v, 1);
	}
	assert_int_equal(num_parse_bool("Yes", &v, &e), -EINVAL);
	assert_string_equal(e.msg, "\"Yes\" is neither yes nor no");
	assert_int_equal(num_parse_bool("", &v, NULL), -EINVAL);
	assert_int_equal(num_parse_bool("2", &v, NULL), -EINVAL);
	assert_int_equal(v, 1);
}

static void written_for_people(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0 ns" }, { 1, "1 ns" }, { -7, "-7 ns" }, { 999, "999 ns" },
		{ 1000, "1.00 us" }, { 1700, "1.70 us" }, { 1704, "1.70 us" }, { 1705, "1.71 us" },
		{ 9994, "9.99 us" }, { 9995, "10.0 us" }, { 35200, "35.2 us" }, { 99949, "99.9 us" },
		{ 99950, "100 us" }, { -120000, "-120 us" }, { 999499, "999 us" },
		{ 999500, "1.00 ms" }, { 1000000, "1.00 ms" }, { -12345678, "-12.3 ms" },
		{ 999499999, "999 ms" }, { 999500000, "1.00 s" }, { 2 * NS_PER_S, "2.00 s" },
		{ 59940 * NS_PER_MS, "59.9 s" }, { 123456 * NS_PER_S, "123456 s" },
		{ INT64_MAX, "9223372037 s" }, { INT64_MIN, "-9223372037 s" },
	};
	char buf[24];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_ptr_equal(num_format_ns(buf, sizeof(buf), cases[i].ns), buf);
		assert_string_equal(buf, cases[i].text);
	}
	assert_string_equal(num_format_ns(buf, 4, 35200), "35.");
}

static void written_exactly(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0" }, { 1, "1ns" }, { 1500, "1500ns" }, { 30000, "30us" },
		{ -1500000, "-1500us" }, { 2 * NS_PER_S, "2s" }, { 60 * NS_PER_S, "1min" },
		{ 90 * NS_PER_S, "90s" }, { 7200 * NS_PER_S, "2h" },
		{ INT64_MAX, "9223372036854775807ns" }, { INT64_MIN, "-9223372036854775808ns" },
	};
	char buf[24];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(num_format_duration(buf, sizeof(buf), cases[i].ns),
				    cases[i].text);
}

static int64_t random_span(struct rng *rng)
{
	static const int64_t units[] = { 1, NS_PER_US, NS_PER_MS, NS_PER_S, 60 * NS_PER_S };
	int64_t v = rng_signed_log(rng), unit = units[rng_below(rng, 5)], product;

	return __builtin_mul_overflow(v, unit, &product) ? v : product;
}

static void exact_round_trip(void **state)
{
	struct rng rng = rng_seeded();

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		int64_t v = random_span(&rng), got = 0;
		char text[24];

		num_format_duration(text, sizeof(text), v);
		if (num_parse_duration_ns(text, v, v, &got, NULL) || got != v)
			fail_msg("%" PRId64 " became \"%s\"", v, text);
	}
}

/* The figure for people is within half a unit of its last of at least three digits. */
static void people_are_not_misled(void **state)
{
	struct rng rng = rng_seeded();

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		int64_t v = rng_signed_log(&rng) / 4, got = 0;
		char text[24], *space;

		num_format_ns(text, sizeof(text), v);
		assert_true(strlen(text) < sizeof(text) - 1);
		space = strchr(text, ' ');
		memmove(space, space + 1, strlen(space));
		assert_int_equal(num_parse_duration_ns(text, INT64_MIN, INT64_MAX, &got, NULL), 0);
		if (nstime_abs(got - v) > nstime_abs(v) / 199)
			fail_msg("%" PRId64 " was written as \"%s\"", v, text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),
		cmocka_unit_test(limits_are_allowed),
		cmocka_unit_test(durations),
		cmocka_unit_test(rates),
		cmocka_unit_test(truths),
		cmocka_unit_test(written_for_people),
		cmocka_unit_test(written_exactly),
		cmocka_unit_test(exact_round_trip),
		cmocka_unit_test(people_are_not_misled),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
