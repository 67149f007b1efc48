# The pipeline proper, and the engine that knows its order.
timesvc_libdaemon_la_SOURCES += \
	timesvc/bound.c timesvc/bound.h \
	timesvc/clock.c timesvc/clock.h \
	timesvc/clockline.c timesvc/clockline.h \
	timesvc/engine.c timesvc/engine_notice.c timesvc/engine.h timesvc/engine_own.h \
	timesvc/nicclock.c timesvc/nicclock.h \
	timesvc/journal.c timesvc/journal.h \
	timesvc/judge.c timesvc/judge.h \
	timesvc/offset.c timesvc/offset.h \
	timesvc/page.c timesvc/page.h \
	timesvc/pipeline.c timesvc/pipeline_ptp.c timesvc/pipeline.h timesvc/pipeline_own.h \
	timesvc/snapshot.h \
	timesvc/system.c timesvc/system.h \
	timesvc/systemclock.c timesvc/systemclock.h \
	timesvc/timebase.c timesvc/timebase.h
