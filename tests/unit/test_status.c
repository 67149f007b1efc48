#include "timesvc/front/status.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "front_fixture.h"
#include "schema_check.h"
#include "timesvc.h"

static void assert_json(json_t *got, const char *expected)
{
	json_error_t e;
	json_t *want = json_loads(expected, JSON_DECODE_ANY, &e);
	char *text = got ? json_dumps(got, JSON_INDENT(1) | JSON_ENCODE_ANY) : NULL;

	if (!want)
		fail_msg("the expectation is no JSON: line %d: %s", e.line, e.text);
	if (!json_equal(got, want))
		fail_msg("got %s", text ? text : "nothing");
	free(text);
	json_decref(want);
	json_decref(got);
}

static void assert_fits_schema(const struct view *v)
{
	json_t *schema = schema_load("status.json"), *status = status_json(v);

	assert_non_null(status);
	assert_true(schema_check(schema, schema, status, "status"));
	json_decref(status);
	json_decref(schema);
}

static struct fixture fix;

static int setup(void **state)
{
	(void)state;
	fixture_init(&fix);
	return 0;
}

static void test_clock_trusted(void **state)
{
	(void)state;
	assert_json(status_clock(&fix.view, 0),
		"{ \"name\": \"follow\", \"interface\": \"eth0\", \"mode\": \"observe\","
		"  \"role\": \"follower\","
		"  \"state\": \"TRUSTED\", \"alarm\": true, \"since\": \"1700000010000000000\","
		"  \"reasons\": ["
		"    { \"name\": \"offset\", \"text\": \"the offset is past the alarm line\" },"
		"    { \"name\": \"unconfirmed\","
		"      \"text\": \"one reading stands alone and waits for the next\" } ],"
		"  \"epoch\": 3, \"page_ns\": \"1700000099900000000\","
		"  \"good_until_ns\": \"1700000099840000000\","
		"  \"offset_ns\": -35200, \"path_delay_ns\": 1700,"
		"  \"ingress_ns\": \"1700000099850000000\","
		"  \"bound\": { \"parent_ns\": 37000, \"gm_ns\": 38000, \"utc_ns\": null,"
		"  \"uses\": \"gm\","
		"    \"terms\": { \"offset_ns\": 35200, \"path_ns\": 1700, \"read_ns\": 40,"
		"      \"growth_ns\": 60 } },"
		"  \"rate_ppb\": -1200, \"growth_ppb\": 1000, \"port_state\": \"SLAVE\","
		"  \"clock_identity\": \"aabbcc.fffe.ddeeff\","
		"  \"parent_identity\": \"020000.fffe.000001\","
		"  \"gm_identity\": \"020000.fffe.000001\", \"steps_removed\": 1,"
		"  \"gm_class\": 248,"
		"  \"gm_accuracy\": null, \"utc_offset_s\": null, \"domain\": 24,"
		"  \"timescale\": \"ARB\","
		"  \"time_stamping\": \"software\", \"drill\": false, \"phc\": null, \"system\": null,"
		"  \"counters\": { \"syncs\": 1600, \"polls\": 1000, \"replies\": 999,"
		"  \"late_replies\": 1,"
		"    \"malformed\": 2, \"foreign\": 3, \"outliers\": 4, \"clock_steps\": 5 },"
		"  \"ptp4l\": { \"pid\": 4242, \"starts\": 2, \"crash_loop\": false,"
		"    \"last_exit\": \"killed by signal 9\" },"
		"  \"phc2sys\": null }");
}

#define NOTHING_MEASURED \
	"  \"epoch\": null, \"page_ns\": null, \"good_until_ns\": null, \"offset_ns\": null," \
	"  \"path_delay_ns\": null, \"ingress_ns\": null," \
	"  \"bound\": { \"parent_ns\": null, \"gm_ns\": null, \"utc_ns\": null, \"uses\": null," \
	"    \"terms\": { \"offset_ns\": null, \"path_ns\": null, \"read_ns\": null," \
	"      \"growth_ns\": null } }," \
	"  \"rate_ppb\": null, \"growth_ppb\": null, \"port_state\": null, \"clock_identity\": null," \
	"  \"parent_identity\": null, \"gm_identity\": null, \"steps_removed\": null," \
	"  \"gm_class\": null, \"gm_accuracy\": null, \"utc_offset_s\": null, \"timescale\": null," \
	"  \"drill\": false, \"ptp4l\": null, \"phc2sys\": null,"

