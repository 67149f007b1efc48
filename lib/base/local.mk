noinst_LTLIBRARIES += lib/base/libbase.la
lib_base_libbase_la_SOURCES = lib/base/err.c lib/base/err.h
lib_base_libbase_la_SOURCES += lib/reason.c lib/reason.h
