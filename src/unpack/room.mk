# src/unpack -- sources, tests and programs of this room.
noinst_LIBRARIES += libunpack.a
libunpack_a_SOURCES = src/unpack/unpack.h src/unpack/unpack.c src/unpack/decoder.h \
	src/unpack/decoder.c src/unpack/stream.c src/unpack/room.c \
	src/unpack/incremental.c src/unpack/inflate.c src/unpack/inflate.h \
	src/unpack/zip.c src/unpack/zip.h src/unpack/archive.c src/unpack/cab.c src/unpack/cab.h
libunpack_a_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS) $(ZSTD_CFLAGS) $(LZMA_CFLAGS) $(MSPACK_CFLAGS)

if HAVE_CHECK
check_PROGRAMS += tests/unpack/test_unpack tests/unpack/test_archive tests/unpack/test_inflate
tests_unpack_test_inflate_SOURCES = tests/unpack/test_inflate.c
tests_unpack_test_inflate_LDADD = libsupport.a libunpack.a libbase.a $(CHECK_LIBS) \
	$(ZLIB_LIBS) $(ZSTD_LIBS) $(LZMA_LIBS) $(MSPACK_LIBS) $(CRYPTO_LIBS)
tests_unpack_test_inflate_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) $(ZLIB_CFLAGS) -I$(top_srcdir)/tests
tests_unpack_test_archive_SOURCES = tests/unpack/test_archive.c
tests_unpack_test_archive_LDADD = libsupport.a libunpack.a libbase.a $(CHECK_LIBS) \
	$(ZLIB_LIBS) $(ZSTD_LIBS) $(LZMA_LIBS) $(MSPACK_LIBS) $(CRYPTO_LIBS)
tests_unpack_test_archive_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests
tests_unpack_test_unpack_SOURCES = tests/unpack/test_unpack.c
tests_unpack_test_unpack_LDADD = libsupport.a libunpack.a libbase.a $(CHECK_LIBS) \
	$(ZLIB_LIBS) $(ZSTD_LIBS) $(LZMA_LIBS) $(MSPACK_LIBS) $(CRYPTO_LIBS)
tests_unpack_test_unpack_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests
endif
