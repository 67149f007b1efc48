#include "timesvc/front/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "front_fixture.h"
#include "timesvc.h"
#include "timesvc/front/prom.h"

static struct fixture fix;
static char *text;

static int setup(void **state)
{
	(void)state;
	fixture_init(&fix);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(text);
	text = NULL;
	return 0;
}

static void render(void)
{
	size_t len;

	free(text);
	text = metrics_text(&fix.view, &len);
	assert_non_null(text);
	assert_int_equal(len, strlen(text));
}

/* Whether `line` is a whole line of the text. */
static int has_line(const char *line)
{
	size_t len = strlen(line);

	for (const char *at = text; (at = strstr(at, line)) != NULL; at++)
		if ((at == text || at[-1] == '\n') && at[len] == '\n')
			return 1;
	return 0;
}

static void assert_lines(const char *const *lines)
{
	for (; *lines; lines++)
		if (!has_line(*lines))
			fail_msg("no line \"%s\"", *lines);
}

static void assert_absent(const char *const *parts)
{
	for (; *parts; parts++)
		if (strstr(text, *parts))
			fail_msg("\"%s\" must not be there", *parts);
}

static void test_engine(void **state)
{
	static const char *const lines[] = {
		"timesvc_engine_up 1", "timesvc_snapshot_age_seconds 0.1",
		"timesvc_start_time_seconds 1700000000", "timesvc_snapshots_dropped_total 2",
		"timesvc_events_total 1", "timesvc_events_lost_total 0",
		"timesvc_tick_late_max_seconds 0.0000015", "timesvc_tsc_hertz 2100000000",
		"timesvc_tsc_invariant 1", "timesvc_tsc_assumed 0", NULL
	};

	(void)state;
	render();
	assert_lines(lines);
}

static void test_trusted_clock(void **state)
{
	static const char *const lines[] = {
		"# HELP timesvc_clock_offset_seconds Offset from the parent as ptp4l measured it.",
		"# TYPE timesvc_clock_offset_seconds gauge",
		"timesvc_clock_offset_seconds{clock=\"follow\"} -0.0000352",
		"timesvc_clock_path_delay_seconds{clock=\"follow\"} 0.0000017",
		"timesvc_clock_bound_seconds{clock=\"follow\",kind=\"parent\"} 0.000037",
		"timesvc_clock_bound_seconds{clock=\"follow\",kind=\"gm\"} 0.000038",
		"timesvc_clock_bound_term_seconds{clock=\"follow\",term=\"offset\"} 0.0000352",
		"timesvc_clock_bound_term_seconds{clock=\"follow\",term=\"path\"} 0.0000017",
		"timesvc_clock_bound_term_seconds{clock=\"follow\",term=\"read\"} 0.00000004",
		"timesvc_clock_bound_term_seconds{clock=\"follow\",term=\"growth\"} 0.00000006",
		"timesvc_clock_state{clock=\"follow\",state=\"UNKNOWN\"} 0",
		"timesvc_clock_state{clock=\"follow\",state=\"SETTLING\"} 0",
		"timesvc_clock_state{clock=\"follow\",state=\"TRUSTED\"} 1",
		"timesvc_clock_state{clock=\"follow\",state=\"HOLDOVER\"} 0",
		"timesvc_clock_state{clock=\"follow\",state=\"LOCAL_RTT\"} 0",
		"timesvc_clock_state{clock=\"follow\",state=\"STALE\"} 0",
		"timesvc_clock_alarm{clock=\"follow\"} 1",
		"timesvc_clock_reason{clock=\"follow\",reason=\"offset\"} 1",
		"timesvc_clock_reason{clock=\"follow\",reason=\"unconfirmed\"} 1",
		"timesvc_clock_reason{clock=\"follow\",reason=\"bound\"} 0",
		"timesvc_clock_reason{clock=\"follow\",reason=\"upstream_budget\"} 0",
		"timesvc_clock_evidence_age_seconds{clock=\"follow\"} 0.06",
		"timesvc_clock_epoch{clock=\"follow\"} 3",
		"timesvc_clock_rate_ppb{clock=\"follow\"} -1200",
		"timesvc_clock_steps_removed{clock=\"follow\"} 1",
		"# TYPE timesvc_clock_syncs_total counter",
		"timesvc_clock_syncs_total{clock=\"follow\"} 1600",
		"timesvc_clock_polls_total{clock=\"follow\"} 1000",
		"timesvc_clock_replies_total{clock=\"follow\"} 999",
		"timesvc_clock_late_replies_total{clock=\"follow\"} 1",
		"timesvc_clock_malformed_total{clock=\"follow\"} 2",
		"timesvc_clock_foreign_total{clock=\"follow\"} 3",
		"timesvc_clock_outliers_total{clock=\"follow\"} 4",
		"timesvc_clock_steps_total{clock=\"follow\"} 5",
		"timesvc_clock_info{clock=\"follow\",interface=\"eth0\",time_stamping=\"software\","
		"clock_identity=\"aabbcc.fffe.ddeeff\",parent_identity=\"020000.fffe.000001\","
		"gm_identity=\"020000.fffe.000001\"} 1",
		NULL
	};

	(void)state;
	render();
	assert_lines(lines);
}

