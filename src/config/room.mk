# src/config/room.mk -- sources, tests and programs of this room.
noinst_LIBRARIES += libconfig.a
libconfig_a_SOURCES = src/config/config.c src/config/config.h src/config/json.c \
	src/config/keys.c src/config/keys.h src/config/print.c src/config/value.c src/config/value.h
libconfig_a_CFLAGS = $(AM_CFLAGS) $(YAML_CFLAGS)
EXTRA_DIST += deploy/example.yml

if HAVE_CHECK
check_PROGRAMS += tests/config/test_config
tests_config_test_config_SOURCES = tests/config/test_config.c
tests_config_test_config_LDADD = libconfig.a libsupport.a libbase.a $(YAML_LIBS) $(CHECK_LIBS) $(CRYPTO_LIBS)
tests_config_test_config_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests
endif
