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
	src/sandbox/sandbox.h \
	src/sandbox/tool.c \
	src/sandbox/tool.h \
	src/sandbox/tool_confine.c \
	src/sandbox/tool_confine.h \
	src/sandbox/tool_folder.c

if HAVE_CHECK
check_PROGRAMS += \
	tests/sandbox/test_ends \
	tests/sandbox/test_escape \
	tests/sandbox/test_sandbox \
	tests/sandbox/test_tool
sandbox_fixture = \
	tests/sandbox/fixture.c \
	tests/sandbox/fixture.h \
	tests/sandbox/operations.c \
	tests/sandbox/operations.h
tests_sandbox_test_ends_SOURCES = tests/sandbox/test_ends.c $(sandbox_fixture)
tests_sandbox_test_escape_SOURCES = tests/sandbox/test_escape.c $(sandbox_fixture)
tests_sandbox_test_tool_SOURCES = tests/sandbox/test_tool.c
tests_sandbox_test_sandbox_SOURCES = tests/sandbox/test_sandbox.c $(sandbox_fixture)
endif