static void test_unknown_is_absent(void **state)
{
	static const char *const lines[] = {
		"timesvc_clock_state{clock=\"lead\",state=\"UNKNOWN\"} 1",
		"timesvc_clock_alarm{clock=\"lead\"} 0",
		"timesvc_clock_reason{clock=\"lead\",reason=\"starting\"} 1",
		"timesvc_clock_info{clock=\"lead\",interface=\"eth1\",time_stamping=\"hardware\"} 1",
		"timesvc_clock_system_offset_seconds{clock=\"lead\"} -0.0000815",
		"timesvc_clock_system_bound_seconds{clock=\"lead\"} 0.000084",
		"timesvc_clock_phc_read_seconds{clock=\"lead\"} 0.00000041",
		"timesvc_clock_phc_losses_total{clock=\"lead\"} 1",
		NULL
	};
	static const char *const absent[] = {
		"clock_offset_seconds{clock=\"lead\"", "path_delay_seconds{clock=\"lead\"",
		"clock_bound_seconds{clock=\"lead\"", "bound_term_seconds{clock=\"lead\"", "kind=\"utc\"",
		"clock_epoch{clock=\"lead\"", "rate_ppb{clock=\"lead\"",
		"steps_removed{clock=\"lead\"",
		"evidence_age_seconds{clock=\"lead\"", NULL
	};

	(void)state;
	render();
	assert_lines(lines);
	assert_absent(absent);
}

static void test_children(void **state)
{
	static const char *const lines[] = {
		"timesvc_child_up{child=\"ptp4l\",clock=\"follow\"} 1",
		"timesvc_child_starts_total{child=\"ptp4l\",clock=\"follow\"} 2",
		"timesvc_child_crash_loop{child=\"ptp4l\",clock=\"follow\"} 0",
		"timesvc_child_up{child=\"timesvc-probe\",probe=\"a-b\"} 0",
		"timesvc_child_starts_total{child=\"timesvc-probe\",probe=\"a-b\"} 1",
		"timesvc_child_crash_loop{child=\"timesvc-probe\",probe=\"a-b\"} 1",
		NULL
	};
	static const char *const absent[] = {
		"phc2sys", "child=\"ptp4l\",clock=\"lead\"", NULL
	};

	(void)state;
	render();
	assert_lines(lines);
	assert_absent(absent);
}

static void test_stale(void **state)
{
	static const char *const lines[] = {
		"timesvc_engine_up 0", "timesvc_snapshot_age_seconds 2.1",
		"timesvc_clock_state{clock=\"follow\",state=\"STALE\"} 1",
		"timesvc_clock_state{clock=\"follow\",state=\"TRUSTED\"} 0",
		"timesvc_clock_state{clock=\"lead\",state=\"STALE\"} 1",
		NULL
	};
	static const char *const absent[] = {
		"_alarm{", "_reason{", "_offset_seconds{", "_bound_seconds{",
		"_bound_term_seconds{",
		"_syncs_total{", "_info{clock", "timesvc_child_up{", "tick_late_max_seconds ",
		"tsc_hertz ", NULL
	};

	(void)state;
	fix.view.now_mono_ns += 2 * NS_PER_S;
	render();
	assert_lines(lines);
	assert_absent(absent);
}

