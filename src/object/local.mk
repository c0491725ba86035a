# src/object -- sources, tests and programs of this component.
noinst_LIBRARIES += libobject.a
libobject_a_SOURCES = \
	src/object/breakpad/breakpad.c \
	src/object/breakpad/breakpad.h \
	src/object/breakpad/breakpad_unit.c \
	src/object/breakpad/inlines.c \
	src/object/breakpad/records.c \
	src/object/breakpad/records.h \
	src/object/breakpad/survey.c \
	src/object/elf/elf.c \
	src/object/elf/elf_bytes.c \
	src/object/elf/elf_dynamic.c \
	src/object/elf/elf_file.h \
	src/object/elf/elf_headers.c \
	src/object/elf/elf_identity.c \
	src/object/elf/elf_layout.c \
	src/object/elf/elf_links.c \
	src/object/elf/elf_outlet.c \
	src/object/elf/elf_relocate.c \
	src/object/elf/elf_sections.c \
	src/object/elf/elf_symbols.c \
	src/object/elf/elf_unwind.c \
	src/object/macho/macho.c \
	src/object/macho/macho_file.c \
	src/object/macho/macho_file.h \
	src/object/macho/macho_hidden.c \
	src/object/macho/macho_hidden.h \
	src/object/macho/macho_identity.c \
	src/object/macho/macho_starts.c \
	src/object/macho/macho_symbols.c \
	src/object/macho/macho_unwind.c \
	src/object/object.c \
	src/object/object.h \
	src/object/pdb/codeview.h \
	src/object/pdb/compile.c \
	src/object/pdb/dbi.c \
	src/object/pdb/imports.c \
	src/object/pdb/info.c \
	src/object/pdb/inline_sites.c \
	src/object/pdb/lines.c \
	src/object/pdb/module.c \
	src/object/pdb/module.h \
	src/object/pdb/msf.c \
	src/object/pdb/msf.h \
	src/object/pdb/pdb.c \
	src/object/pdb/pdb_address.c \
	src/object/pdb/pdb_file.h \
	src/object/pdb/pdb_names.c \
	src/object/pdb/pdb_names.h \
	src/object/pdb/pdb_sources.c \
	src/object/pdb/publics.c \
	src/object/pdb/srcsrv.c \
	src/object/pdb/srcsrv.h \
	src/object/pdb/stack_frames.c \
	src/object/pdb/type_name.c \
	src/object/pdb/type_name.h \
	src/object/pdb/type_record.c \
	src/object/pdb/type_size.c \
	src/object/pdb/types.c \
	src/object/pe/pe.c \
	src/object/pe/pe_file.c \
	src/object/pe/pe_file.h \
	src/object/pe/pe_identity.c \
	src/object/pe/pe_managed.c \
	src/object/pe/pe_sections.c \
	src/object/pe/pe_symbols.c \
	src/object/pe/pe_unwind.c \
	src/object/sourcelink.c \
	src/object/sourcelink.h \
	src/object/symbols.c \
	src/object/symbols.h \
	src/object/wasm/wasm.c \
	src/object/wasm/wasm_file.c \
	src/object/wasm/wasm_file.h \
	src/object/wasm/wasm_functions.c

if HAVE_CHECK
check_PROGRAMS += \
	tests/object/test_pdb \
	tests/object/test_pdb_sources \
	tests/object/test_pe \
	tests/object/test_pdb_names \
	tests/object/test_pdb_records
check_PROGRAMS += \
	tests/object/test_elf \
	tests/object/test_macho \
	tests/object/test_breakpad \
	tests/object/test_wasm \
	tests/object/test_symbols \
	tests/object/test_variables
object_look_sources = \
	tests/object/look.c \
	tests/object/look.h
EXTRA_DIST += \
	tests/object/remake_pdb.py \
	tests/object/typed_pdb.py
tests_object_test_pdb_SOURCES = \
	tests/object/test_pdb.c \
	$(object_look_sources)
tests_object_test_pdb_names_SOURCES = \
	tests/object/test_pdb_names.c \
	$(object_look_sources)
tests_object_test_pdb_records_SOURCES = \
	tests/object/test_pdb_records.c \
	$(object_look_sources)
tests_object_test_pdb_sources_SOURCES = \
	tests/object/test_pdb_sources.c \
	$(object_look_sources)
tests_object_test_pe_SOURCES = \
	tests/object/test_pe.c \
	$(object_look_sources)
tests_object_test_elf_SOURCES = \
	tests/object/test_elf.c \
	$(object_look_sources)
tests_object_test_wasm_SOURCES = \
	tests/object/test_wasm.c \
	$(object_look_sources)
tests_object_test_macho_SOURCES = \
	tests/object/test_macho.c \
	$(object_look_sources)
tests_object_test_breakpad_SOURCES = \
	tests/object/test_breakpad.c \
	$(object_look_sources)
tests_object_test_variables_SOURCES = \
	tests/object/test_variables.c \
	$(object_look_sources)
tests_object_test_symbols_SOURCES = \
	tests/object/test_symbols.c \
	$(object_look_sources)

# The example of doc/first-format.md, cut out of the page and run.
first_format_sources = \
	tests/object/first_flat.c \
	tests/object/first_fuzz.c \
	tests/object/first_list.c \
	tests/object/first_test.c
EXTRA_DIST += tests/object/cut-first-format
CLEANFILES += $(first_format_sources)
check_PROGRAMS += tests/object/test_first_format
tests_object_test_first_format_SOURCES = \
	$(object_look_sources) \
	tests/fuzz/objects.c \
	tests/fuzz/objects.h
nodist_tests_object_test_first_format_SOURCES = $(first_format_sources)
tests/object/first_flat.c: doc/first-format.md src/object/object.c tests/object/cut-first-format
	$(AM_V_GEN)sh $(srcdir)/tests/object/cut-first-format $(srcdir)/doc/first-format.md \
		$(srcdir)/src/object/object.c tests/object
tests/object/first_fuzz.c tests/object/first_list.c tests/object/first_test.c: \
		tests/object/first_flat.c
endif
