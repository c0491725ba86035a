# src/why -- sources and tests of this component.
noinst_LIBRARIES += libwhy.a
libwhy_a_SOURCES = \
	src/why/why.c \
	src/why/why.h

if HAVE_CHECK
check_PROGRAMS += tests/why/test_why
tests_why_test_why_SOURCES = tests/why/test_why.c
endif
