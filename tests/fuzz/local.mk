# tests/fuzz -- the fuzz targets.  With --enable-fuzz libFuzzer brings their main; without,
# standalone.c does, and `make check` takes each of them through its corpus: the files below
# tests/fuzz/corpus and those made by recipe.
fuzz_targets = \
	tests/fuzz/fuzz_bundle \
	tests/fuzz/fuzz_ppdb \
	tests/fuzz/fuzz_sources \
	tests/fuzz/fuzz_breakpad \
	tests/fuzz/fuzz_buildid \
	tests/fuzz/fuzz_cfi \
	tests/fuzz/fuzz_applecrash \
	tests/fuzz/fuzz_config \
	tests/fuzz/fuzz_coredump \
	tests/fuzz/fuzz_demangle \
	tests/fuzz/fuzz_disassemble \
	tests/fuzz/fuzz_dwarf \
	tests/fuzz/fuzz_ecmascript \
	tests/fuzz/fuzz_elf \
	tests/fuzz/fuzz_inflate \
	tests/fuzz/fuzz_expression \
	tests/fuzz/fuzz_json \
	tests/fuzz/fuzz_jvm \
	tests/fuzz/fuzz_macho \
	tests/fuzz/fuzz_maps \
	tests/fuzz/fuzz_minidump \
	tests/fuzz/fuzz_form_pairs \
	tests/fuzz/fuzz_multipart \
	tests/fuzz/fuzz_mozilla \
	tests/fuzz/fuzz_report \
	tests/fuzz/fuzz_request \
	tests/fuzz/fuzz_request_json \
	tests/fuzz/fuzz_pdb \
	tests/fuzz/fuzz_pe \
	tests/fuzz/fuzz_proguard \
	tests/fuzz/fuzz_archive \
	tests/fuzz/fuzz_js \
	tests/fuzz/fuzz_js_request \
	tests/fuzz/fuzz_listing \
	tests/fuzz/fuzz_live \
	tests/fuzz/fuzz_pointer \
	tests/fuzz/fuzz_source \
	tests/fuzz/fuzz_source_check \
	tests/fuzz/fuzz_stacktext \
	tests/fuzz/fuzz_stacktext_kind \
	tests/fuzz/fuzz_sourcemap \
	tests/fuzz/fuzz_symbfile \
	tests/fuzz/fuzz_symbfile_parts \
	tests/fuzz/fuzz_symbol_paths \
	tests/fuzz/fuzz_symcache \
	tests/fuzz/fuzz_unwind \
	tests/fuzz/fuzz_host_walk \
	tests/fuzz/fuzz_walk \
	tests/fuzz/fuzz_wasm
fuzz_objects = \
	tests/fuzz/objects.c \
	tests/fuzz/objects.h

if FUZZ
noinst_PROGRAMS += $(fuzz_targets)
fuzz_ldflags = $(AM_LDFLAGS) -fsanitize=fuzzer
else
check_PROGRAMS += $(fuzz_targets)
fuzz_ldflags = $(AM_LDFLAGS)
check_LIBRARIES += libstandalone.a
TEST_LIBS += libstandalone.a
libstandalone_a_SOURCES = tests/fuzz/standalone.c
libstandalone_a_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS_DIR='"$(abs_top_srcdir)/tests/fuzz/corpus"'

fuzz_logs = $(fuzz_targets:=.log)
$(fuzz_logs): tests-fixtures/corpus/made
endif

tests-fixtures/corpus/made: tests/fuzz/make-corpus tests/fuzz/pack-dwarf symgate$(EXEEXT) \
		tests/fuzz/make_sources$(EXEEXT) tests/fuzz/make_minidumps$(EXEEXT)
	$(AM_V_GEN)sh $(srcdir)/tests/fuzz/make-corpus tests-fixtures/corpus ./symgate$(EXEEXT) \
		tests/fuzz/make_sources$(EXEEXT) tests/fuzz/make_minidumps$(EXEEXT)

EXTRA_PROGRAMS += tests/fuzz/make_sources tests/fuzz/make_minidumps
CLEANFILES += tests/fuzz/make_sources$(EXEEXT) tests/fuzz/make_minidumps$(EXEEXT)
tests_fuzz_make_minidumps_SOURCES = \
	tests/fuzz/make_minidumps.c \
	tests/minidump/dump_builder.c \
	tests/minidump/dump_builder.h
