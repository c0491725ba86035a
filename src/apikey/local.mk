# src/apikey -- sources and tests of this component.
noinst_LIBRARIES += libapikey.a
libapikey_a_SOURCES = \
	src/apikey/apikey.c \
	src/apikey/apikey.h
$(libapikey_a_OBJECTS): src/store/statements.h

if HAVE_CHECK
check_PROGRAMS += tests/apikey/test_apikey
tests_apikey_test_apikey_SOURCES = tests/apikey/test_apikey.c
endif
