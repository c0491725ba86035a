# src/proguard -- sources, tests and programs of this component.
noinst_LIBRARIES += libproguard.a
libproguard_a_SOURCES = \
	src/proguard/mapping_header.c \
	src/proguard/mapping_header.h \
	src/proguard/mapping_read.c \
	src/proguard/mapping_read.h \
	src/proguard/proguard.c \
	src/proguard/proguard.h \
	src/proguard/proguard_build.c \
	src/proguard/proguard_build.h \
	src/proguard/proguard_dump.c \
	src/proguard/proguard_file.c \
	src/proguard/proguard_internal.h \
	src/proguard/proguard_layout.h \
	src/proguard/proguard_names.c \
	src/proguard/proguard_names.h \
	src/proguard/proguard_remap.c \
	src/proguard/proguard_signature.c \
	src/proguard/proguard_write.c \
	src/proguard/proguard_write.h \
	src/proguard/retrace.c \
	src/proguard/retrace.h \
	src/proguard/retrace_internal.h \
	src/proguard/retrace_library.c \
	src/proguard/retrace_pattern.c \
	src/proguard/retrace_pattern.h \
	src/proguard/retrace_proguard.c \
	src/proguard/retrace_r8.c \
	src/proguard/retrace_stack.c

if HAVE_CHECK
check_PROGRAMS += \
	tests/proguard/test_peers \
	tests/proguard/test_proguard \
	tests/proguard/test_retrace
tests_proguard_test_peers_SOURCES = \
	tests/proguard/test_peers.c \
	tests/proguard/mapping_cache.c \
	tests/proguard/mapping_cache.h
tests_proguard_test_retrace_SOURCES = \
	tests/proguard/test_retrace.c \
	tests/proguard/mapping_cache.c \
	tests/proguard/mapping_cache.h
tests_proguard_test_proguard_SOURCES = \
	tests/proguard/test_proguard.c \
	tests/proguard/mapping_cache.c \
	tests/proguard/mapping_cache.h
endif

EXTRA_PROGRAMS += tests/bench/bench_proguard
tests_bench_bench_proguard_SOURCES = tests/bench/bench_proguard.c
tests_bench_bench_proguard_LDADD = $(COMPONENT_LIBS) $(SYSTEM_LIBS)
