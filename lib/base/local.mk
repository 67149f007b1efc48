noinst_LTLIBRARIES += lib/base/libbase.la
lib_base_libbase_la_SOURCES = \
	lib/base/conf.c lib/base/conf.h \
	lib/base/err.c lib/base/err.h \
	lib/base/hist.c lib/base/hist.h \
	lib/base/io.c lib/base/io.h \
	lib/base/log.c lib/base/log.h \
	lib/base/nstime.c lib/base/nstime.h \
	lib/base/num.c lib/base/num.h \
	lib/base/tsc.c lib/base/tsc.h \
	lib/reason.c lib/reason.h
