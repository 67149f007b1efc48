# The pure stages of the pipeline, and the journal.
CORE_TESTS = tests/unit/test_bound tests/unit/test_clockline tests/unit/test_journal tests/unit/test_judge \
	tests/unit/test_judge_alarm tests/unit/test_offset tests/unit/test_pipeline \
	tests/unit/test_pipeline_faults tests/unit/test_pipeline_reference \
	tests/unit/test_nicclock tests/unit/test_system
check_PROGRAMS += $(CORE_TESTS)
TESTS += $(CORE_TESTS)

tests_unit_test_bound_SOURCES = tests/unit/test_bound.c
tests_unit_test_bound_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_bound_LDADD = $(DAEMON_LIBS)
tests_unit_test_clockline_SOURCES = tests/unit/test_clockline.c tests/unit/rng.h
tests_unit_test_clockline_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_clockline_LDADD = $(DAEMON_LIBS) -lm
tests_unit_test_journal_SOURCES = tests/unit/test_journal.c
tests_unit_test_journal_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_journal_LDADD = $(DAEMON_LIBS)
tests_unit_test_judge_SOURCES = tests/unit/test_judge.c tests/unit/judge_fixture.h tests/unit/rng.h
tests_unit_test_judge_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_judge_LDADD = $(DAEMON_LIBS)
tests_unit_test_judge_alarm_SOURCES = tests/unit/test_judge_alarm.c tests/unit/judge_fixture.h
tests_unit_test_judge_alarm_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_judge_alarm_LDADD = $(DAEMON_LIBS)
tests_unit_test_offset_SOURCES = tests/unit/test_offset.c tests/unit/rng.h
tests_unit_test_offset_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_offset_LDADD = $(DAEMON_LIBS)
tests_unit_test_pipeline_SOURCES = tests/unit/test_pipeline.c tests/unit/pipeline_fixture.h
tests_unit_test_pipeline_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_pipeline_LDADD = $(DAEMON_LIBS)
tests_unit_test_pipeline_faults_SOURCES = tests/unit/test_pipeline_faults.c tests/unit/pipeline_fixture.h
tests_unit_test_pipeline_faults_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_pipeline_faults_LDADD = $(DAEMON_LIBS)
tests_unit_test_pipeline_reference_SOURCES = tests/unit/test_pipeline_reference.c tests/unit/pipeline_fixture.h
tests_unit_test_pipeline_reference_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_pipeline_reference_LDADD = $(DAEMON_LIBS)
tests_unit_test_nicclock_SOURCES = tests/unit/test_nicclock.c
tests_unit_test_nicclock_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_nicclock_LDADD = $(DAEMON_LIBS)
tests_unit_test_system_SOURCES = tests/unit/test_system.c
tests_unit_test_system_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_system_LDADD = $(DAEMON_LIBS) -lm
