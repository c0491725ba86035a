# src/unpack -- sources, tests and programs of this room.
noinst_LIBRARIES += libunpack.a
libunpack_a_SOURCES = src/unpack/unpack.h src/unpack/unpack.c src/unpack/decoder.h \
	src/unpack/decoder.c src/unpack/stream.c src/unpack/room.c
libunpack_a_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS) $(ZSTD_CFLAGS) $(LZMA_CFLAGS)

if HAVE_CHECK
check_PROGRAMS += tests/unpack/test_unpack
tests_unpack_test_unpack_SOURCES = tests/unpack/test_unpack.c
tests_unpack_test_unpack_LDADD = libsupport.a libunpack.a libbase.a $(CHECK_LIBS) \
	$(ZLIB_LIBS) $(ZSTD_LIBS) $(LZMA_LIBS) $(CRYPTO_LIBS)
tests_unpack_test_unpack_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests
endif
