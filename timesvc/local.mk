# The daemon: everything but main.c in one convenience library that the tests link too.
noinst_LTLIBRARIES += timesvc/libdaemon.la
timesvc_libdaemon_la_SOURCES =
timesvc_libdaemon_la_LIBADD = lib/base/libbase.la
include timesvc/core.mk
include timesvc/sources/local.mk
include timesvc/monitor/local.mk
include timesvc/front/local.mk
include timesvc/cli/local.mk