static void test_before_the_first_snapshot(void **state)
{
	static const char *const lines[] = {
		"timesvc_engine_up 0", "timesvc_clock_state{clock=\"follow\",state=\"UNKNOWN\"} 1",
		NULL
	};
	static const char *const absent[] = { "timesvc_snapshot_age_seconds", "_offset_seconds{",
		NULL };

	(void)state;
	store_init(&fix.store, FIXTURE_MONO_NS);
	render();
	assert_lines(lines);
	assert_absent(absent);
}

static void test_label_escaping(void **state)
{
	static const char *const lines[] = {
		"timesvc_clock_alarm{clock=\"a\\\\b\\\"c\\nd\"} 1", NULL
	};

	(void)state;
	snprintf(fix.snapshot.clock[0].name, NAME_SIZE, "a\\b\"c\nd");
	fix.snapshot.number++;
	fixture_take(&fix);
	render();
	assert_lines(lines);
}

static void test_seconds(void **state)
{
	static const struct { int64_t ns; const char *text; } cases[] = {
		{ 0, "0" }, { 1, "0.000000001" }, { -1, "-0.000000001" }, { NS_PER_S, "1" },
		{ -10 * NS_PER_S, "-10" }, { 1500 * NS_PER_MS, "1.5" }, { 35200, "0.0000352" },
		{ INT64_MAX, "9223372036.854775807" }, { INT64_MIN, "-9223372036.854775808" },
	};
	char buf[32];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(prom_seconds_text(buf, sizeof(buf), cases[i].ns),
			cases[i].text);
}

/* Every sample belongs to a family that was announced just before it, once. */
static void test_families_stand_together(void **state)
{
	char family[128] = "", seen[8192] = "", *line, *rest;

	(void)state;
	render();
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char name[130];

		if (sscanf(line, "# HELP %127s", family) == 1) {
			snprintf(name, sizeof(name), " %s ", family);
			assert_null(strstr(seen, name));
			strcat(seen, name);
		} else if (*line != '#') {
			assert_int_equal(strncmp(line, family, strlen(family)), 0);
		}
	}
}

#ifdef HAVE_PROBE
static struct probe_data data;

static void publish(int64_t age_ns)
{
	memset(&data, 0, sizeof(data));
	data.published_mono_ns = FIXTURE_MONO_NS - age_ns;
	data.numbers.sent = 12;
	data.numbers.lost = 1;
	data.gate = (struct gate_numbers){
		.admitted = 7, .admitted_after_holdover = 2, .waiting = 3, .withdrawn = 4,
		.contradictions = 1,
	};
	data.gate.refused[GATE_near_state] = 5;
	data.gate.refused[GATE_contradiction] = 1;
	data.gate.refused[GATE_withdrawn_far_epoch] = 4;
	data.s10.rtt_count = 10;
	data.s10.rtt_p50_ns = 1700;
	data.s10.rtt_p99_ns = 90000;
	data.s10.ab_count = 1;
	data.s10.ab_p50_ns = -20;
	hist_sum_record(&data.rtt, 900);
	hist_sum_record(&data.rtt, 1003);
	hist_sum_record(&data.rtt, 1004);
	hist_sum_record(&data.rtt, 5 * NS_PER_S);
	hist_sum_record(&data.one_way.ab_trusted, -1);
	hist_sum_record(&data.one_way.ab_trusted, 0);
	hist_sum_record(&data.one_way.ba_untrusted, -150000);
	fix.view.probe[0] = &data;
}

static void test_probe_counts(void **state)
{
	static const char *const lines[] = {
		"timesvc_probe_current{probe=\"a-b\"} 1",
		"timesvc_probe_sent_total{probe=\"a-b\"} 12",
		"timesvc_probe_lost_total{probe=\"a-b\"} 1",
		"timesvc_probe_waiting{probe=\"a-b\"} 3",
		"timesvc_probe_contradictions_total{probe=\"a-b\"} 1",
		"timesvc_probe_samples_total{"
		"probe=\"a-b\",verdict=\"admitted\",reason=\"trusted\"} 5",
		"timesvc_probe_samples_total{"
		"probe=\"a-b\",verdict=\"admitted\",reason=\"after_holdover\"} 2",
		"timesvc_probe_samples_total{"
		"probe=\"a-b\",verdict=\"refused\",reason=\"near_state\"} 5",
		"timesvc_probe_samples_total{"
		"probe=\"a-b\",verdict=\"contradiction\",reason=\"contradiction\"} 1",
		"timesvc_probe_samples_total{"
		"probe=\"a-b\",verdict=\"withdrawn\",reason=\"withdrawn_far_epoch\"} 4",
		"timesvc_probe_samples_total{"
		"probe=\"a-b\",verdict=\"withdrawn\",reason=\"withdrawn_end\"} 0",
		"timesvc_probe_rtt_10s_seconds{probe=\"a-b\",percentile=\"50\"} 0.0000017",
		"timesvc_probe_rtt_10s_seconds{probe=\"a-b\",percentile=\"99\"} 0.00009",
		"timesvc_probe_one_way_10s_seconds{"
		"probe=\"a-b\",direction=\"ab\",percentile=\"50\"} -0.00000002",
		NULL
	};
	static const char *const absent[] = { "10s_seconds{probe=\"a-b\",direction=\"ba\"", NULL };

	(void)state;
	publish(NS_PER_S);
	render();
	assert_lines(lines);
	assert_absent(absent);
}

