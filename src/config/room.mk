# src/config/room.mk -- sources, tests and programs of this room.
noinst_LIBRARIES += libconfig.a
libconfig_a_SOURCES = src/config/config.c src/config/config.h src/config/json.c \
	src/config/keys.c src/config/keys.h src/config/print.c src/config/value.c src/config/value.h
libconfig_a_CFLAGS = $(AM_CFLAGS) $(YAML_CFLAGS)
