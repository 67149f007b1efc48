# What a daemon or a CLI needs to read a probe's segment and to show it; free of DPDK
# (so stamp_kind_name() lives here and not in port.c).
noinst_LTLIBRARIES += probe/libreport.la
probe_libreport_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
probe_libreport_la_LIBADD = lib/base/libbase.la $(JANSSON_LIBS)
probe_libreport_la_SOURCES = probe/segment.c probe/segment.h probe/gate_reason.c \
	probe/report.c probe/report_text.c probe/report.h probe/stamp_kind.c probe/port.h

# Everything but main.c that does not include DPDK.
noinst_LTLIBRARIES += probe/libprobe.la
probe_libprobe_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
probe_libprobe_la_LIBADD = probe/libreport.la -lm
probe_libprobe_la_SOURCES = probe/gate.c probe/gate.h probe/gate_check.c probe/gate_check.h \
	probe/gate_slices.c probe/gate_slices.h
probe_libprobe_la_SOURCES += probe/bytes.h probe/stamp.c probe/stamp.h probe/stamp_time.c \
	probe/stamp_time.h probe/stamp_tlv.c probe/stamp_tlv.h probe/ether.c probe/ether.h \
	probe/port.c probe/clock.h probe/clock_live.c probe/clock_live.h probe/ends.c probe/ends.h \
	probe/net.c probe/net.h probe/pace.c probe/pace.h probe/priority.c probe/priority.h probe/flight.c probe/flight.h \
	probe/sender.c probe/sender.h probe/reflector.c probe/reflector.h probe/windows.c \
	probe/windows.h probe/slices.c probe/slices.h probe/publish.c probe/publish.h \
	probe/options.c probe/options.h probe/run.c probe/run.h
probe_libprobe_la_SOURCES += probe/clockmap.c probe/clockmap.h probe/os_clock.c probe/os_clock.h \
	probe/hwclock.c probe/hwclock.h probe/stamp_extend.c probe/stamp_extend.h probe/tx_slot.c \
	probe/tx_slot.h probe/kernel_clock.c probe/kernel_clock.h probe/ptp_frame.c probe/ptp_frame.h \
	probe/sender_test.c probe/sender_test.h \
	probe/sender_stamps.c probe/sender_state.h probe/hwclock_note.c probe/hwclock_note.h \
	probe/shared_clock.c probe/shared_clock.h

EXTRA_DIST += tools/build-pmd

# DPDK's flags reach only the files that include it; its headers test macros that clang has not defined.
noinst_LTLIBRARIES += probe/libport_dpdk.la
probe_libport_dpdk_la_CFLAGS = $(AM_CFLAGS) $(DPDK_CFLAGS) -Wno-undef -DALLOW_EXPERIMENTAL_API
probe_libport_dpdk_la_SOURCES = probe/port_dpdk.c probe/port_dpdk_stamps.c probe/port_dpdk.h \
	probe/eal_args.c probe/eal_args.h

# What asks the kernel for stamps, and what can be said of them without it.
noinst_LTLIBRARIES += probe/libport_kernel.la
probe_libport_kernel_la_SOURCES = probe/port_kernel.c probe/port_kernel.h \
	probe/kernel_cmsg.c probe/kernel_cmsg.h probe/kernel_filter.c probe/kernel_filter.h \
	probe/kernel_phc.c probe/kernel_phc.h probe/kernel_sent.c probe/kernel_sent.h \
	probe/kernel_socket.c probe/kernel_socket.h probe/kernel_time.c probe/kernel_time.h \
	probe/hwstamp.c probe/hwstamp.h probe/hwstamp_plan.c probe/hwstamp_users.c probe/hwstamp_users.h

sbin_PROGRAMS += timesvc-probe
timesvc_probe_CFLAGS = $(AM_CFLAGS)
timesvc_probe_LDFLAGS = $(PIE_LINK)
timesvc_probe_SOURCES = probe/main.c
timesvc_probe_LDADD = probe/libport_dpdk.la probe/libport_kernel.la probe/libprobe.la libtimesvc.la $(DPDK_LIBS)
