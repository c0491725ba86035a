# src/object/dwarf -- DWARF 2 to 5.
noinst_LIBRARIES += libdwarf.a
libdwarf_a_SOURCES = \
	src/object/dwarf/abbrev.c src/object/dwarf/dwarf.c src/object/dwarf/dwarf.h \
	src/object/dwarf/form.c src/object/dwarf/function.c src/object/dwarf/gap.c \
	src/object/dwarf/head.c src/object/dwarf/internal.h src/object/dwarf/line.c \
	src/object/dwarf/line_header.c src/object/dwarf/line_program.c \
	src/object/dwarf/line_share.c \
	src/object/dwarf/name.c src/object/dwarf/names.h src/object/dwarf/nest.c \
	src/object/dwarf/pool.c src/object/dwarf/ranges.c src/object/dwarf/section.c \
	src/object/dwarf/split.c src/object/dwarf/stream.c src/object/dwarf/unit.c src/object/dwarf/variables.c \
	src/object/dwarf/walk.c

if HAVE_CHECK
dwarf_test_libs = libdwarf.a libsupport.a libbase.a $(CHECK_LIBS) $(CRYPTO_LIBS)
dwarf_test_flags = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests

check_PROGRAMS += tests/dwarf/test_line
tests_dwarf_test_line_SOURCES = tests/dwarf/test_line.c tests/dwarf/kit.c tests/dwarf/kit.h
tests_dwarf_test_line_LDADD = $(dwarf_test_libs)
tests_dwarf_test_line_CPPFLAGS = $(dwarf_test_flags)

check_PROGRAMS += tests/dwarf/test_bombs
tests_dwarf_test_bombs_SOURCES = tests/dwarf/test_bombs.c tests/dwarf/kit.c tests/dwarf/kit.h
tests_dwarf_test_bombs_LDADD = $(dwarf_test_libs)
tests_dwarf_test_bombs_CPPFLAGS = $(dwarf_test_flags)

check_PROGRAMS += tests/dwarf/test_unit
tests_dwarf_test_unit_SOURCES = tests/dwarf/test_unit.c tests/dwarf/kit.c tests/dwarf/kit.h
tests_dwarf_test_unit_LDADD = $(dwarf_test_libs)
tests_dwarf_test_unit_CPPFLAGS = $(dwarf_test_flags)

check_PROGRAMS += tests/dwarf/test_torment
tests_dwarf_test_torment_SOURCES = tests/dwarf/test_torment.c \
	tests/dwarf/container.c tests/dwarf/container.h
tests_dwarf_test_torment_LDADD = $(dwarf_test_libs)
tests_dwarf_test_torment_CPPFLAGS = $(dwarf_test_flags)

check_PROGRAMS += tests/dwarf/test_compiled
tests_dwarf_test_compiled_SOURCES = tests/dwarf/test_compiled.c
tests_dwarf_test_compiled_LDADD = libobject.a libdwarf.a libunpack.a libsupport.a libbase.a \
	$(ZLIB_LIBS) $(ZSTD_LIBS) $(LZMA_LIBS) $(CHECK_LIBS) $(CRYPTO_LIBS) $(CJSON_LIBS)
tests_dwarf_test_compiled_CPPFLAGS = $(dwarf_test_flags)
endif

EXTRA_PROGRAMS += tests/bench/bench_dwarf
tests_bench_bench_dwarf_SOURCES = tests/bench/bench_dwarf.c tests/bench/facts.h
tests_bench_bench_dwarf_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_bench_bench_dwarf_LDADD = libobject.a libdwarf.a libunpack.a libbase.a \
	$(ZLIB_LIBS) $(ZSTD_LIBS) $(LZMA_LIBS) $(CRYPTO_LIBS) $(CJSON_LIBS)
if HAVE_LIBDW
EXTRA_PROGRAMS += tests/bench/libdw_facts
tests_bench_libdw_facts_SOURCES = tests/bench/libdw_facts.c tests/bench/facts.h
tests_bench_libdw_facts_CPPFLAGS = $(AM_CPPFLAGS) $(DW_CFLAGS) -I$(top_srcdir)/tests
tests_bench_libdw_facts_LDADD = $(DW_LIBS) -lelf
endif
