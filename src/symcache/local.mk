# src/symcache -- sources, tests and programs of this component.
noinst_LIBRARIES += libsymcache.a
libsymcache_a_SOURCES = \
	src/symcache/dump.c \
	src/symcache/emit.c \
	src/symcache/emit.h \
	src/symcache/function_end.c \
	src/symcache/il2cpp.c \
	src/symcache/il2cpp.h \
	src/symcache/inline_frames.c \
	src/symcache/inline_frames.h \
	src/symcache/intern.c \
	src/symcache/intern.h \
	src/symcache/lookup.c \
	src/symcache/merge.c \
	src/symcache/merge.h \
	src/symcache/overlap.c \
	src/symcache/overlap.h \
	src/symcache/parallel.c \
	src/symcache/parallel.h \
	src/symcache/path.c \
	src/symcache/renumber.c \
	src/symcache/renumber.h \
	src/symcache/shard.c \
	src/symcache/shard.h \
	src/symcache/symcache.c \
	src/symcache/symcache.h \
	src/symcache/symcache_layout.h \
	src/symcache/symcache_write.c \
	src/symcache/undecorate.c \
	src/symcache/undecorate.h

# The writer asks objects, and object.c names every format.

if HAVE_CHECK
check_PROGRAMS += tests/symcache/test_write
tests_symcache_test_write_SOURCES = \
	tests/symcache/test_write.c \
	tests/symcache/fake.c \
	tests/symcache/fake.h

check_PROGRAMS += tests/symcache/test_taken
tests_symcache_test_taken_SOURCES = \
	tests/symcache/test_taken.c \
	tests/object/look.c \
	tests/object/look.h

check_PROGRAMS += tests/symcache/test_overlap
tests_symcache_test_overlap_SOURCES = \
	tests/symcache/test_overlap.c \
	tests/symcache/fake.c \
	tests/symcache/fake.h

check_PROGRAMS += tests/symcache/test_lookup
tests_symcache_test_lookup_SOURCES = \
	tests/symcache/test_lookup.c \
	tests/symcache/fake.c \
	tests/symcache/fake.h \
	tests/fuzz/fuzz_symcache.c

check_PROGRAMS += tests/symcache/test_many
tests_symcache_test_many_SOURCES = tests/symcache/test_many.c

check_PROGRAMS += tests/symcache/test_il2cpp
tests_symcache_test_il2cpp_SOURCES = \
	tests/symcache/test_il2cpp.c \
	tests/symcache/fake.c \
	tests/symcache/fake.h \
	tests/fuzz/fuzz_maps.c

check_PROGRAMS += tests/symcache/test_names
tests_symcache_test_names_SOURCES = tests/symcache/test_names.c
endif

EXTRA_PROGRAMS += tests/bench/bench_lookup
tests_bench_bench_lookup_SOURCES = tests/bench/bench_lookup.c
