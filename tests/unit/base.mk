BASE_TESTS = \
	tests/unit/test_conf tests/unit/test_err tests/unit/test_hist tests/unit/test_io \
	tests/unit/test_log tests/unit/test_nstime tests/unit/test_num tests/unit/test_reason \
	tests/unit/test_tsc
check_PROGRAMS += $(BASE_TESTS)
TESTS += $(BASE_TESTS)

tests_unit_test_conf_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_conf_LDADD = $(UNIT_LIBS)
tests_unit_test_err_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_err_LDADD = $(UNIT_LIBS)
tests_unit_test_hist_SOURCES = tests/unit/test_hist.c tests/unit/rng.h
tests_unit_test_hist_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_hist_LDADD = $(UNIT_LIBS)
tests_unit_test_io_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_io_LDADD = $(UNIT_LIBS)
tests_unit_test_log_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_log_LDADD = $(UNIT_LIBS)
tests_unit_test_nstime_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_nstime_LDADD = $(UNIT_LIBS)
tests_unit_test_num_SOURCES = tests/unit/test_num.c tests/unit/rng.h
tests_unit_test_num_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_num_LDADD = $(UNIT_LIBS)
tests_unit_test_reason_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_reason_LDADD = $(UNIT_LIBS)
tests_unit_test_tsc_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_tsc_LDADD = $(UNIT_LIBS)