tests_fuzz_make_sources_SOURCES = \
	tests/fuzz/make_sources.c \
	tests/object/makers.c \
	tests/object/makers.h

tests_fuzz_fuzz_bundle_SOURCES = \
	tests/fuzz/fuzz_bundle.c \
	$(fuzz_objects)
tests_fuzz_fuzz_bundle_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_ppdb_SOURCES = \
	tests/fuzz/fuzz_ppdb.c \
	$(fuzz_objects)
tests_fuzz_fuzz_ppdb_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_sources_SOURCES = tests/fuzz/fuzz_sources.c
tests_fuzz_fuzz_sources_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_archive_SOURCES = tests/fuzz/fuzz_archive.c
tests_fuzz_fuzz_archive_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_js_SOURCES = tests/fuzz/fuzz_js.c
tests_fuzz_fuzz_js_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_js_request_SOURCES = \
	tests/fuzz/fuzz_js_request.c \
	tests/kinds/body_damage.h \
	tests/kinds/js/js_answers.c \
	tests/kinds/js/js_answers.h \
	tests/object/makers.c \
	tests/object/makers.h \
	tests/kinds/native/fake.c \
	tests/kinds/native/fake_lower.c \
	tests/kinds/native/fake.h
tests_fuzz_fuzz_js_request_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_listing_SOURCES = tests/fuzz/fuzz_listing.c
tests_fuzz_fuzz_listing_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_breakpad_SOURCES = \
	tests/fuzz/fuzz_breakpad.c \
	$(fuzz_objects)
tests_fuzz_fuzz_breakpad_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_live_SOURCES = tests/fuzz/fuzz_live.c
tests_fuzz_fuzz_live_LDFLAGS = $(fuzz_ldflags)
$(tests_fuzz_fuzz_live_OBJECTS): src/store/statements.h
tests_fuzz_fuzz_buildid_SOURCES = tests/fuzz/fuzz_buildid.c
tests_fuzz_fuzz_buildid_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_cfi_SOURCES = tests/fuzz/fuzz_cfi.c
tests_fuzz_fuzz_cfi_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_config_SOURCES = tests/fuzz/fuzz_config.c
tests_fuzz_fuzz_config_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_demangle_SOURCES = tests/fuzz/fuzz_demangle.c
tests_fuzz_fuzz_demangle_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_dwarf_SOURCES = \
	tests/fuzz/fuzz_dwarf.c \
	tests/object/dwarf/container.c \
	tests/object/dwarf/container.h
tests_fuzz_fuzz_dwarf_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_ecmascript_SOURCES = tests/fuzz/fuzz_ecmascript.c
tests_fuzz_fuzz_ecmascript_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_elf_SOURCES = \
	tests/fuzz/fuzz_elf.c \
	$(fuzz_objects)
tests_fuzz_fuzz_elf_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_inflate_SOURCES = tests/fuzz/fuzz_inflate.c
tests_fuzz_fuzz_inflate_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_macho_SOURCES = \
	tests/fuzz/fuzz_macho.c \
	$(fuzz_objects)
tests_fuzz_fuzz_macho_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_form_pairs_SOURCES = tests/fuzz/fuzz_form_pairs.c
tests_fuzz_fuzz_form_pairs_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_multipart_SOURCES = tests/fuzz/fuzz_multipart.c
tests_fuzz_fuzz_multipart_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_symbol_paths_SOURCES = tests/fuzz/fuzz_symbol_paths.c
tests_fuzz_fuzz_symbol_paths_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_jvm_SOURCES = \
	tests/fuzz/fuzz_jvm.c \
	tests/kinds/body_damage.h \
	tests/kinds/jvm/jvm_answers.c \
	tests/kinds/jvm/jvm_answers.h \
	tests/object/makers.c \
	tests/object/makers.h \
	tests/kinds/native/fake.c \
	tests/kinds/native/fake_lower.c \
	tests/kinds/native/fake.h
