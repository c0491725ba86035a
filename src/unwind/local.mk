# src/unwind -- sources, tests and programs of this component.
noinst_LIBRARIES += libunwind.a
libunwind_a_SOURCES = \
	src/unwind/registers.c \
	src/unwind/registers.h

if HAVE_CHECK
check_PROGRAMS += tests/unwind/test_registers
tests_unwind_test_registers_SOURCES = tests/unwind/test_registers.c
endif
