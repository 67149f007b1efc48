# Each fuzz_X.c has one function, LLVMFuzzerTestOneInput(), and a corpus. Everywhere it is
# linked to replay_X, which `make check` runs over the corpus; configured with CC=clang
# --enable-fuzzers it also becomes fuzz_X, which looks for new inputs:
#   tests/fuzz/fuzz_X -max_total_time=60 NEW_DIRECTORY .../tests/fuzz/corpus/X
# A new one needs its name in both lists, and its four lines below.
FUZZ_REPLAYS = tests/fuzz/replay_conf tests/fuzz/replay_mgmt tests/fuzz/replay_num
FUZZ_SEARCHES = tests/fuzz/fuzz_conf tests/fuzz/fuzz_mgmt tests/fuzz/fuzz_num

tests_fuzz_replay_conf_SOURCES = $(FUZZ_MAIN) tests/fuzz/fuzz_conf.c
tests_fuzz_replay_conf_LDADD = lib/base/libbase.la
tests_fuzz_fuzz_conf_LDADD = $(tests_fuzz_replay_conf_LDADD)
tests_fuzz_fuzz_conf_LDFLAGS = $(FUZZ_LINK)

tests_fuzz_replay_mgmt_SOURCES = $(FUZZ_MAIN) tests/fuzz/fuzz_mgmt.c
tests_fuzz_replay_mgmt_LDADD = timesvc/libsources.la lib/base/libbase.la
tests_fuzz_fuzz_mgmt_LDADD = $(tests_fuzz_replay_mgmt_LDADD)
tests_fuzz_fuzz_mgmt_LDFLAGS = $(FUZZ_LINK)

tests_fuzz_replay_num_SOURCES = $(FUZZ_MAIN) tests/fuzz/fuzz_num.c
tests_fuzz_replay_num_LDADD = lib/base/libbase.la
tests_fuzz_fuzz_num_LDADD = $(tests_fuzz_replay_num_LDADD)
tests_fuzz_fuzz_num_LDFLAGS = $(FUZZ_LINK)

FUZZ_MAIN = tests/fuzz/replay_main.c tests/unit/rng.h
FUZZ_LINK = $(AM_LDFLAGS) -fsanitize=fuzzer
check_PROGRAMS += $(FUZZ_REPLAYS)
TESTS += $(FUZZ_REPLAYS)
EXTRA_DIST += tests/fuzz/corpus

if FUZZERS
AM_CFLAGS += -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
noinst_PROGRAMS += $(FUZZ_SEARCHES)
endif
