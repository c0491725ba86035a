# src/config -- sources, tests and programs of this component.
noinst_LIBRARIES += libconfig.a
libconfig_a_SOURCES = \
	src/config/config.c \
	src/config/config.h \
	src/config/config_json.c \
	src/config/keys.c \
	src/config/keys.h \
	src/config/print.c \
	src/config/scalar.c \
	src/config/transcoders.c \
	src/config/value.c \
	src/config/value.h \
	src/config/web.c
EXTRA_DIST += deploy/example.yml

if HAVE_CHECK
check_PROGRAMS += tests/config/test_config
tests_config_test_config_SOURCES = tests/config/test_config.c
endif
