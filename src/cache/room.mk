# src/cache -- sources, tests and programs of this room.
noinst_LIBRARIES += libcache.a
libcache_a_SOURCES = \
	src/cache/blob.c \
	src/cache/cache.c src/cache/cache.h \
	src/cache/clean.c \
	src/cache/expiry.c \
	src/cache/flight.c \
	src/cache/kind.c \
	src/cache/orphan.c \
	src/cache/publish.c \
	src/cache/room.h \
	src/cache/row.c \
	src/cache/sweep.h \
	src/cache/table.c
libcache_a_CFLAGS = $(AM_CFLAGS)
$(libcache_a_OBJECTS): src/store/statements.h
