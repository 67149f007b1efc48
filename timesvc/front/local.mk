# The front process, in a convenience library of its own: libmicrohttpd and jansson end here.
noinst_LTLIBRARIES += timesvc/front/libfront.la
timesvc_libdaemon_la_LIBADD += timesvc/front/libfront.la
timesvc_front_libfront_la_CPPFLAGS = $(AM_CPPFLAGS) $(MICROHTTPD_CFLAGS) $(JANSSON_CFLAGS)
timesvc_front_libfront_la_LIBADD = $(MICROHTTPD_LIBS) $(JANSSON_LIBS)
timesvc_front_libfront_la_SOURCES = \
	timesvc/front/front.c timesvc/front/front.h \
	timesvc/front/http.c timesvc/front/http.h \
	timesvc/front/js.c timesvc/front/js.h \
	timesvc/front/metrics.c timesvc/front/metrics.h \
	timesvc/front/metrics_child.c timesvc/front/metrics_clock.c \
	timesvc/front/probes.h timesvc/front/prom.c timesvc/front/prom.h \
	timesvc/front/status.c timesvc/front/status.h timesvc/front/status_clock.c \
	timesvc/front/store.c timesvc/front/store.h \
	timesvc/front/view.c timesvc/front/view.h
if PROBE
timesvc_front_libfront_la_SOURCES += timesvc/front/probes.c timesvc/front/metrics_probe.c
timesvc_front_libfront_la_LIBADD += probe/libreport.la
else
timesvc_front_libfront_la_SOURCES += timesvc/front/noprobe.c
endif

schemadir = $(pkgdatadir)/schema
dist_schema_DATA = conf/schema/status.json conf/schema/probe.json
