# src/ppdbcache -- sources, tests and programs of this room.
noinst_LIBRARIES += libppdbcache.a
libppdbcache_a_SOURCES = src/ppdbcache/layout.h src/ppdbcache/ppdbcache.c \
	src/ppdbcache/ppdbcache.h src/ppdbcache/write.c
