# src/source -- sources, tests and programs of this component.
noinst_LIBRARIES += libsource.a
libsource_a_SOURCES = \
	src/source/absence.c \
	src/source/absence.h \
	src/source/artifact.c \
	src/source/artifact.h \
	src/source/base_url.c \
	src/source/base_url.h \
	src/source/block.c \
	src/source/bucket.c \
	src/source/bucket.h \
	src/source/crypto_library.c \
	src/source/crypto_library.h \
	src/source/file_types.c \
	src/source/filesystem.c \
	src/source/folder_watch.c \
	src/source/folder_watch.h \
	src/source/gcs.c \
	src/source/gcs.h \
	src/source/gcs_credentials.c \
	src/source/glob.c \
	src/source/header.c \
	src/source/header.h \
	src/source/http.c \
	src/source/kind.h \
	src/source/pointer.c \
	src/source/pointer.h \
	src/source/put.h \
	src/source/s3.c \
	src/source/s3.h \
	src/source/s3_credentials.c \
	src/source/s3_error.c \
	src/source/sentry.c \
	src/source/shape.c \
	src/source/shape.h \
	src/source/sigv4.c \
	src/source/sigv4.h \
	src/source/source.c \
	src/source/source_credentials.c \
	src/source/source.h \
	src/source/source_filters.c \
	src/source/source_filters.h \
	src/source/source_layout.c \
	src/source/source_layout.h \
	src/source/source_listing.c \
	src/source/source_listing.h

if HAVE_CHECK
check_PROGRAMS += \
	tests/source/test_absence \
	tests/source/test_layout \
	tests/source/test_pointer \
	tests/source/test_source \
	tests/source/test_s3 \
	tests/source/test_gcs \
	tests/source/test_listing
tests_source_test_absence_SOURCES = tests/source/test_absence.c
tests_source_test_layout_SOURCES = \
	tests/source/test_layout.c \
	tests/source/sources.c \
	tests/source/sources.h
tests_source_test_pointer_SOURCES = \
	tests/source/test_pointer.c \
	tests/source/sources.c \
	tests/source/sources.h \
	tests/fuzz/fuzz_pointer.c
tests_source_test_source_SOURCES = \
	tests/source/test_source.c \
	tests/source/sources.c \
	tests/source/sources.h \
	tests/fuzz/fuzz_source.c
tests_source_test_listing_SOURCES = \
	tests/source/test_listing.c \
	tests/source/sources.c \
	tests/source/sources.h
tests_source_test_gcs_SOURCES = \
	tests/source/test_gcs.c \
	tests/source/sources.c \
	tests/source/sources.h
tests_source_test_s3_SOURCES = \
	tests/source/test_s3.c \
	tests/source/sources.c \
	tests/source/sources.h
endif
