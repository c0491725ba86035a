# src/keeper -- sources, tests and programs of this room.
noinst_LIBRARIES += libkeeper.a
libkeeper_a_SOURCES = src/keeper/keeper.c src/keeper/keeper.h
libkeeper_a_CFLAGS = $(AM_CFLAGS)
