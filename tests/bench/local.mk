# `make bench` measures the hot paths through the shared library and writes bench.json.
EXTRA_PROGRAMS = tests/bench/bench
tests_bench_bench_SOURCES = tests/bench/bench.c tests/bench/bench.h tests/bench/bench_reader.c \
	tests/bench/bench_sim.c tests/bench/writer.c tests/bench/writer.h \
	tests/sim/world.c tests/sim/world.h tests/unit/rng.h
tests_bench_bench_CPPFLAGS = $(AM_CPPFLAGS)
tests_bench_bench_LDADD = timesvc/libdaemon.la libtimesvc.la lib/base/libbase.la -lm
if PROBE
tests_bench_bench_SOURCES += tests/bench/bench_sample.c
tests_bench_bench_CPPFLAGS += -DHAVE_PROBE
tests_bench_bench_LDADD += probe/libprobe.la
endif
CLEANFILES += $(EXTRA_PROGRAMS) bench.json

bench: tests/bench/bench$(EXEEXT)
	tests/bench/bench$(EXEEXT) bench.json
.PHONY: bench

check_PROGRAMS += tests/bench/calls
tests_bench_calls_LDADD = timesvc/libdaemon.la libtimesvc.la lib/base/libbase.la
TESTS += tests/bench/instructions.test
EXTRA_DIST += tests/bench/instructions.test
