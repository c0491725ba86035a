# src/ppdbcache -- sources, tests and programs of this component.
noinst_LIBRARIES += libppdbcache.a
libppdbcache_a_SOURCES = \
	src/ppdbcache/ppdbcache.c \
	src/ppdbcache/ppdbcache.h \
	src/ppdbcache/ppdbcache_layout.h \
	src/ppdbcache/ppdbcache_write.c

if HAVE_CHECK
check_PROGRAMS += tests/ppdbcache/test_ppdbcache
tests_ppdbcache_test_ppdbcache_SOURCES = \
	tests/ppdbcache/test_ppdbcache.c \
	tests/object/makers.c \
	tests/object/makers.h \
	tests/fuzz/fuzz_sources.c
endif
