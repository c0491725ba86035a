# src/stacktext -- sources and tests of this component.
noinst_LIBRARIES += libstacktext.a
libstacktext_a_SOURCES = \
	src/stacktext/fact_line.c \
	src/stacktext/glibc_line.c \
	src/stacktext/heading_line.c \
	src/stacktext/js_stack.c \
	src/stacktext/js_stack.h \
	src/stacktext/kind_json.c \
	src/stacktext/kind_lines.c \
	src/stacktext/line_words.h \
	src/stacktext/lldb_line.c \
	src/stacktext/log_prefix.c \
	src/stacktext/mapping_line.c \
	src/stacktext/native_line.c \
	src/stacktext/native_line.h \
	src/stacktext/numbered_line.c \
	src/stacktext/rust_line.c \
	src/stacktext/stacktext.c \
	src/stacktext/stacktext.h \
	src/stacktext/stacktext_images.c \
	src/stacktext/stacktext_images.h \
	src/stacktext/stacktext_internal.h \
	src/stacktext/stacktext_kind.c \
	src/stacktext/stacktext_kind.h \
	src/stacktext/stacktext_threads.c \
	src/stacktext/stackwalk_line.c

if HAVE_CHECK
check_PROGRAMS += \
	tests/stacktext/test_js_stack \
	tests/stacktext/test_stacktext \
	tests/stacktext/test_stacktext_kind
tests_stacktext_test_js_stack_SOURCES = tests/stacktext/test_js_stack.c
tests_stacktext_test_stacktext_SOURCES = tests/stacktext/test_stacktext.c
tests_stacktext_test_stacktext_kind_SOURCES = \
	tests/stacktext/test_stacktext_kind.c \
	tests/fuzz/fuzz_stacktext_kind.c
endif
