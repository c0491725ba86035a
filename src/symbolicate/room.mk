# src/symbolicate -- sources, tests and programs of this room.
noinst_LIBRARIES += libsymbolicate.a
libsymbolicate_a_SOURCES = \
	src/symbolicate/adjust.c \
	src/symbolicate/answer.c \
	src/symbolicate/candidates.c \
	src/symbolicate/choose.c \
	src/symbolicate/companions.c \
	src/symbolicate/frames.c \
	src/symbolicate/json.c src/symbolicate/json.h \
	src/symbolicate/kind.c \
	src/symbolicate/modules.c \
	src/symbolicate/names.c \
	src/symbolicate/native.h \
	src/symbolicate/plan.c \
	src/symbolicate/reply.c src/symbolicate/reply.h \
	src/symbolicate/request.c src/symbolicate/request.h \
	src/symbolicate/resolve.c \
	src/symbolicate/scan.c \
	src/symbolicate/schema.c src/symbolicate/schema.h \
	src/symbolicate/symbolicate.h \
	src/symbolicate/work.c
libsymbolicate_a_CFLAGS = $(AM_CFLAGS) $(CJSON_CFLAGS)
