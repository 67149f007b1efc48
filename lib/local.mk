include lib/base/local.mk

# The shared library: what a trading engine links. It stands on nothing of ours but headers.
lib_LTLIBRARIES += libtimesvc.la
include_HEADERS += lib/timesvc.h
pkgconfig_DATA += lib/libtimesvc.pc
libtimesvc_la_SOURCES = lib/reader.c lib/reason.c lib/reason.h lib/page.h
libtimesvc_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -Wl,--version-script=$(top_srcdir)/lib/libtimesvc.map
EXTRA_libtimesvc_la_DEPENDENCIES = lib/libtimesvc.map
EXTRA_DIST += lib/libtimesvc.map lib/libtimesvc.pc.in
