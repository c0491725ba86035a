# src/convert -- sources, tests and programs of this room.
noinst_LIBRARIES += libconvert.a
libconvert_a_SOURCES = \
	src/convert/convert.c src/convert/convert.h \
	src/convert/demangler.c src/convert/demangler.h \
	src/convert/inspect.c \
	src/convert/internal.h \
	src/convert/json.c \
	src/convert/make.c \
	src/convert/memo.c src/convert/memo.h \
	src/convert/names.c
libconvert_a_CFLAGS = $(AM_CFLAGS) $(CJSON_CFLAGS)
