# src/passes -- sources of this room; what it does is tested with the service (tests/service).
noinst_LIBRARIES += libpasses.a
libpasses_a_SOURCES = src/passes/passes.c src/passes/passes.h
libpasses_a_CFLAGS = $(AM_CFLAGS)
