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

# The daemon's user is made where the system's own prefix is installed to, and nowhere else: not in a package's
# DESTDIR, not for a stage of one's own.
install-data-hook:
	@case '$(DESTDIR):$(prefix)' in :/usr|:/usr/local) \
		if test "$$(id -u)" = 0 && ! getent passwd timesvc >/dev/null; then \
			echo "making the user timesvc"; \
			systemd-sysusers '$(DESTDIR)$(sysusersdir)/timesvc.conf' 2>/dev/null || \
			useradd --system --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin timesvc; \
		fi ;; \
	esac
