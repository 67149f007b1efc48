# tests/unit/probe.mk

GATE_TESTS = tests/unit/test_gate tests/unit/test_gate_slices tests/unit/test_gate_any \
	tests/unit/test_segment tests/unit/test_report tests/sim/probe_gate_sim
check_PROGRAMS += $(GATE_TESTS)
TESTS += $(GATE_TESTS)
GATE_LIBS = probe/libprobe.la $(UNIT_LIBS)

tests_unit_test_gate_SOURCES = tests/unit/test_gate.c tests/unit/gate_ends.h
tests_unit_test_gate_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_gate_LDADD = $(GATE_LIBS)
tests_unit_test_gate_slices_SOURCES = tests/unit/test_gate_slices.c tests/unit/gate_ends.h
tests_unit_test_gate_slices_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_gate_slices_LDADD = $(GATE_LIBS)
tests_unit_test_gate_any_SOURCES = tests/unit/test_gate_any.c tests/unit/gate_ends.h tests/unit/rng.h
tests_unit_test_gate_any_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_gate_any_LDADD = $(GATE_LIBS)
tests_sim_probe_gate_sim_SOURCES = tests/sim/probe_gate_sim.c tests/unit/gate_ends.h tests/unit/rng.h
tests_sim_probe_gate_sim_CFLAGS = $(UNIT_CFLAGS)
tests_sim_probe_gate_sim_LDADD = $(GATE_LIBS)
tests_unit_test_segment_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_segment_LDADD = $(GATE_LIBS)
tests_unit_test_report_CFLAGS = $(UNIT_CFLAGS) $(JANSSON_CFLAGS)
tests_unit_test_report_LDADD = $(GATE_LIBS) $(JANSSON_LIBS)
