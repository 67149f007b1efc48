timesvc_libdaemon_la_SOURCES += \
	timesvc/monitor/adopt.c \
	timesvc/monitor/childlog.c timesvc/monitor/childlog.h \
	timesvc/monitor/children.c timesvc/monitor/children.h \
	timesvc/monitor/command.c timesvc/monitor/confgen.c timesvc/monitor/confgen.h \
	timesvc/monitor/detach.c timesvc/monitor/detach.h \
	timesvc/monitor/listen.c timesvc/monitor/listen.h \
	timesvc/monitor/mgmtsock.c timesvc/monitor/mgmtsock.h \
	timesvc/monitor/monitor.c timesvc/monitor/monitor.h \
	timesvc/monitor/notify.c timesvc/monitor/notify.h \
	timesvc/monitor/phcdev.c timesvc/monitor/phcdev.h \
	timesvc/monitor/plan.c timesvc/monitor/plan.h \
	timesvc/monitor/precheck.c timesvc/monitor/precheck.h \
	timesvc/monitor/privs.c timesvc/monitor/privs.h \
	timesvc/monitor/process.c timesvc/monitor/process.h \
	timesvc/monitor/reload.c timesvc/monitor/requests.c \
	timesvc/monitor/run.c \
	timesvc/monitor/rundir.c timesvc/monitor/rundir.h \
	timesvc/monitor/slot.c timesvc/monitor/slot.h \
	timesvc/monitor/spawn.c timesvc/monitor/spawn.h \
	timesvc/monitor/status.h \
	timesvc/monitor/supervisor.c timesvc/monitor/supervisor.h
