# src/shared -- sources, tests and programs of this room.
noinst_LIBRARIES += libshared.a
libshared_a_SOURCES = src/shared/ask.c src/shared/breaker.c src/shared/folder.c \
	src/shared/internal.h src/shared/name.c src/shared/place.c src/shared/shared.c \
	src/shared/shared.h src/shared/upload.c
libshared_a_CFLAGS = $(AM_CFLAGS) $(CJSON_CFLAGS)
