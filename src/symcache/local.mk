# src/symcache -- sources, tests and programs of this component.
noinst_LIBRARIES += libsymcache.a
libsymcache_a_SOURCES = \
	src/symcache/cover.c \
	src/symcache/cover.h \
	src/symcache/dump.c \
	src/symcache/emit.c \
	src/symcache/emit.h \
	src/symcache/frames.c \
	src/symcache/frames.h \
	src/symcache/il2cpp.c \
	src/symcache/il2cpp.h \
	src/symcache/layout.h \
	src/symcache/lookup.c \
	src/symcache/merge.c \
	src/symcache/merge.h \
	src/symcache/numbers.c \
	src/symcache/numbers.h \
	src/symcache/parallel.c \
	src/symcache/parallel.h \
	src/symcache/part.c \
	src/symcache/part.h \
	src/symcache/path.c \
	src/symcache/sets.c \
	src/symcache/sets.h \
	src/symcache/symcache.c \
	src/symcache/symcache.h \
	src/symcache/undecorate.c \
	src/symcache/undecorate.h \
	src/symcache/write.c

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

check_PROGRAMS += tests/symcache/test_cover
tests_symcache_test_cover_SOURCES = \
	tests/symcache/test_cover.c \
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
