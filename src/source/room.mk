# src/source -- sources, tests and programs of this room.
noinst_LIBRARIES += libsource.a
libsource_a_SOURCES = src/source/source.c src/source/source.h src/source/kind.h \
	src/source/names.c \
	src/source/shape.c src/source/shape.h \
	src/source/filter.c src/source/filter.h src/source/glob.c \
	src/source/layout.c src/source/layout.h src/source/block.c \
	src/source/url.c src/source/url.h \
	src/source/http.c src/source/filesystem.c src/source/cloud.c
libsource_a_CFLAGS = $(AM_CFLAGS) $(CJSON_CFLAGS)

if HAVE_CHECK
check_PROGRAMS += tests/source/test_layout tests/source/test_source
source_test_libs = libsource.a libsupport.a libbase.a $(CHECK_LIBS) $(CJSON_LIBS) $(CRYPTO_LIBS)
source_test_flags = $(AM_CPPFLAGS) $(CHECK_CFLAGS) $(CJSON_CFLAGS) -I$(top_srcdir)/tests
tests_source_test_layout_SOURCES = tests/source/test_layout.c
tests_source_test_layout_LDADD = $(source_test_libs)
tests_source_test_layout_CPPFLAGS = $(source_test_flags)
tests_source_test_source_SOURCES = tests/source/test_source.c tests/fuzz/fuzz_source.c
tests_source_test_source_LDADD = $(source_test_libs)
tests_source_test_source_CPPFLAGS = $(source_test_flags)
endif
