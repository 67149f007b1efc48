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

PROBE_TESTS = tests/unit/test_stamp tests/unit/test_ether tests/unit/test_port_sim \
	tests/unit/test_sender tests/unit/test_reflector tests/unit/test_pace tests/unit/test_windows \
	tests/unit/test_probe_options tests/unit/test_clock_live tests/unit/test_publish
check_PROGRAMS += $(PROBE_TESTS)
TESTS += $(PROBE_TESTS)
PROBE_LIBS = probe/libprobe.la libtimesvc.la $(UNIT_LIBS)
PROBE_WORLD = probe/port_sim.c probe/port_sim.h probe/port_sim_nic.c probe/port_sim_nic.h \
	tests/unit/probe_pair.h tests/unit/rng.h

HARDWARE_TESTS = tests/unit/test_hardware tests/unit/test_port_clock tests/unit/test_clockmap \
	tests/unit/test_stamp_extend tests/unit/test_tx_slot tests/unit/test_kernel_clock \
	tests/unit/test_ptp_frame tests/unit/test_shared_clock
check_PROGRAMS += $(HARDWARE_TESTS)
TESTS += $(HARDWARE_TESTS)
tests_unit_test_hardware_SOURCES = tests/unit/test_hardware.c $(PROBE_WORLD)
tests_unit_test_hardware_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_hardware_LDADD = $(PROBE_LIBS)

tests_unit_test_port_clock_SOURCES = tests/unit/test_port_clock.c $(PROBE_WORLD)
tests_unit_test_port_clock_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_port_clock_LDADD = $(PROBE_LIBS)
tests_unit_test_clockmap_SOURCES = tests/unit/test_clockmap.c tests/unit/rng.h
tests_unit_test_clockmap_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_clockmap_LDADD = $(PROBE_LIBS)
tests_unit_test_stamp_extend_SOURCES = tests/unit/test_stamp_extend.c tests/unit/rng.h
tests_unit_test_stamp_extend_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_stamp_extend_LDADD = $(PROBE_LIBS)
tests_unit_test_tx_slot_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_tx_slot_LDADD = $(PROBE_LIBS)
tests_unit_test_kernel_clock_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_kernel_clock_LDADD = $(PROBE_LIBS)
tests_unit_test_shared_clock_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_shared_clock_LDADD = $(PROBE_LIBS)
tests_unit_test_ptp_frame_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_ptp_frame_LDADD = $(PROBE_LIBS)

tests_unit_test_stamp_SOURCES = tests/unit/test_stamp.c tests/unit/rng.h
tests_unit_test_stamp_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_stamp_LDADD = $(PROBE_LIBS)
tests_unit_test_ether_SOURCES = tests/unit/test_ether.c tests/unit/rng.h
tests_unit_test_ether_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_ether_LDADD = $(PROBE_LIBS)
tests_unit_test_port_sim_SOURCES = tests/unit/test_port_sim.c $(PROBE_WORLD)
tests_unit_test_port_sim_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_port_sim_LDADD = $(PROBE_LIBS)
tests_unit_test_sender_SOURCES = tests/unit/test_sender.c $(PROBE_WORLD)
tests_unit_test_sender_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_sender_LDADD = $(PROBE_LIBS)
tests_unit_test_reflector_SOURCES = tests/unit/test_reflector.c $(PROBE_WORLD)
tests_unit_test_reflector_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_reflector_LDADD = $(PROBE_LIBS)
tests_unit_test_pace_SOURCES = tests/unit/test_pace.c tests/unit/rng.h
tests_unit_test_pace_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_pace_LDADD = $(PROBE_LIBS)
tests_unit_test_windows_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_windows_LDADD = $(PROBE_LIBS)
tests_unit_test_probe_options_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_probe_options_LDADD = probe/libport_dpdk.la $(PROBE_LIBS)
tests_unit_test_clock_live_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_clock_live_LDADD = timesvc/libdaemon.la $(PROBE_LIBS)
tests_unit_test_publish_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_publish_LDADD = $(PROBE_LIBS)

KERNEL_TESTS = tests/unit/test_port_kernel tests/unit/test_kernel_time tests/unit/test_kernel_phc \
	tests/unit/test_hwstamp
check_PROGRAMS += $(KERNEL_TESTS)
TESTS += $(KERNEL_TESTS)
KERNEL_LIBS = probe/libport_kernel.la $(PROBE_LIBS)
tests_unit_test_port_kernel_SOURCES = tests/unit/test_port_kernel.c tests/unit/kernel_notes.h tests/unit/rng.h
tests_unit_test_port_kernel_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_port_kernel_LDADD = $(KERNEL_LIBS)
tests_unit_test_kernel_time_SOURCES = tests/unit/test_kernel_time.c tests/unit/rng.h
tests_unit_test_kernel_time_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_kernel_time_LDADD = $(KERNEL_LIBS)
tests_unit_test_kernel_phc_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_kernel_phc_LDADD = $(KERNEL_LIBS)
tests_unit_test_hwstamp_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_hwstamp_LDADD = $(KERNEL_LIBS)

# Here and not with the other fuzzers: these need the probe, which may be left out.
PROBE_REPLAYS = tests/fuzz/replay_stamp tests/fuzz/replay_ether tests/fuzz/replay_tstamp tests/fuzz/replay_ptp_frame
check_PROGRAMS += $(PROBE_REPLAYS)
TESTS += $(PROBE_REPLAYS)
tests_fuzz_replay_stamp_SOURCES = $(FUZZ_MAIN) tests/fuzz/fuzz_stamp.c
tests_fuzz_replay_stamp_LDADD = probe/libprobe.la lib/base/libbase.la
tests_fuzz_replay_ether_SOURCES = $(FUZZ_MAIN) tests/fuzz/fuzz_ether.c
tests_fuzz_replay_ether_LDADD = probe/libprobe.la lib/base/libbase.la
tests_fuzz_replay_tstamp_SOURCES = $(FUZZ_MAIN) tests/fuzz/fuzz_tstamp.c
tests_fuzz_replay_tstamp_LDADD = probe/libport_kernel.la lib/base/libbase.la
tests_fuzz_replay_ptp_frame_SOURCES = $(FUZZ_MAIN) tests/fuzz/fuzz_ptp_frame.c
tests_fuzz_replay_ptp_frame_LDADD = probe/libprobe.la lib/base/libbase.la
if FUZZERS
noinst_PROGRAMS += tests/fuzz/fuzz_stamp tests/fuzz/fuzz_ether tests/fuzz/fuzz_tstamp tests/fuzz/fuzz_ptp_frame
tests_fuzz_fuzz_tstamp_LDADD = $(tests_fuzz_replay_tstamp_LDADD)
tests_fuzz_fuzz_tstamp_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_fuzz_stamp_LDADD = $(tests_fuzz_replay_stamp_LDADD)
tests_fuzz_fuzz_stamp_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_fuzz_ether_LDADD = $(tests_fuzz_replay_ether_LDADD)
tests_fuzz_fuzz_ether_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_fuzz_ptp_frame_LDADD = $(tests_fuzz_replay_ptp_frame_LDADD)
tests_fuzz_fuzz_ptp_frame_LDFLAGS = $(FUZZ_LINK)
endif
