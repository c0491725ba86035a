# src/ecmascript -- sources and tests of this component.
noinst_LIBRARIES += libecmascript.a
libecmascript_a_SOURCES = \
	src/ecmascript/assignment.c \
	src/ecmascript/characters.c \
	src/ecmascript/characters.h \
	src/ecmascript/class_definition.c \
	src/ecmascript/ecmascript.c \
	src/ecmascript/ecmascript.h \
	src/ecmascript/function_definition.c \
	src/ecmascript/literal_text.c \
	src/ecmascript/literal_text.h \
	src/ecmascript/loop.c \
	src/ecmascript/method.c \
	src/ecmascript/module_item.c \
	src/ecmascript/naming.h \
	src/ecmascript/object_literal.c \
	src/ecmascript/operand.c \
	src/ecmascript/parser.c \
	src/ecmascript/parser.h \
	src/ecmascript/pattern.c \
	src/ecmascript/productions.h \
	src/ecmascript/property_name.c \
	src/ecmascript/scanner.c \
	src/ecmascript/scanner.h \
	src/ecmascript/scope_builder.c \
	src/ecmascript/scope_builder.h \
	src/ecmascript/statement.c \
	src/ecmascript/words.c \
	src/ecmascript/words.h

if HAVE_CHECK
check_PROGRAMS += \
	tests/ecmascript/test_scope_names \
	tests/ecmascript/test_scope_peers \
	tests/ecmascript/test_scopes
EXTRA_PROGRAMS += \
	tests/bench/bench_scopes \
	tests/ecmascript/dump_scopes
CLEANFILES += \
	tests/bench/bench_scopes \
	tests/ecmascript/dump_scopes
tests_bench_bench_scopes_SOURCES = tests/bench/bench_scopes.c
tests_ecmascript_dump_scopes_SOURCES = tests/ecmascript/dump_scopes.c
tests_ecmascript_test_scope_peers_SOURCES = \
	tests/ecmascript/test_scope_peers.c \
	tests/ecmascript/reading.c \
	tests/ecmascript/reading.h \
	tests/fuzz/fuzz_ecmascript.c
tests_ecmascript_test_scopes_SOURCES = \
	tests/ecmascript/test_scopes.c \
	tests/ecmascript/reading.c \
	tests/ecmascript/reading.h \
	tests/fuzz/fuzz_ecmascript.c
tests_ecmascript_test_scope_names_SOURCES = \
	tests/ecmascript/test_scope_names.c \
	tests/ecmascript/reading.c \
	tests/ecmascript/reading.h
endif