static void test_clock_unknown(void **state)
{
	(void)state;
	assert_json(status_clock(&fix.view, 1),
		"{ \"name\": \"lead\", \"interface\": \"eth1\", \"mode\": \"adopt\","
		"  \"role\": null,"
		"  \"state\": \"UNKNOWN\", \"alarm\": false, \"since\": null,"
		"  \"reasons\": [ { \"name\": \"starting\","
		"  \"text\": \"no evidence has been seen yet\" } ],"
		NOTHING_MEASURED
		"  \"domain\": 0, \"time_stamping\": \"hardware\","
		"  \"phc\": { \"ptp\": 2, \"pci\": \"0000:01:00.0\", \"driver\": \"igb\","
		"    \"name\": \"525400000001\", \"read\": \"extended\", \"read_half_width_ns\": 410 },"
		"  \"system\": { \"state\": \"LOCAL_RTT\", \"epoch\": 4, \"reasons\": ["
		"      { \"name\": \"clock_step\","
		"        \"text\": \"the clock jumped against the time stamp counter\" } ],"
		"    \"offset_ns\": -81500, \"bound_ns\": 84000, \"utc_offset_s\": 37,"
		"    \"read_half_width_ns\": 27, \"clock_steps\": 2 },"
		"  \"counters\": { \"syncs\": 0, \"polls\": 0, \"replies\": 0, \"late_replies\": 0,"
		"    \"malformed\": 0, \"foreign\": 0, \"outliers\": 0, \"clock_steps\": 0 } }");
}

static void test_clock_stale(void **state)
{
	(void)state;
	fix.view.now_mono_ns += 650 * NS_PER_MS;	/* 100 ms old: 750 ms are still current */
	assert_false(view_stale(&fix.view));
	fix.view.now_mono_ns++;
	assert_true(view_stale(&fix.view));
	assert_json(status_clock(&fix.view, 0),
		"{ \"name\": \"follow\", \"interface\": \"eth0\", \"mode\": \"observe\","
		"  \"role\": null,"
		"  \"state\": \"STALE\", \"alarm\": null, \"since\": \"1700000100150000000\","
		"  \"reasons\": [],"
		NOTHING_MEASURED
		"  \"domain\": null, \"time_stamping\": null, \"phc\": null, \"system\": null,"
		"  \"counters\": null }");
	assert_fits_schema(&fix.view);
}

/* A front that was stopped finds old snapshots in its queue: they are not news. */
static void test_stale_by_the_wall_clock(void **state)
{
	(void)state;
	fix.view.now_wall_ns += 650 * NS_PER_MS + 1;
	assert_true(view_stale(&fix.view));
}

static void test_before_the_first_snapshot(void **state)
{
	json_t *clock;

	(void)state;
	store_init(&fix.store, FIXTURE_MONO_NS - 750 * NS_PER_MS);
	clock = status_clock(&fix.view, 1);
	assert_string_equal(json_string_value(json_object_get(clock, "state")), "UNKNOWN");
	assert_string_equal(json_string_value(json_object_get(clock, "name")), "lead");
	assert_true(json_is_null(json_object_get(clock, "alarm")));
	json_decref(clock);
	assert_fits_schema(&fix.view);
	fix.view.now_mono_ns++;
	clock = status_clock(&fix.view, 1);
	assert_string_equal(json_string_value(json_object_get(clock, "state")), "STALE");
	json_decref(clock);
}

static void test_event(void **state)
{
	(void)state;
	assert_json(status_event(&fix.view, store_event(&fix.store, 0)),
		"{ \"n\": 1, \"t_ns\": \"1700000010000000000\", \"clock\": \"follow\","
		"  \"from\": \"SETTLING\", \"to\": \"TRUSTED\", \"alarm_from\": false,"
		"  \"alarm_to\": false,"
		"  \"reasons\": [], \"ended\": [ \"settling\" ], \"epoch\": 3, \"evidence_ns\": null,"
		"  \"offset_ns\": null, \"bound_ns\": null }");
}

static void test_event_with_evidence(void **state)
{
	struct trust_event ev = {
		.number = 2, .wall_ns = 5, .evidence_ns = -7, .offset_ns = 0, .bound_ns = 0,
		.clock = 1,
		.from = TSV_TRUSTED, .to = TSV_TRUSTED, .alarm_to = 1, .epoch = 4,
	};

	(void)state;
	assert_json(status_event(&fix.view, &ev),
		"{ \"n\": 2, \"t_ns\": \"5\", \"clock\": \"lead\","
		"  \"from\": \"TRUSTED\", \"to\": \"TRUSTED\", \"alarm_from\": false,"
		"  \"alarm_to\": true,"
		"  \"reasons\": [], \"ended\": [], \"epoch\": 4, \"evidence_ns\": \"-7\", \"offset_ns\": 0,"
		"  \"bound_ns\": 0 }");
}

static void test_child(void **state)
{
	struct child_status c = { .supervised = 1, .starts = 1, .pid = 9, .last_status = 9 };

	(void)state;
	assert_json(status_child(NULL), "null");
	c.supervised = 0;
	assert_json(status_child(&c), "null");
	c.supervised = 1;
	assert_json(status_child(&c),
		"{ \"pid\": 9, \"starts\": 1, \"crash_loop\": false, \"last_exit\": null }");
	c.pid = 0;
	c.last_status = 2 << 8;
	c.crash_loop = 1;
	assert_json(status_child(&c),
		"{ \"pid\": null, \"starts\": 1, \"crash_loop\": true,"
		"  \"last_exit\": \"exited 2\" }");
}

static void test_probe_without_data(void **state)
{
	(void)state;
	assert_json(status_probe(&fix.view, 0),
		"{ \"name\": \"a-b\", \"command\": \"send\", \"clock\": \"follow\","
		"  \"current\": false,"
		"  \"age_ns\": null, \"child\": { \"pid\": null, \"starts\": 1,"
		"  \"crash_loop\": true,"
		"  \"last_exit\": \"exited 3\" } }");
}

