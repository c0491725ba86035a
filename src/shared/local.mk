# src/shared -- sources, tests and programs of this component.
noinst_LIBRARIES += libshared.a
libshared_a_SOURCES = \
	src/shared/ask.c \
	src/shared/folder.c \
	src/shared/shared.c \
	src/shared/shared.h \
	src/shared/shared_breaker.c \
	src/shared/shared_common.c \
	src/shared/shared_counters.c \
	src/shared/shared_counters.h \
	src/shared/shared_internal.h \
	src/shared/shared_name.c \
	src/shared/shared_place.c \
	src/shared/upload.c

if HAVE_CHECK
check_PROGRAMS += tests/shared/test_shared
tests_shared_test_shared_SOURCES = tests/shared/test_shared.c
endif
