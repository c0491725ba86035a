# src/demangle -- sources, tests and programs of this room.
noinst_LIBRARIES += libdemangle.a
libdemangle_a_SOURCES = \
	src/demangle/cpp.c \
	src/demangle/demangle.c src/demangle/demangle.h \
	src/demangle/internal.h \
	src/demangle/msvc.cc src/demangle/msvc_text.c \
	src/demangle/rust.c \
	src/demangle/swift.c src/demangle/swift.h \
	src/demangle/swift_entity.c \
	src/demangle/swift_generic.c \
	src/demangle/swift_global.c \
	src/demangle/swift_impl.c \
	src/demangle/swift_name.c \
	src/demangle/swift_print.c \
	src/demangle/swift_type.c
libdemangle_a_CXXFLAGS = $(CXXFLAGS) -std=c++17 -Wall -Wextra $(SANITIZE_FLAGS) $(LLVM_CPPFLAGS)

if HAVE_CHECK
check_PROGRAMS += tests/demangle/test_demangle
tests_demangle_test_demangle_SOURCES = tests/demangle/test_demangle.c \
	tests/fuzz/fuzz_demangle.c
tests_demangle_test_demangle_LDADD = libdemangle.a libsupport.a libbase.a \
	$(IBERTY_LIBS) $(CHECK_LIBS) $(CRYPTO_LIBS)
tests_demangle_test_demangle_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests
check_PROGRAMS += tests/demangle/test_names
tests_demangle_test_names_SOURCES = tests/demangle/test_names.c
tests_demangle_test_names_LDADD = $(tests_demangle_test_demangle_LDADD)
tests_demangle_test_names_CPPFLAGS = $(tests_demangle_test_demangle_CPPFLAGS)
endif

EXTRA_PROGRAMS += tests/bench/bench_demangle
tests_bench_bench_demangle_SOURCES = tests/bench/bench_demangle.c
tests_bench_bench_demangle_LDADD = libdemangle.a libbase.a $(IBERTY_LIBS) $(CRYPTO_LIBS)

EXTRA_DIST += tests/demangle/msvc.names tests/demangle/swift.names
