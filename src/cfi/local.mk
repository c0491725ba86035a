# src/cfi -- sources, tests and programs of this component.
noinst_LIBRARIES += libcfi.a
libcfi_a_SOURCES = \
	src/cfi/cfi.c \
	src/cfi/cfi.h \
	src/cfi/cfi_lines.c \
	src/cfi/cfi_lines.h

if HAVE_CHECK
check_PROGRAMS += tests/cfi/test_find
tests_cfi_test_find_SOURCES = \
	tests/cfi/test_find.c \
	tests/fuzz/fuzz_cfi.c
endif
