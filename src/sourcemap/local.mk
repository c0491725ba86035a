# src/sourcemap -- sources, tests and programs of this component.
noinst_LIBRARIES += libsourcemap.a
libsourcemap_a_SOURCES = \
	src/sourcemap/hermes_map.c \
	src/sourcemap/map_check.c \
	src/sourcemap/map_each.c \
	src/sourcemap/map_flatten.c \
	src/sourcemap/map_json.c \
	src/sourcemap/map_write.c \
	src/sourcemap/mappings.c \
	src/sourcemap/module_lines.c \
	src/sourcemap/scope_names.c \
	src/sourcemap/sourcemap.c \
	src/sourcemap/sourcemap.h \
	src/sourcemap/sourcemap_internal.h \
	src/sourcemap/sourcemap_layout.h \
	src/sourcemap/token_table.c

if HAVE_CHECK
check_PROGRAMS += \
	tests/sourcemap/test_map_goldens \
	tests/sourcemap/test_sourcemap
tests_sourcemap_test_map_goldens_SOURCES = tests/sourcemap/test_map_goldens.c
tests_sourcemap_test_sourcemap_SOURCES = \
	tests/sourcemap/test_sourcemap.c \
	tests/fuzz/fuzz_sourcemap.c
endif

EXTRA_PROGRAMS += tests/bench/bench_sourcemap
tests_bench_bench_sourcemap_SOURCES = tests/bench/bench_sourcemap.c
