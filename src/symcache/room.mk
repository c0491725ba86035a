# src/symcache -- sources, tests and programs of this room.
noinst_LIBRARIES += libsymcache.a
libsymcache_a_SOURCES = \
	src/symcache/cover.c src/symcache/cover.h \
	src/symcache/dump.c \
	src/symcache/emit.c src/symcache/emit.h \
	src/symcache/frames.c src/symcache/frames.h \
	src/symcache/il2cpp.c src/symcache/il2cpp.h \
	src/symcache/layout.h \
	src/symcache/lookup.c \
	src/symcache/merge.c src/symcache/merge.h \
	src/symcache/numbers.c src/symcache/numbers.h \
	src/symcache/parallel.c src/symcache/parallel.h \
	src/symcache/part.c src/symcache/part.h \
	src/symcache/path.c \
	src/symcache/sets.c src/symcache/sets.h \
	src/symcache/symcache.c src/symcache/symcache.h \
	src/symcache/undecorate.c src/symcache/undecorate.h \
	src/symcache/write.c

# The writer asks objects, and object.c names every format.
symcache_libs = libsymcache.a libobject.a libdwarf.a libobject.a libunpack.a libbase.a \
	$(ZLIB_LIBS) $(ZSTD_LIBS) $(LZMA_LIBS) $(CRYPTO_LIBS) $(CJSON_LIBS)

if HAVE_CHECK
symcache_test_libs = libsupport.a $(symcache_libs) $(CHECK_LIBS)
check_PROGRAMS += tests/symcache/test_write
tests_symcache_test_write_SOURCES = tests/symcache/test_write.c \
	tests/symcache/fake.c tests/symcache/fake.h
tests_symcache_test_write_LDADD = $(symcache_test_libs)
tests_symcache_test_write_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests

check_PROGRAMS += tests/symcache/test_taken
tests_symcache_test_taken_SOURCES = tests/symcache/test_taken.c tests/object/look.c tests/object/look.h
tests_symcache_test_taken_LDADD = $(symcache_test_libs)
tests_symcache_test_taken_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests

check_PROGRAMS += tests/symcache/test_cover
tests_symcache_test_cover_SOURCES = tests/symcache/test_cover.c \
	tests/symcache/fake.c tests/symcache/fake.h
tests_symcache_test_cover_LDADD = $(symcache_test_libs)
tests_symcache_test_cover_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests

check_PROGRAMS += tests/symcache/test_lookup
tests_symcache_test_lookup_SOURCES = tests/symcache/test_lookup.c \
	tests/symcache/fake.c tests/symcache/fake.h tests/fuzz/fuzz_symcache.c
tests_symcache_test_lookup_LDADD = $(symcache_test_libs)
tests_symcache_test_lookup_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests

check_PROGRAMS += tests/symcache/test_many
tests_symcache_test_many_SOURCES = tests/symcache/test_many.c
tests_symcache_test_many_LDADD = $(symcache_test_libs)
tests_symcache_test_many_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests

check_PROGRAMS += tests/symcache/test_il2cpp
tests_symcache_test_il2cpp_SOURCES = tests/symcache/test_il2cpp.c \
	tests/symcache/fake.c tests/symcache/fake.h tests/fuzz/fuzz_maps.c
tests_symcache_test_il2cpp_LDADD = libconvert.a $(symcache_test_libs)
tests_symcache_test_il2cpp_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests

check_PROGRAMS += tests/symcache/test_names
tests_symcache_test_names_SOURCES = tests/symcache/test_names.c
tests_symcache_test_names_LDADD = $(symcache_test_libs)
tests_symcache_test_names_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests
endif

EXTRA_PROGRAMS += tests/bench/bench_lookup
tests_bench_bench_lookup_SOURCES = tests/bench/bench_lookup.c
tests_bench_bench_lookup_LDADD = libsymcache.a libbase.a $(CRYPTO_LIBS)
