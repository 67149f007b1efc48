# What a daemon or a CLI needs to read a probe's segment and to show it; free of DPDK
# (so stamp_kind_name() lives here and not in port.c).
noinst_LTLIBRARIES += probe/libreport.la
probe_libreport_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
probe_libreport_la_LIBADD = lib/base/libbase.la $(JANSSON_LIBS)
probe_libreport_la_SOURCES = probe/segment.c probe/segment.h probe/gate_reason.c \
	probe/report.c probe/report_text.c probe/report.h probe/stamp_kind.c probe/port.h

noinst_LTLIBRARIES += probe/libprobe.la
probe_libprobe_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
probe_libprobe_la_LIBADD = probe/libreport.la
probe_libprobe_la_SOURCES = probe/gate.c probe/gate.h probe/gate_check.c probe/gate_check.h \
	probe/gate_slices.c probe/gate_slices.h
