#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nstime.h"
#include "probe/report.h"

#define US NS_PER_US

static struct probe_data data;
static char *text;

static int setup(void **state)
{
	(void)state;
	memset(&data, 0, sizeof(data));
	snprintf(data.name, sizeof(data.name), "link");
	data.started_wall_ns = INT64_C(1700000000123456789);
	data.published_wall_ns = data.started_wall_ns + 20 * NS_PER_S;
	data.numbers.rx_stamp = data.numbers.tx_stamp = STAMP_SOFTWARE;
	data.numbers.far_rx_stamp = data.numbers.far_tx_stamp = STAMP_SOFTWARE;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(text);
	text = NULL;
	return 0;
}

static void record(struct hist_sum *h, int count, int64_t ns)
{
	for (int i = 0; i < count; i++)
		hist_sum_record(h, ns);
}

/* 2,000 round trips, 1,000 delays there and 3 back admitted within 6.2 us, 5 impossible ones. */
static void fill(void)
{
	struct gate_numbers *g = &data.gate;

	data.numbers.sent = 2001;
	data.numbers.received = 2000;
	data.numbers.lost = 1;
	record(&data.rtt, 2000, 100 * US);
	record(&data.one_way.ab_trusted, 1000, 49800);
	record(&data.one_way.ba_trusted, 3, -1200);
	record(&data.one_way.ab_untrusted, 5, -70 * US);
	g->admitted = 1000;
	g->admitted_after_holdover = 12;
	g->contradictions = 5;
	g->refused[GATE_contradiction] = 5;
	g->bound_max_ns = 6200;
	data.s1 = (struct probe_window){
		.rtt_count = 100, .ab_count = 50, .rtt_p50_ns = 100 * US, .rtt_p99_ns = 101 * US,
		.ab_p50_ns = -50 * US,
	};
}

/* JSON. */

static json_t *at(json_t *o, const char *path)
{
	char copy[96], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *key = strtok_r(copy, ".", &save); key; key = strtok_r(NULL, ".", &save)) {
		o = json_object_get(o, key);
		if (!o)
			fail_msg("%s: no %s", path, key);
	}
	return o;
}

static void assert_number(json_t *o, const char *path, int64_t value)
{
	assert_true(json_is_integer(at(o, path)));
	assert_int_equal(json_integer_value(at(o, path)), value);
}

static void assert_null_at(json_t *o, const char *path)
{
	assert_true(json_is_null(at(o, path)));
}

static void test_json_of_a_run(void **state)
{
	json_t *o;

	(void)state;
	fill();
	o = report_json(&data);
	assert_number(o, "schema", 1);
	assert_string_equal(json_string_value(at(o, "name")), "link");
	assert_string_equal(json_string_value(at(o, "role")), "sender");
	assert_string_equal(json_string_value(at(o, "started")), "1700000000123456789");
	assert_true(json_real_value(at(o, "seconds")) == 20.0);
	assert_true(json_is_false(at(o, "finished")));
	assert_string_equal(json_string_value(at(o, "stamps.near_rx")), "software");
	assert_number(o, "lost", 1);
	assert_number(o, "rtt.count", 2000);
	assert_number(o, "rtt.p50_ns", 100 * US);
	assert_number(o, "rtt.p999_ns", 100 * US);
	assert_null_at(o, "rtt.p9999_ns");		/* 2,000 cannot support it */
	assert_number(o, "one_way.ab.trusted.bound_ns", 6200);
	assert_number(o, "one_way.ba.trusted.min_ns", -1200);
	assert_number(o, "one_way.ba.trusted.p50_ns", -1200);
	assert_null_at(o, "one_way.ba.trusted.p90_ns");
	assert_number(o, "one_way.ab.untrusted.max_ns", -70 * US);
	assert_number(o, "gate.admitted_after_holdover", 12);
	assert_number(o, "gate.refused.contradiction", 5);
	assert_number(o, "gate.refused.withdrawn_end", 0);
	assert_int_equal(json_object_size(at(o, "gate.refused")), GATE_REASON_COUNT);
	assert_number(o, "windows.s1.ab_p50_ns", -50 * US);
	assert_null_at(o, "windows.s1.ba_p50_ns");
	assert_null_at(o, "windows.s10.rtt_p99_ns");
	json_decref(o);
}

static void test_json_of_nothing(void **state)
{
	json_t *o;

	(void)state;
	data.numbers.reflector = 1;
	data.numbers.far_rx_stamp = STAMP_NONE;
	data.finished = 1;
	o = report_json(&data);
	assert_string_equal(json_string_value(at(o, "role")), "reflector");
	assert_string_equal(json_string_value(at(o, "stamps.far_rx")), "none");
	assert_true(json_is_true(at(o, "finished")));
	assert_number(o, "rtt.count", 0);
	assert_null_at(o, "rtt.min_ns");
	assert_null_at(o, "rtt.p50_ns");
	assert_null_at(o, "rtt.max_ns");
	assert_null_at(o, "one_way.ab.trusted.bound_ns");
	assert_null_at(o, "gate.bound_max_ns");
	json_decref(o);
}

static void test_json_of_garbage(void **state)
{
	json_t *o;

	(void)state;
	memset(&data, 0xff, sizeof(data));
	data.name[31] = '\0';
	o = report_json(&data);
	assert_non_null(o);
	assert_null_at(o, "name");
	assert_null_at(o, "stamps.far_tx");
	json_decref(o);
}

