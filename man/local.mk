dist_man_MANS += man/timesvc.1 man/libtimesvc.3 man/timesvc.conf.5 man/timesvcd.8
if PROBE
dist_man_MANS += man/timesvc-probe.8
endif
