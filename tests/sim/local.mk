# Scenarios in virtual time.
check_PROGRAMS += tests/sim/test_scenarios
TESTS += tests/sim/test_scenarios
tests_sim_test_scenarios_SOURCES = tests/sim/test_scenarios.c tests/sim/world.c tests/sim/world.h tests/unit/rng.h
tests_sim_test_scenarios_CFLAGS = $(UNIT_CFLAGS)
tests_sim_test_scenarios_LDADD = $(DAEMON_LIBS) -lm
