# Programs and *.test scripts alike speak TAP.
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER_FLAGS = --merge --comments
TEST_LOG_DRIVER = $(LOG_DRIVER)
TEST_LOG_DRIVER_FLAGS = $(LOG_DRIVER_FLAGS)
AM_TESTS_ENVIRONMENT = top_srcdir='$(abs_top_srcdir)'; top_builddir='$(abs_top_builddir)'; export top_srcdir top_builddir;

# What every cmocka program is linked with.
UNIT_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
UNIT_LIBS = lib/base/libbase.la $(CMOCKA_LIBS)
DAEMON_LIBS = timesvc/libdaemon.la libtimesvc.la $(UNIT_LIBS)

if HAVE_CMOCKA
include tests/unit/base.mk
include tests/unit/lib.mk
include tests/unit/core.mk
include tests/unit/sources.mk
include tests/unit/monitor.mk
include tests/unit/front.mk
if PROBE
include tests/unit/probe.mk
endif
include tests/sim/local.mk
endif
include tests/fuzz/local.mk
include tests/bench/local.mk
include tests/lint/local.mk
include tests/system/local.mk
include tests/rig/local.mk
