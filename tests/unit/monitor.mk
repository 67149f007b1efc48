MONITOR_TESTS = \
	tests/unit/test_childlog tests/unit/test_confgen tests/unit/test_ipc tests/unit/test_loop \
	tests/unit/test_options tests/unit/test_settings tests/unit/test_spawn tests/unit/test_supervisor
check_PROGRAMS += $(MONITOR_TESTS)
TESTS += $(MONITOR_TESTS)

tests_unit_test_childlog_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_childlog_LDADD = $(DAEMON_LIBS)
tests_unit_test_confgen_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_confgen_LDADD = $(DAEMON_LIBS)
tests_unit_test_ipc_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_ipc_LDADD = $(DAEMON_LIBS)
tests_unit_test_loop_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_loop_LDADD = $(DAEMON_LIBS)
tests_unit_test_options_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_options_LDADD = $(DAEMON_LIBS)
tests_unit_test_settings_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_settings_LDADD = $(DAEMON_LIBS)
tests_unit_test_spawn_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_spawn_LDADD = $(DAEMON_LIBS)
tests_unit_test_supervisor_SOURCES = tests/unit/test_supervisor.c tests/unit/rng.h
tests_unit_test_supervisor_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_supervisor_LDADD = $(DAEMON_LIBS)