static void test_whole(void **state)
{
	json_t *status;

	(void)state;
	fix.settings.probe_count = 0;
	fix.store.last.clocks = 0;
	fix.store.count = 0;
	status = status_json(&fix.view);
	assert_int_equal(json_object_del(json_object_get(status, "daemon"), "version"), 0);
	assert_json(status,
		"{ \"schema\": 1, \"now_ns\": \"1700000100000000000\", \"host\": \"trade1\","
		"  \"daemon\": { \"pid\": 77, \"started\": \"1700000000000000000\","
		"  \"engine_current\": true,"
		"    \"snapshot_age_ns\": 100000000,"
		"    \"tsc\": { \"hz\": 2100000000, \"invariant\": true, \"assumed\": false },"
		"    \"snapshots_dropped\": 2, \"snapshots_lost\": 0, \"events_lost\": 0,"
		"    \"tick_late_max_ns\": 1500 },"
		"  \"clocks\": [], \"probes\": [], \"events\": [] }");
}

static void test_schema(void **state)
{
	(void)state;
	assert_fits_schema(&fix.view);
}

/* The store. */

static void test_store_counts_gaps(void **state)
{
	(void)state;
	fix.snapshot.number = 4;
	fix.snapshot.events = 2;
	fix.snapshot.event[0].number = 1;	/* again */
	fix.snapshot.event[1] = fix.snapshot.event[0];
	fix.snapshot.event[1].number = 7;
	fixture_take(&fix);
	assert_int_equal(fix.store.snapshots_lost, 2);
	assert_int_equal(fix.store.events_lost, 5);
	assert_int_equal(fix.store.events_last, 7);
	assert_int_equal(fix.store.count, 2);
}

static void test_store_keeps_the_last_events(void **state)
{
	(void)state;
	for (uint64_t n = 2; n <= STORE_EVENTS + 3; n++) {
		fix.snapshot.number = n;
		fix.snapshot.event[0].number = n;
		fixture_take(&fix);
	}
	assert_int_equal(fix.store.count, STORE_EVENTS);
	assert_int_equal(fix.store.events_lost, 0);
	assert_int_equal(store_event(&fix.store, 0)->number, 4);
	assert_int_equal(store_event(&fix.store, STORE_EVENTS - 1)->number, STORE_EVENTS + 3);
	assert_fits_schema(&fix.view);
}

static void test_store_begins_anew_with_another_engine(void **state)
{
	(void)state;
	fix.snapshot.started_wall_ns++;
	fix.snapshot.number = 1;
	fix.snapshot.event[0].wall_ns = 12;
	fixture_take(&fix);
	assert_int_equal(fix.store.count, 1);
	assert_int_equal(store_event(&fix.store, 0)->wall_ns, 12);
	assert_int_equal(fix.store.snapshots_lost, 0);
}

static void refuse(const struct snapshot *n, size_t len)
{
	struct store before = fix.store;

	assert_int_equal(store_take(&fix.store, n, len, FIXTURE_MONO_NS), -EPROTO);
	assert_memory_equal(&before, &fix.store, sizeof(before));
}

static void test_store_refuses(void **state)
{
	struct snapshot n = fix.snapshot;

	(void)state;
	refuse(&n, sizeof(n) - 1);
	n.version++;
	refuse(&n, sizeof(n));
	n = fix.snapshot;
	n.clocks = CLOCKS_MAX + 1;
	refuse(&n, sizeof(n));
	n = fix.snapshot;
	n.events = SNAPSHOT_EVENTS + 1;
	refuse(&n, sizeof(n));
	n = fix.snapshot;
	n.probes = PROBES_MAX + 1;
	refuse(&n, sizeof(n));
	n = fix.snapshot;
	n.event[0].clock = 2;
	refuse(&n, sizeof(n));
	n = fix.snapshot;
	memset(n.clock[1].name, 'x', NAME_SIZE);
	refuse(&n, sizeof(n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_clock_trusted, setup),
		cmocka_unit_test_setup(test_clock_unknown, setup),
		cmocka_unit_test_setup(test_clock_stale, setup),
		cmocka_unit_test_setup(test_stale_by_the_wall_clock, setup),
		cmocka_unit_test_setup(test_before_the_first_snapshot, setup),
		cmocka_unit_test_setup(test_event, setup),
		cmocka_unit_test_setup(test_event_with_evidence, setup),
		cmocka_unit_test_setup(test_child, setup),
		cmocka_unit_test_setup(test_probe_without_data, setup),
		cmocka_unit_test_setup(test_whole, setup),
		cmocka_unit_test_setup(test_schema, setup),
		cmocka_unit_test_setup(test_store_counts_gaps, setup),
		cmocka_unit_test_setup(test_store_keeps_the_last_events, setup),
		cmocka_unit_test_setup(test_store_begins_anew_with_another_engine, setup),
		cmocka_unit_test_setup(test_store_refuses, setup),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
