# src/unpack -- sources, tests and programs of this room.
noinst_LIBRARIES += libunpack.a
libunpack_a_SOURCES = src/unpack/unpack.h src/unpack/unpack.c src/unpack/decoder.h \
	src/unpack/decoder.c src/unpack/stream.c src/unpack/room.c
libunpack_a_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS) $(ZSTD_CFLAGS) $(LZMA_CFLAGS)
