# src/ecmascript -- sources and tests of this component.
noinst_LIBRARIES += libecmascript.a
libecmascript_a_SOURCES = \
	src/ecmascript/ecmascript.h \
	src/ecmascript/text_lines.c

if HAVE_CHECK
check_PROGRAMS += tests/ecmascript/test_lines
tests_ecmascript_test_lines_SOURCES = tests/ecmascript/test_lines.c
endif
