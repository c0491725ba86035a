# src/sourcecache -- sources, tests and programs of this room.
noinst_LIBRARIES += libsourcecache.a
libsourcecache_a_SOURCES = src/sourcecache/layout.h src/sourcecache/sourcecache.c \
	src/sourcecache/sourcecache.h src/sourcecache/write.c
libsourcecache_a_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS)
