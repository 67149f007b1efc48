# timesvc(1): everything but its main.c in a library that the tests link too.
noinst_LTLIBRARIES += timesvc/cli/libcli.la
timesvc_cli_libcli_la_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
timesvc_cli_libcli_la_LIBADD = $(JANSSON_LIBS)
timesvc_cli_libcli_la_SOURCES = \
	timesvc/cli/args.c timesvc/cli/cli.h timesvc/cli/check.c \
	timesvc/cli/fetch.c timesvc/cli/fetch.h \
	timesvc/cli/get.c timesvc/cli/get.h timesvc/cli/reply.c \
	timesvc/cli/place.c timesvc/cli/place.h \
	timesvc/cli/show.c timesvc/cli/show.h timesvc/cli/show_event.c timesvc/cli/show_probe.c \
	timesvc/cli/status.c timesvc/cli/text.c timesvc/cli/text.h timesvc/cli/watch.c

bin_PROGRAMS += timesvc/cli/timesvc
timesvc_cli_timesvc_SOURCES = timesvc/cli/main.c
timesvc_cli_timesvc_LDADD = timesvc/cli/libcli.la timesvc/libdaemon.la libtimesvc.la $(JANSSON_LIBS)
timesvc_cli_timesvc_LDFLAGS = $(PIE_LINK)
