# The trust page from both sides.
PAGE_TESTS = tests/unit/test_page tests/unit/test_reader tests/unit/test_reader_torture
check_PROGRAMS += $(PAGE_TESTS)
TESTS += $(PAGE_TESTS)

tests_unit_test_page_SOURCES = tests/unit/test_page.c tests/unit/page_fixture.h
tests_unit_test_page_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_page_LDADD = $(DAEMON_LIBS)
tests_unit_test_reader_SOURCES = tests/unit/test_reader.c tests/unit/page_fixture.h
tests_unit_test_reader_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_reader_LDADD = $(DAEMON_LIBS)
tests_unit_test_reader_torture_SOURCES = tests/unit/test_reader_torture.c tests/unit/page_fixture.h \
	tests/unit/rng.h
tests_unit_test_reader_torture_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_reader_torture_LDADD = $(DAEMON_LIBS)
