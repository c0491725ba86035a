# src/sourcecache -- sources, tests and programs of this component.
noinst_LIBRARIES += libsourcecache.a
libsourcecache_a_SOURCES = \
	src/sourcecache/sourcecache.c \
	src/sourcecache/sourcecache.h \
	src/sourcecache/sourcecache_layout.h \
	src/sourcecache/sourcecache_write.c

if HAVE_CHECK
check_PROGRAMS += tests/sourcecache/test_sourcecache
tests_sourcecache_test_sourcecache_SOURCES = \
	tests/sourcecache/test_sourcecache.c \
	tests/object/makers.c \
	tests/object/makers.h \
	tests/fuzz/fuzz_sources.c
endif

EXTRA_PROGRAMS += tests/bench/bench_sources
tests_bench_bench_sources_SOURCES = \
	tests/bench/bench_sources.c \
	tests/object/makers.c \
	tests/object/makers.h
CLEANFILES += tests/bench/bench_sources