/* The schema. */

static json_t *schema, *definitions;

static json_t *dereference(json_t *s)
{
	const char *name = json_string_value(json_object_get(s, "$ref"));

	return name ? at(definitions, name + strlen("#/$defs/")) : s;
}

/* Every member is described and required, and none is described that is not there. */
static void assert_described(json_t *value, json_t *s, const char *where)
{
	json_t *properties = json_object_get(dereference(s), "properties"), *member;
	json_t *required = json_object_get(dereference(s), "required");
	const char *key;

	if (!json_is_object(value))
		return;
	if (json_object_size(value) != json_object_size(properties) ||
	    json_object_size(value) != json_array_size(required))
		fail_msg("%s: other members than the schema says", where);
	json_object_foreach(value, key, member) {
		if (!json_object_get(properties, key))
			fail_msg("%s.%s: not in the schema", where, key);
		assert_described(member, json_object_get(properties, key), key);
	}
}

static void test_schema_says_what_is_there(void **state)
{
	const char *top = getenv("top_srcdir");
	char path[4096];
	json_error_t error;
	json_t *o;

	(void)state;
	snprintf(path, sizeof(path), "%s/conf/schema/probe.json", top ? top : ".");
	schema = json_load_file(path, 0, &error);
	if (!schema)
		fail_msg("%s: %s", path, error.text);
	definitions = json_object_get(schema, "$defs");
	fill();
	o = report_json(&data);
	assert_described(o, schema, "report");
	json_decref(o);
	json_decref(schema);
}

/* Text. */

static const char *print(void)
{
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	report_text(out, &data);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void assert_says(const char *line)
{
	if (!strstr(text, line))
		fail_msg("no \"%s\" in:\n%s", line, text);
}

static void assert_row(const char *name, const char *rtt, const char *ab, const char *ba,
	const char *ab_untrusted, const char *ba_untrusted)
{
	char line[128];

	snprintf(line, sizeof(line), "\n%-9s %14s %14s %14s %14s %14s\n", name, rtt, ab, ba,
		 ab_untrusted, ba_untrusted);
	assert_says(line);
}

static void test_text_of_a_run(void **state)
{
	(void)state;
	fill();
	print();
	assert_says("link: sender, 20.0 s, running\n");
	assert_says("here: receive software, transmit software; "
		    "there: receive software, transmit software\n");
	assert_says("2001 sent, 2000 received, 1 lost");
	assert_says("\nsoftware stamps\n");
	assert_row("p50", "100 us", "49.8 us", "not resolvable", "-70.0 us", "-");
	assert_row("p99.99", "not resolvable", "not resolvable", "not resolvable",
		   "not resolvable", "-");
	assert_row("bound", "-", "6.20 us", "6.20 us", "-", "-");
	assert_says("\na->b      49.8 us ± 6.20 us (median of the trusted)\n");
	assert_says("\nb->a      not resolvable (|-1.20 us| < 6.20 us)\n");
	assert_says("1000 admitted (12 after holdover), 0 waiting, 0 withdrawn, "
		    "5 contradictions\n");
	assert_says("         5  contradiction: the delay is impossible within the bound\n");
	assert_null(strstr(text, "withdrawn_end"));
}

static void test_text_shows_negative_delays(void **state)
{
	(void)state;
	record(&data.one_way.ba_trusted, 10, -20 * US);
	record(&data.one_way.ab_trusted, 1, 20 * US);
	data.gate.bound_max_ns = 20 * US;
	print();
	assert_says("b->a      -20.0 us ± 20.0 us");
	assert_says("a->b      not resolvable (too few samples)\n");
}

static void test_text_of_nothing(void **state)
{
	(void)state;
	data.numbers.far_rx_stamp = data.numbers.far_tx_stamp = STAMP_NONE;
	data.finished = 1;
	print();
	assert_says("20.0 s, finished\n");
	assert_says("\nmixed stamps\n");
	assert_row("p50", "-", "-", "-", "-", "-");
	assert_says("\na->b      none: no sample was admitted\n");
}

static void test_text_of_a_reflector(void **state)
{
	(void)state;
	data.numbers.reflector = 1;
	data.numbers.reflected = 7;
	data.numbers.poll_gap_max_ns = 1500 * US;
	print();
	assert_says("link: reflector, 20.0 s, running\n"
		    "stamps    here: receive software, transmit software\n");
	assert_says("7 reflected");
	assert_says("not polled for up to 1.50 ms");
	assert_null(strstr(text, "p50"));
}

static void test_kinds_have_names(void **state)
{
	(void)state;
	assert_string_equal(stamp_kind_name(STAMP_NONE), "none");
	assert_string_equal(stamp_kind_name(STAMP_SOFTWARE), "software");
	assert_string_equal(stamp_kind_name(STAMP_HARDWARE), "hardware");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_json_of_a_run),
		TEST(test_json_of_nothing),
		TEST(test_json_of_garbage),
		TEST(test_schema_says_what_is_there),
		TEST(test_text_of_a_run),
		TEST(test_text_shows_negative_delays),
		TEST(test_text_of_nothing),
		TEST(test_text_of_a_reflector),
		TEST(test_kinds_have_names),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
