# src/object/dwarf -- DWARF 2 to 5.
noinst_LIBRARIES += libdwarf.a
libdwarf_a_SOURCES = \
	src/object/dwarf/abbrev.c src/object/dwarf/dwarf.c src/object/dwarf/dwarf.h \
	src/object/dwarf/form.c src/object/dwarf/function.c src/object/dwarf/gap.c \
	src/object/dwarf/head.c src/object/dwarf/internal.h src/object/dwarf/line.c \
	src/object/dwarf/line_header.c src/object/dwarf/line_program.c \
	src/object/dwarf/name.c src/object/dwarf/names.h src/object/dwarf/nest.c \
	src/object/dwarf/pool.c src/object/dwarf/ranges.c src/object/dwarf/section.c \
	src/object/dwarf/split.c src/object/dwarf/unit.c src/object/dwarf/walk.c
