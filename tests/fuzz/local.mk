# Each fuzz_X.c has one function, LLVMFuzzerTestOneInput(), and a corpus. Everywhere it is
# linked to replay_X, which `make check` runs over the corpus; configured with CC=clang
# --enable-fuzzers it also becomes fuzz_X, which looks for new inputs:
#   tests/fuzz/fuzz_X -max_total_time=60 NEW_DIRECTORY .../tests/fuzz/corpus/X
# A new one needs a block like those below.
FUZZ_MAIN = tests/fuzz/replay_main.c tests/unit/rng.h
FUZZ_LINK = $(AM_LDFLAGS) -fsanitize=fuzzer
EXTRA_DIST += tests/fuzz/corpus

FUZZ_REPLAYS = tests/fuzz/replay_conf
FUZZ_SEARCHES = tests/fuzz/fuzz_conf
tests_fuzz_replay_conf_SOURCES = $(FUZZ_MAIN) tests/fuzz/fuzz_conf.c
tests_fuzz_replay_conf_LDADD = lib/base/libbase.la
tests_fuzz_fuzz_conf_LDADD = $(tests_fuzz_replay_conf_LDADD)
tests_fuzz_fuzz_conf_LDFLAGS = $(FUZZ_LINK)

FUZZ_REPLAYS += tests/fuzz/replay_mgmt
FUZZ_SEARCHES += tests/fuzz/fuzz_mgmt
tests_fuzz_replay_mgmt_SOURCES = $(FUZZ_MAIN) tests/fuzz/fuzz_mgmt.c
tests_fuzz_replay_mgmt_LDADD = timesvc/libsources.la lib/base/libbase.la
tests_fuzz_fuzz_mgmt_LDADD = $(tests_fuzz_replay_mgmt_LDADD)
tests_fuzz_fuzz_mgmt_LDFLAGS = $(FUZZ_LINK)

FUZZ_REPLAYS += tests/fuzz/replay_num
FUZZ_SEARCHES += tests/fuzz/fuzz_num
tests_fuzz_replay_num_SOURCES = $(FUZZ_MAIN) tests/fuzz/fuzz_num.c
tests_fuzz_replay_num_LDADD = lib/base/libbase.la
tests_fuzz_fuzz_num_LDADD = $(tests_fuzz_replay_num_LDADD)
tests_fuzz_fuzz_num_LDFLAGS = $(FUZZ_LINK)

FUZZ_REPLAYS += tests/fuzz/replay_reply
FUZZ_SEARCHES += tests/fuzz/fuzz_reply
tests_fuzz_replay_reply_SOURCES = $(FUZZ_MAIN) tests/fuzz/fuzz_reply.c
tests_fuzz_replay_reply_LDADD = timesvc/cli/libcli.la lib/base/libbase.la
tests_fuzz_fuzz_reply_LDADD = $(tests_fuzz_replay_reply_LDADD)
tests_fuzz_fuzz_reply_LDFLAGS = $(FUZZ_LINK)

FUZZ_REPLAYS += tests/fuzz/replay_settings
FUZZ_SEARCHES += tests/fuzz/fuzz_settings
tests_fuzz_replay_settings_SOURCES = $(FUZZ_MAIN) tests/fuzz/fuzz_settings.c
tests_fuzz_replay_settings_LDADD = timesvc/libdaemon.la libtimesvc.la
tests_fuzz_fuzz_settings_LDADD = $(tests_fuzz_replay_settings_LDADD)
tests_fuzz_fuzz_settings_LDFLAGS = $(FUZZ_LINK)

FUZZ_REPLAYS += tests/fuzz/replay_children
FUZZ_SEARCHES += tests/fuzz/fuzz_children
tests_fuzz_replay_children_SOURCES = $(FUZZ_MAIN) tests/fuzz/fuzz_children.c
tests_fuzz_replay_children_LDADD = timesvc/libdaemon.la libtimesvc.la
tests_fuzz_fuzz_children_LDADD = $(tests_fuzz_replay_children_LDADD)
tests_fuzz_fuzz_children_LDFLAGS = $(FUZZ_LINK)

FUZZ_REPLAYS += tests/fuzz/replay_ethtool
FUZZ_SEARCHES += tests/fuzz/fuzz_ethtool
tests_fuzz_replay_ethtool_SOURCES = $(FUZZ_MAIN) tests/fuzz/fuzz_ethtool.c
tests_fuzz_replay_ethtool_LDADD = timesvc/libsources.la lib/base/libbase.la
tests_fuzz_fuzz_ethtool_LDADD = $(tests_fuzz_replay_ethtool_LDADD)
tests_fuzz_fuzz_ethtool_LDFLAGS = $(FUZZ_LINK)

check_PROGRAMS += $(FUZZ_REPLAYS)
TESTS += $(FUZZ_REPLAYS)

if FUZZERS
AM_CFLAGS += -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
noinst_PROGRAMS += $(FUZZ_SEARCHES)
endif
