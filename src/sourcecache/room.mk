# src/sourcecache -- sources, tests and programs of this room.
noinst_LIBRARIES += libsourcecache.a
libsourcecache_a_SOURCES = src/sourcecache/layout.h src/sourcecache/sourcecache.c \
	src/sourcecache/sourcecache.h src/sourcecache/write.c
libsourcecache_a_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS)

if HAVE_CHECK
check_PROGRAMS += tests/sourcecache/test_sourcecache
tests_sourcecache_test_sourcecache_SOURCES = tests/sourcecache/test_sourcecache.c \
	tests/object/makers.c tests/object/makers.h tests/fuzz/fuzz_sources.c
tests_sourcecache_test_sourcecache_LDADD = libsourcecache.a libppdbcache.a $(object_test_ldadd)
tests_sourcecache_test_sourcecache_CPPFLAGS = $(object_test_cppflags) $(ZLIB_CFLAGS)
endif

EXTRA_PROGRAMS += tests/bench/bench_sources
tests_bench_bench_sources_SOURCES = tests/bench/bench_sources.c tests/object/makers.c \
	tests/object/makers.h
tests_bench_bench_sources_LDADD = libsourcecache.a libobject.a libdwarf.a libobject.a libunpack.a \
	libbase.a $(ZLIB_LIBS) $(ZSTD_LIBS) $(LZMA_LIBS) $(MSPACK_LIBS) $(CRYPTO_LIBS) $(CJSON_LIBS)
tests_bench_bench_sources_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS) -I$(top_srcdir)/tests
CLEANFILES += tests/bench/bench_sources