/* The edges are those of the histogram's buckets: 1003 is the last value of the one that holds 1000. */
static void test_probe_histograms(void **state)
{
	static const char *const lines[] = {
		"# TYPE timesvc_probe_rtt_seconds histogram",
		"timesvc_probe_rtt_seconds_bucket{probe=\"a-b\",le=\"0.000001003\"} 2",
		"timesvc_probe_rtt_seconds_bucket{probe=\"a-b\",le=\"0.000002007\"} 3",
		"timesvc_probe_rtt_seconds_bucket{probe=\"a-b\",le=\"1.002438655\"} 3",
		"timesvc_probe_rtt_seconds_bucket{probe=\"a-b\",le=\"+Inf\"} 4",
		"timesvc_probe_rtt_seconds_count{probe=\"a-b\"} 4",
		"timesvc_probe_one_way_seconds_bucket{"
		"probe=\"a-b\",direction=\"ab\",trust=\"trusted\",le=\"-0.000000001\"} 1",
		"timesvc_probe_one_way_seconds_bucket{"
		"probe=\"a-b\",direction=\"ab\",trust=\"trusted\",le=\"0.000001003\"} 2",
		"timesvc_probe_one_way_seconds_sum{"
		"probe=\"a-b\",direction=\"ab\",trust=\"trusted\"} -1e-09",
		"timesvc_probe_one_way_seconds_count{"
		"probe=\"a-b\",direction=\"ab\",trust=\"untrusted\"} 0",
		"timesvc_probe_one_way_seconds_bucket{"
		"probe=\"a-b\",direction=\"ba\",trust=\"untrusted\",le=\"-0.00009984\"} 1",
		NULL
	};

	(void)state;
	publish(NS_PER_S);
	render();
	assert_lines(lines);
}

static void test_probe_that_stopped(void **state)
{
	static const char *const lines[] = {
		"timesvc_probe_current{probe=\"a-b\"} 0",
		"timesvc_probe_sent_total{probe=\"a-b\"} 12", NULL
	};
	static const char *const absent[] = { "10s_seconds{", NULL };

	(void)state;
	publish(5 * NS_PER_S + 1);
	render();
	assert_lines(lines);
	assert_absent(absent);
	publish(0);
	data.finished = 1;
	render();
	assert_lines(lines);
	assert_absent(absent);
}

static void test_reflector_has_no_one_way(void **state)
{
	static const char *const absent[] = { "timesvc_probe_one_way_seconds_", "samples_total{",
		NULL };

	(void)state;
	publish(0);
	data.numbers.reflector = 1;
	render();
	assert_absent(absent);
}

static void test_probe_without_data(void **state)
{
	static const char *const lines[] = { "timesvc_probe_current{probe=\"a-b\"} 0", NULL };
	static const char *const absent[] = { "timesvc_probe_sent_total{", "rtt_seconds_count",
		NULL };

	(void)state;
	render();
	assert_lines(lines);
	assert_absent(absent);
}
#endif

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_engine), TEST(test_trusted_clock), TEST(test_unknown_is_absent),
		TEST(test_children), TEST(test_stale), TEST(test_before_the_first_snapshot),
		TEST(test_label_escaping), TEST(test_seconds), TEST(test_families_stand_together),
#ifdef HAVE_PROBE
		TEST(test_probe_counts), TEST(test_probe_histograms), TEST(test_probe_that_stopped),
		TEST(test_reflector_has_no_one_way), TEST(test_probe_without_data),
#endif
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
