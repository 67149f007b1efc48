# Scenarios in virtual time.
SIM_TESTS = tests/sim/test_scenarios tests/sim/test_faults tests/sim/test_hardware
check_PROGRAMS += $(SIM_TESTS)
TESTS += $(SIM_TESTS)
SIM_WORLD = tests/sim/scenario.c tests/sim/scenario.h tests/sim/world.c tests/sim/world.h tests/unit/rng.h
tests_sim_test_scenarios_SOURCES = tests/sim/test_scenarios.c $(SIM_WORLD)
tests_sim_test_scenarios_CFLAGS = $(UNIT_CFLAGS)
tests_sim_test_scenarios_LDADD = $(DAEMON_LIBS) -lm
tests_sim_test_faults_SOURCES = tests/sim/test_faults.c $(SIM_WORLD)
tests_sim_test_faults_CFLAGS = $(UNIT_CFLAGS)
tests_sim_test_faults_LDADD = $(DAEMON_LIBS) -lm
tests_sim_test_hardware_SOURCES = tests/sim/test_hardware.c $(SIM_WORLD)
tests_sim_test_hardware_CFLAGS = $(UNIT_CFLAGS)
tests_sim_test_hardware_LDADD = $(DAEMON_LIBS) -lm
