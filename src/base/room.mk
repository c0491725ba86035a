# src/base -- sources, tests and programs of this room.
noinst_LIBRARIES += libbase.a
libbase_a_SOURCES = \
	src/base/arch.c src/base/arch.h \
	src/base/arena.c src/base/arena.h \
	src/base/buf.c src/base/buf.h \
	src/base/clock.c src/base/clock.h \
	src/base/debugid.c src/base/debugid.h \
	src/base/err.c src/base/err.h \
	src/base/file.c src/base/file_beneath.c src/base/file.h \
	src/base/guard.c src/base/guard.h \
	src/base/hash.c src/base/hash.h \
	src/base/json_writer.c src/base/json_writer.h \
	src/base/limits.h \
	src/base/log.c src/base/log.h \
	src/base/map.c src/base/map.h \
	src/base/mem.c src/base/mem.h \
	src/base/reader.c src/base/reader.h \
	src/base/text.c src/base/text.h \
	src/base/vec.c src/base/vec.h
libbase_a_CFLAGS = $(AM_CFLAGS) $(CRYPTO_CFLAGS)
