# The pipeline proper: page, filter, estimate, judge, and the engine that knows their order.
timesvc_libdaemon_la_SOURCES += timesvc/page.c timesvc/page.h
