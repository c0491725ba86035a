# src/demangle -- sources, tests and programs of this component.
noinst_LIBRARIES += libdemangle.a
libdemangle_a_SOURCES = \
	src/demangle/cpp.c \
	src/demangle/demangle.c \
	src/demangle/demangle.h \
	src/demangle/demangle_internal.h \
	src/demangle/msvc.cc \
	src/demangle/msvc_text.c \
	src/demangle/rust.c \
	src/demangle/swift/swift.c \
	src/demangle/swift/swift.h \
	src/demangle/swift/swift_entity.c \
	src/demangle/swift/swift_generic.c \
	src/demangle/swift/swift_global.c \
	src/demangle/swift/swift_impl.c \
	src/demangle/swift/swift_name.c \
	src/demangle/swift/swift_print.c \
	src/demangle/swift/swift_stack.c \
	src/demangle/swift/swift_type.c
libdemangle_a_CXXFLAGS = $(CXXFLAGS) -std=c++17 -Wall -Wextra $(SANITIZE_FLAGS) $(LLVM_CPPFLAGS)

if HAVE_CHECK
check_PROGRAMS += tests/demangle/test_demangle
tests_demangle_test_demangle_SOURCES = \
	tests/demangle/test_demangle.c \
	tests/fuzz/fuzz_demangle.c
check_PROGRAMS += tests/demangle/test_names
tests_demangle_test_names_SOURCES = tests/demangle/test_names.c
endif

EXTRA_PROGRAMS += tests/bench/bench_demangle
tests_bench_bench_demangle_SOURCES = tests/bench/bench_demangle.c

EXTRA_DIST += \
	tests/demangle/msvc.names \
	tests/demangle/swift.names
