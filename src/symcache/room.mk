# src/symcache -- sources, tests and programs of this room.
noinst_LIBRARIES += libsymcache.a
libsymcache_a_SOURCES = \
	src/symcache/cover.c src/symcache/cover.h \
	src/symcache/dump.c \
	src/symcache/emit.c src/symcache/emit.h \
	src/symcache/layout.h \
	src/symcache/part.c src/symcache/part.h \
	src/symcache/path.c \
	src/symcache/sets.c src/symcache/sets.h \
	src/symcache/symcache.c src/symcache/symcache.h \
	src/symcache/undecorate.c src/symcache/undecorate.h \
	src/symcache/write.c

# The writer asks objects, and object.c names every format.
symcache_libs = libsymcache.a libobject.a libdwarf.a libobject.a libunpack.a libbase.a \
	$(ZLIB_LIBS) $(ZSTD_LIBS) $(LZMA_LIBS) $(CRYPTO_LIBS)

if HAVE_CHECK
symcache_test_libs = libsupport.a $(symcache_libs) $(CHECK_LIBS)
check_PROGRAMS += tests/symcache/test_write
tests_symcache_test_write_SOURCES = tests/symcache/test_write.c \
	tests/symcache/fake.c tests/symcache/fake.h
tests_symcache_test_write_LDADD = $(symcache_test_libs)
tests_symcache_test_write_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests
endif
