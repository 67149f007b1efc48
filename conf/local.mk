exampledir = $(docdir)/examples
dist_example_DATA = conf/timesvc.conf
sysusersdir = $(prefix)/lib/sysusers.d
dist_sysusers_DATA = conf/sysusers.d/timesvc.conf
systemdunitdir = $(prefix)/lib/systemd/system
nodist_systemdunit_DATA = conf/timesvcd.service
EXTRA_DIST += conf/timesvcd.service.in
CLEANFILES += conf/timesvcd.service

conf/timesvcd.service: conf/timesvcd.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) conf && $(SED) -e 's|@sbindir[@]|$(sbindir)|g' \
		-e 's|@sysconfdir[@]|$(sysconfdir)|g' $(srcdir)/conf/timesvcd.service.in > $@
