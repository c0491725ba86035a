# src/coredump -- sources and tests of this component.
noinst_LIBRARIES += libcoredump.a
libcoredump_a_SOURCES = \
	src/coredump/coredump.c \
	src/coredump/coredump.h \
	src/coredump/coredump_internal.h \
	src/coredump/core_kernel.c \
	src/coredump/core_match.c \
	src/coredump/core_modules.c \
	src/coredump/notes.c \
	src/coredump/threads.c

if HAVE_CHECK
check_PROGRAMS += tests/coredump/test_coredump
tests_coredump_test_coredump_SOURCES = \
	tests/coredump/test_coredump.c \
	tests/fuzz/fuzz_coredump.c
endif
