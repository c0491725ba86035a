# src/object/dwarf -- DWARF 2 to 5.
libobject_a_SOURCES += \
	src/object/dwarf/abbrev.c \
	src/object/dwarf/constants.h \
	src/object/dwarf/copies.c \
	src/object/dwarf/die_ref.c \
	src/object/dwarf/dwarf.c \
	src/object/dwarf/dwarf.h \
	src/object/dwarf/dwarf_internal.h \
	src/object/dwarf/dwarf_object.c \
	src/object/dwarf/dwarf_object.h \
	src/object/dwarf/attribute_form.c \
	src/object/dwarf/function.c \
	src/object/dwarf/gap.c \
	src/object/dwarf/head.c \
	src/object/dwarf/line.c \
	src/object/dwarf/line_header.c \
	src/object/dwarf/line_program.c \
	src/object/dwarf/line_share.c \
	src/object/dwarf/name.c \
	src/object/dwarf/nest.c \
	src/object/dwarf/pool.c \
	src/object/dwarf/ranges.c \
	src/object/dwarf/section.c \
	src/object/dwarf/split.c \
	src/object/dwarf/stream.c \
	src/object/dwarf/unit.c \
	src/object/dwarf/unit_read.c \
	src/object/dwarf/variables.c \
	src/object/dwarf/walk.c

if HAVE_CHECK

check_PROGRAMS += tests/object/dwarf/test_line
tests_object_dwarf_test_line_SOURCES = \
	tests/object/dwarf/test_line.c \
	tests/object/dwarf/kit.c \
	tests/object/dwarf/kit.h

check_PROGRAMS += tests/object/dwarf/test_bombs
tests_object_dwarf_test_bombs_SOURCES = \
	tests/object/dwarf/test_bombs.c \
	tests/object/dwarf/kit.c \
	tests/object/dwarf/kit.h

check_PROGRAMS += tests/object/dwarf/test_unit
tests_object_dwarf_test_unit_SOURCES = \
	tests/object/dwarf/test_unit.c \
	tests/object/dwarf/kit.c \
	tests/object/dwarf/kit.h

check_PROGRAMS += tests/object/dwarf/test_torment
tests_object_dwarf_test_torment_SOURCES = \
	tests/object/dwarf/test_torment.c \
	tests/object/dwarf/container.c \
	tests/object/dwarf/container.h

check_PROGRAMS += tests/object/dwarf/test_compiled
tests_object_dwarf_test_compiled_SOURCES = tests/object/dwarf/test_compiled.c
endif

EXTRA_PROGRAMS += tests/bench/bench_dwarf
tests_bench_bench_dwarf_SOURCES = \
	tests/bench/bench_dwarf.c \
	tests/bench/facts.h
if HAVE_LIBDW
EXTRA_PROGRAMS += tests/bench/libdw_facts
tests_bench_libdw_facts_SOURCES = \
	tests/bench/libdw_facts.c \
	tests/bench/facts.h
tests_bench_libdw_facts_CPPFLAGS = $(AM_CPPFLAGS) $(DW_CFLAGS) -I$(top_srcdir)/tests
tests_bench_libdw_facts_LDADD = $(DW_LIBS) -lelf
endif