tests_fuzz_fuzz_jvm_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_maps_SOURCES = tests/fuzz/fuzz_maps.c
tests_fuzz_fuzz_maps_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_minidump_SOURCES = tests/fuzz/fuzz_minidump.c
tests_fuzz_fuzz_minidump_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_mozilla_SOURCES = \
	tests/fuzz/fuzz_mozilla.c \
	tests/kinds/mozilla/mozilla_answers.c \
	tests/kinds/mozilla/mozilla_answers.h \
	tests/kinds/native/fake.c \
	tests/kinds/native/fake_lower.c \
	tests/kinds/native/fake.h
tests_fuzz_fuzz_mozilla_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_report_SOURCES = \
	tests/fuzz/fuzz_report.c \
	tests/page/markup.c \
	tests/page/markup.h
tests_fuzz_fuzz_report_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_request_SOURCES = \
	tests/fuzz/fuzz_request.c \
	tests/kinds/native/fake.c \
	tests/kinds/native/fake_lower.c \
	tests/kinds/native/fake.h
tests_fuzz_fuzz_request_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_request_json_SOURCES = \
	tests/fuzz/fuzz_request_json.c \
	tests/work/json_filter.c \
	tests/work/json_filter.h
tests_fuzz_fuzz_request_json_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_disassemble_SOURCES = tests/fuzz/fuzz_disassemble.c
tests_fuzz_fuzz_disassemble_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_pointer_SOURCES = tests/fuzz/fuzz_pointer.c
tests_fuzz_fuzz_pointer_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_source_SOURCES = tests/fuzz/fuzz_source.c
tests_fuzz_fuzz_source_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_source_check_SOURCES = tests/fuzz/fuzz_source_check.c
tests_fuzz_fuzz_source_check_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_stacktext_SOURCES = tests/fuzz/fuzz_stacktext.c
tests_fuzz_fuzz_stacktext_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_stacktext_kind_SOURCES = tests/fuzz/fuzz_stacktext_kind.c
tests_fuzz_fuzz_stacktext_kind_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_sourcemap_SOURCES = tests/fuzz/fuzz_sourcemap.c
tests_fuzz_fuzz_sourcemap_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_symbfile_parts_SOURCES = tests/fuzz/fuzz_symbfile_parts.c
tests_fuzz_fuzz_symbfile_parts_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_proguard_SOURCES = tests/fuzz/fuzz_proguard.c
tests_fuzz_fuzz_proguard_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_symbfile_SOURCES = tests/fuzz/fuzz_symbfile.c
tests_fuzz_fuzz_symbfile_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_symcache_SOURCES = tests/fuzz/fuzz_symcache.c
tests_fuzz_fuzz_symcache_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_unwind_SOURCES = \
	tests/fuzz/fuzz_unwind.c \
	tests/cfi/sections.c \
	tests/cfi/sections.h
tests_fuzz_fuzz_unwind_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_pdb_SOURCES = \
	tests/fuzz/fuzz_pdb.c \
	$(fuzz_objects)
tests_fuzz_fuzz_pdb_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_pe_SOURCES = \
	tests/fuzz/fuzz_pe.c \
	$(fuzz_objects)
tests_fuzz_fuzz_pe_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_expression_SOURCES = tests/fuzz/fuzz_expression.c
tests_fuzz_fuzz_expression_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_host_walk_SOURCES = tests/fuzz/fuzz_host_walk.c
tests_fuzz_fuzz_host_walk_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_walk_SOURCES = tests/fuzz/fuzz_walk.c
tests_fuzz_fuzz_walk_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_wasm_SOURCES = \
	tests/fuzz/fuzz_wasm.c \
	$(fuzz_objects)
tests_fuzz_fuzz_wasm_LDFLAGS = $(fuzz_ldflags)

EXTRA_DIST += \
	tests/fuzz/corpus \
	tests/fuzz/ecmascript.dict \
	tests/fuzz/make-corpus \
	tests/fuzz/pack-dwarf

tests_fuzz_fuzz_applecrash_SOURCES = tests/fuzz/fuzz_applecrash.c
tests_fuzz_fuzz_applecrash_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_coredump_SOURCES = tests/fuzz/fuzz_coredump.c
tests_fuzz_fuzz_coredump_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_json_SOURCES = tests/fuzz/fuzz_json.c
tests_fuzz_fuzz_json_LDFLAGS = $(fuzz_ldflags)
