# src/sandbox -- sources, tests and programs of this component.
noinst_LIBRARIES += libsandbox.a
libsandbox_a_SOURCES = \
	src/sandbox/cell.c \
	src/sandbox/confine.c \
	src/sandbox/confine.h \
	src/sandbox/filter.c \
	src/sandbox/frame.c \
	src/sandbox/frame.h \
	src/sandbox/handle.c \
	src/sandbox/handle.h \
	src/sandbox/nursery.c \
	src/sandbox/nursery_process.c \
	src/sandbox/nursery_process.h \
	src/sandbox/sandbox.h

if HAVE_CHECK
check_PROGRAMS += tests/sandbox/test_sandbox
tests_sandbox_test_sandbox_SOURCES = \
	tests/sandbox/test_sandbox.c \
	tests/sandbox/operations.c \
	tests/sandbox/operations.h
endif
