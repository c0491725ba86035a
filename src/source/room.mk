# src/source -- sources, tests and programs of this room.
noinst_LIBRARIES += libsource.a
libsource_a_SOURCES = src/source/source.c src/source/source.h src/source/kind.h \
	src/source/names.c \
	src/source/shape.c src/source/shape.h \
	src/source/filter.c src/source/filter.h src/source/glob.c \
	src/source/layout.c src/source/layout.h src/source/block.c \
	src/source/url.c src/source/url.h \
	src/source/http.c src/source/header.c src/source/header.h src/source/filesystem.c \
	src/source/bucket.c src/source/bucket.h src/source/sigv4.c src/source/sigv4.h \
	src/source/s3.c src/source/s3.h src/source/s3_error.c src/source/s3_pass.c \
	src/source/gcs.c src/source/gcs.h src/source/gcs_pass.c src/source/put.h \
	src/source/sentry.c src/source/listing.c src/source/listing.h
libsource_a_CFLAGS = $(AM_CFLAGS) $(CJSON_CFLAGS)

if HAVE_CHECK
check_PROGRAMS += tests/source/test_layout tests/source/test_source tests/source/test_s3 \
	tests/source/test_gcs tests/source/test_listing
source_test_libs = libsource.a libsupport.a libbase.a $(CHECK_LIBS) $(CJSON_LIBS) $(CRYPTO_LIBS)
source_test_flags = $(AM_CPPFLAGS) $(CHECK_CFLAGS) $(CJSON_CFLAGS) -I$(top_srcdir)/tests
tests_source_test_layout_SOURCES = tests/source/test_layout.c
tests_source_test_layout_LDADD = $(source_test_libs)
tests_source_test_layout_CPPFLAGS = $(source_test_flags)
tests_source_test_source_SOURCES = tests/source/test_source.c tests/fuzz/fuzz_source.c
tests_source_test_source_LDADD = $(source_test_libs)
tests_source_test_source_CPPFLAGS = $(source_test_flags)
tests_source_test_listing_SOURCES = tests/source/test_listing.c
tests_source_test_listing_LDADD = $(source_test_libs)
tests_source_test_listing_CPPFLAGS = $(source_test_flags)
tests_source_test_gcs_SOURCES = tests/source/test_gcs.c
tests_source_test_gcs_LDADD = $(source_test_libs)
tests_source_test_gcs_CPPFLAGS = $(source_test_flags)
tests_source_test_s3_SOURCES = tests/source/test_s3.c
tests_source_test_s3_LDADD = $(source_test_libs)
tests_source_test_s3_CPPFLAGS = $(source_test_flags)
endif
