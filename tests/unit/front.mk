FRONT_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
FRONT_LIBS = timesvc/front/libfront.la $(DAEMON_LIBS) $(JANSSON_LIBS)
FRONT_FIXTURE = tests/unit/front_fixture.c tests/unit/front_fixture.h

check_PROGRAMS += tests/unit/test_status
TESTS += tests/unit/test_status
tests_unit_test_status_SOURCES = tests/unit/test_status.c $(FRONT_FIXTURE) \
	tests/unit/schema_check.c tests/unit/schema_check.h
tests_unit_test_status_CPPFLAGS = $(FRONT_CPPFLAGS)
tests_unit_test_status_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_status_LDADD = $(FRONT_LIBS)
if PROBE
FRONT_CPPFLAGS += -DHAVE_PROBE
endif

check_PROGRAMS += tests/unit/test_metrics
TESTS += tests/unit/test_metrics
tests_unit_test_metrics_SOURCES = tests/unit/test_metrics.c $(FRONT_FIXTURE)
tests_unit_test_metrics_CPPFLAGS = $(FRONT_CPPFLAGS)
tests_unit_test_metrics_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_metrics_LDADD = $(FRONT_LIBS)

check_PROGRAMS += tests/unit/test_http
TESTS += tests/unit/test_http
tests_unit_test_http_SOURCES = tests/unit/test_http.c $(FRONT_FIXTURE) \
	tests/unit/schema_check.c tests/unit/schema_check.h
tests_unit_test_http_CPPFLAGS = $(FRONT_CPPFLAGS)
tests_unit_test_http_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_http_LDADD = $(FRONT_LIBS)

check_PROGRAMS += tests/unit/test_cli
TESTS += tests/unit/test_cli
tests_unit_test_cli_SOURCES = tests/unit/test_cli.c $(FRONT_FIXTURE) \
	tests/unit/schema_check.c tests/unit/schema_check.h
tests_unit_test_cli_CPPFLAGS = $(FRONT_CPPFLAGS)
tests_unit_test_cli_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_cli_LDADD = timesvc/cli/libcli.la $(FRONT_LIBS)

check_PROGRAMS += tests/unit/test_show
TESTS += tests/unit/test_show
tests_unit_test_show_SOURCES = tests/unit/test_show.c $(FRONT_FIXTURE)
tests_unit_test_show_CPPFLAGS = $(FRONT_CPPFLAGS)
tests_unit_test_show_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_show_LDADD = timesvc/cli/libcli.la $(FRONT_LIBS)
