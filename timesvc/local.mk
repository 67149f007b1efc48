# The daemon: everything but main.c in one convenience library that the tests link too.
noinst_LTLIBRARIES += timesvc/libdaemon.la
timesvc_libdaemon_la_CFLAGS = $(AM_CFLAGS) $(EVENT_CFLAGS) $(MICROHTTPD_CFLAGS) $(JANSSON_CFLAGS) $(NL_CFLAGS)
timesvc_libdaemon_la_SOURCES = \
	timesvc/ipc.c timesvc/ipc.h \
	timesvc/loop.c timesvc/loop.h \
	timesvc/options.c timesvc/option_value.c timesvc/options.h timesvc/option_value.h \
	timesvc/settings.c timesvc/settings_check.c timesvc/settings.h
timesvc_libdaemon_la_LIBADD = lib/base/libbase.la \
	$(EVENT_LIBS) $(MICROHTTPD_LIBS) $(JANSSON_LIBS) $(NL_LIBS)
include timesvc/core.mk
include timesvc/sources/local.mk
include timesvc/monitor/local.mk
include timesvc/front/local.mk
include timesvc/cli/local.mk
