# Sources of evidence. A library of its own inside libdaemon: libnl's flags stay here, and
# the tests of the sources need nothing of the rest.
noinst_LTLIBRARIES += timesvc/libsources.la
timesvc_libsources_la_CPPFLAGS = $(AM_CPPFLAGS) $(NL_CFLAGS)
timesvc_libsources_la_SOURCES = timesvc/ptp.c timesvc/ptp.h \
	timesvc/sources/ethtool.c timesvc/sources/ethtool.h \
	timesvc/sources/link.c timesvc/sources/link.h \
	timesvc/sources/mgmt.c timesvc/sources/mgmt.h \
	timesvc/sources/mgmt_wire.c timesvc/sources/mgmt_wire.h \
	timesvc/sources/phc.c timesvc/sources/phc_device.c timesvc/sources/phc.h \
	timesvc/sources/sysclk.c timesvc/sources/sysclk.h
timesvc_libsources_la_LIBADD = lib/base/libbase.la $(NL_LIBS)
timesvc_libdaemon_la_LIBADD += timesvc/libsources.la
