# src/unpack -- sources, tests and programs of this component.
noinst_LIBRARIES += libunpack.a
libunpack_a_SOURCES = \
	src/unpack/archive.c \
	src/unpack/cab.c \
	src/unpack/cab.h \
	src/unpack/decoder.c \
	src/unpack/decoder.h \
	src/unpack/incremental.c \
	src/unpack/inflate.c \
	src/unpack/inflate.h \
	src/unpack/members.c \
	src/unpack/members.h \
	src/unpack/memory.c \
	src/unpack/unpack.c \
	src/unpack/unpack.h \
	src/unpack/unpack_stream.c \
	src/unpack/zip.c \
	src/unpack/zip.h

if HAVE_CHECK
check_PROGRAMS += \
	tests/unpack/test_unpack \
	tests/unpack/test_archive \
	tests/unpack/test_inflate
tests_unpack_test_inflate_SOURCES = tests/unpack/test_inflate.c
tests_unpack_test_archive_SOURCES = tests/unpack/test_archive.c
tests_unpack_test_unpack_SOURCES = tests/unpack/test_unpack.c
endif
