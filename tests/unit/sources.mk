# tests/unit/sources.mk
SOURCES_LIBS = timesvc/libsources.la $(UNIT_LIBS)
SOURCES_TESTS = tests/unit/test_ptp tests/unit/test_mgmt_wire tests/unit/test_mgmt \
	tests/unit/test_sysclk tests/unit/test_link tests/unit/test_ethtool tests/unit/test_phc
check_PROGRAMS += $(SOURCES_TESTS)
TESTS += $(SOURCES_TESTS)

tests_unit_test_ptp_SOURCES = tests/unit/test_ptp.c
tests_unit_test_ptp_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_ptp_LDADD = $(SOURCES_LIBS)

tests_unit_test_mgmt_wire_SOURCES = tests/unit/test_mgmt_wire.c tests/unit/mgmt_frames.h tests/unit/rng.h
tests_unit_test_mgmt_wire_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_mgmt_wire_LDADD = $(SOURCES_LIBS)

tests_unit_test_mgmt_SOURCES = tests/unit/test_mgmt.c tests/unit/mgmt_frames.h
tests_unit_test_mgmt_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_mgmt_LDADD = $(SOURCES_LIBS)

tests_unit_test_sysclk_SOURCES = tests/unit/test_sysclk.c
tests_unit_test_sysclk_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_sysclk_LDADD = $(SOURCES_LIBS)

tests_unit_test_link_SOURCES = tests/unit/test_link.c
tests_unit_test_link_CPPFLAGS = $(AM_CPPFLAGS) $(NL_CFLAGS)
tests_unit_test_link_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_link_LDADD = $(SOURCES_LIBS) $(NL_LIBS)

tests_unit_test_ethtool_SOURCES = tests/unit/test_ethtool.c
tests_unit_test_ethtool_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_ethtool_LDADD = $(SOURCES_LIBS)

tests_unit_test_phc_SOURCES = tests/unit/test_phc.c tests/unit/rng.h
tests_unit_test_phc_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_phc_LDADD = $(SOURCES_LIBS) -lm

# Not a test: a system test and people use it to look at a real ptp4l.
check_PROGRAMS += tests/system/mgmt_peer
tests_system_mgmt_peer_SOURCES = tests/system/mgmt_peer.c
tests_system_mgmt_peer_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_system_mgmt_peer_LDADD = timesvc/libsources.la lib/base/libbase.la $(JANSSON_LIBS)
