# The daemon: everything but main.c in one convenience library that the tests link too.
noinst_LTLIBRARIES += timesvc/libdaemon.la
timesvc_libdaemon_la_CFLAGS = $(AM_CFLAGS) $(EVENT_CFLAGS)
timesvc_libdaemon_la_SOURCES = \
	timesvc/ipc.c timesvc/ipc.h \
	timesvc/loop.c timesvc/loop.h \
	timesvc/options.c timesvc/option_value.c timesvc/options.h timesvc/option_value.h \
	timesvc/settings.c timesvc/settings_check.c timesvc/settings.h
timesvc_libdaemon_la_LIBADD = lib/base/libbase.la \
	$(EVENT_LIBS) -lm
include timesvc/core.mk
include timesvc/sources/local.mk
include timesvc/monitor/local.mk
include timesvc/front/local.mk
include timesvc/cli/local.mk

sbin_PROGRAMS += timesvcd
timesvcd_SOURCES = timesvc/main.c
timesvcd_LDADD = timesvc/libdaemon.la libtimesvc.la
timesvcd_LDFLAGS = $(PIE_LINK)
