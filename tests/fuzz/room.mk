# tests/fuzz -- the fuzz targets.  With --enable-fuzz libFuzzer brings their main; without,
# standalone.c does, and `make check` takes each of them through its corpus: the files below
# tests/fuzz/corpus and those made by recipe.
fuzz_targets = \
	tests/fuzz/fuzz_bundle tests/fuzz/fuzz_ppdb tests/fuzz/fuzz_sources \
	tests/fuzz/fuzz_breakpad tests/fuzz/fuzz_config tests/fuzz/fuzz_demangle \
	tests/fuzz/fuzz_dwarf tests/fuzz/fuzz_elf tests/fuzz/fuzz_macho tests/fuzz/fuzz_maps tests/fuzz/fuzz_request \
	tests/fuzz/fuzz_pdb tests/fuzz/fuzz_pe \
	tests/fuzz/fuzz_archive tests/fuzz/fuzz_listing \
	tests/fuzz/fuzz_source tests/fuzz/fuzz_symcache tests/fuzz/fuzz_wasm
fuzz_objects = tests/fuzz/objects.c tests/fuzz/objects.h
fuzz_cppflags = $(AM_CPPFLAGS) $(CJSON_CFLAGS) -I$(top_srcdir)/tests
fuzz_object_libs = $(fuzz_main) libobject.a libdwarf.a libobject.a libunpack.a libbase.a $(ZLIB_LIBS) \
	$(ZSTD_LIBS) $(LZMA_LIBS) $(MSPACK_LIBS) $(CRYPTO_LIBS) $(CJSON_LIBS)

if FUZZ
noinst_PROGRAMS += $(fuzz_targets)
fuzz_main =
fuzz_ldflags = $(AM_LDFLAGS) -fsanitize=fuzzer
else
check_PROGRAMS += $(fuzz_targets)
fuzz_main = libstandalone.a
fuzz_ldflags = $(AM_LDFLAGS)
check_LIBRARIES += libstandalone.a
libstandalone_a_SOURCES = tests/fuzz/standalone.c
libstandalone_a_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS_DIR='"$(abs_top_srcdir)/tests/fuzz/corpus"'

fuzz_logs = $(fuzz_targets:=.log)
$(fuzz_logs): tests-fixtures/corpus/made
endif

tests-fixtures/corpus/made: tests/fuzz/make-corpus tests/fuzz/pack-dwarf symgate$(EXEEXT) \
		tests/fuzz/make_sources$(EXEEXT)
	$(AM_V_GEN)sh $(srcdir)/tests/fuzz/make-corpus tests-fixtures/corpus ./symgate$(EXEEXT) \
		tests/fuzz/make_sources$(EXEEXT)

EXTRA_PROGRAMS += tests/fuzz/make_sources
CLEANFILES += tests/fuzz/make_sources$(EXEEXT)
tests_fuzz_make_sources_SOURCES = tests/fuzz/make_sources.c tests/object/makers.c \
	tests/object/makers.h
tests_fuzz_make_sources_CPPFLAGS = $(fuzz_cppflags) $(ZLIB_CFLAGS)
tests_fuzz_make_sources_LDADD = libsourcecache.a libppdbcache.a libobject.a libdwarf.a \
	libobject.a libunpack.a libbase.a $(ZLIB_LIBS) $(ZSTD_LIBS) $(LZMA_LIBS) $(MSPACK_LIBS) \
	$(CRYPTO_LIBS) $(CJSON_LIBS)

tests_fuzz_fuzz_bundle_SOURCES = tests/fuzz/fuzz_bundle.c $(fuzz_objects)
tests_fuzz_fuzz_bundle_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_bundle_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_bundle_LDADD = $(fuzz_object_libs)

tests_fuzz_fuzz_ppdb_SOURCES = tests/fuzz/fuzz_ppdb.c $(fuzz_objects)
tests_fuzz_fuzz_ppdb_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_ppdb_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_ppdb_LDADD = $(fuzz_object_libs)

tests_fuzz_fuzz_sources_SOURCES = tests/fuzz/fuzz_sources.c
tests_fuzz_fuzz_sources_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_sources_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_sources_LDADD = libsourcecache.a libppdbcache.a $(fuzz_object_libs)

tests_fuzz_fuzz_archive_SOURCES = tests/fuzz/fuzz_archive.c
tests_fuzz_fuzz_archive_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_archive_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_archive_LDADD = $(fuzz_main) libunpack.a libbase.a $(ZLIB_LIBS) $(ZSTD_LIBS) \
	$(LZMA_LIBS) $(MSPACK_LIBS) $(CRYPTO_LIBS)

tests_fuzz_fuzz_listing_SOURCES = tests/fuzz/fuzz_listing.c
tests_fuzz_fuzz_listing_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_listing_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_listing_LDADD = libconvert.a libsource.a $(fuzz_object_libs)

tests_fuzz_fuzz_breakpad_SOURCES = tests/fuzz/fuzz_breakpad.c $(fuzz_objects)
tests_fuzz_fuzz_breakpad_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_breakpad_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_breakpad_LDADD = $(fuzz_object_libs)

tests_fuzz_fuzz_config_SOURCES = tests/fuzz/fuzz_config.c
tests_fuzz_fuzz_config_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_config_LDADD = $(fuzz_main) libconfig.a libbase.a $(YAML_LIBS) $(CRYPTO_LIBS)

tests_fuzz_fuzz_demangle_SOURCES = tests/fuzz/fuzz_demangle.c
tests_fuzz_fuzz_demangle_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_demangle_LDADD = $(fuzz_main) libdemangle.a libbase.a $(IBERTY_LIBS) $(CRYPTO_LIBS)

tests_fuzz_fuzz_dwarf_SOURCES = tests/fuzz/fuzz_dwarf.c \
	tests/dwarf/container.c tests/dwarf/container.h
tests_fuzz_fuzz_dwarf_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_dwarf_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_dwarf_LDADD = $(fuzz_main) libdwarf.a libbase.a $(CRYPTO_LIBS)

tests_fuzz_fuzz_elf_SOURCES = tests/fuzz/fuzz_elf.c $(fuzz_objects)
tests_fuzz_fuzz_elf_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_elf_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_elf_LDADD = $(fuzz_object_libs)

tests_fuzz_fuzz_macho_SOURCES = tests/fuzz/fuzz_macho.c $(fuzz_objects)
tests_fuzz_fuzz_macho_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_macho_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_macho_LDADD = $(fuzz_object_libs)

tests_fuzz_fuzz_maps_SOURCES = tests/fuzz/fuzz_maps.c
tests_fuzz_fuzz_maps_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_maps_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_maps_LDADD = libconvert.a libsymcache.a $(fuzz_object_libs)

tests_fuzz_fuzz_request_SOURCES = tests/fuzz/fuzz_request.c \
	tests/symbolicate/fake.c tests/symbolicate/fake_lower.c tests/symbolicate/fake.h
tests_fuzz_fuzz_request_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_request_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_request_LDADD = $(fuzz_main) libsymbolicate.a libsource.a libsymcache.a \
	libppdbcache.a libsourcecache.a libbase.a $(CJSON_LIBS) $(CRYPTO_LIBS)

tests_fuzz_fuzz_source_SOURCES = tests/fuzz/fuzz_source.c
tests_fuzz_fuzz_source_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_source_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_source_LDADD = $(fuzz_main) libsource.a libbase.a $(CJSON_LIBS) $(CRYPTO_LIBS)

tests_fuzz_fuzz_symcache_SOURCES = tests/fuzz/fuzz_symcache.c
tests_fuzz_fuzz_symcache_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_symcache_LDADD = $(fuzz_main) libsymcache.a libbase.a $(CRYPTO_LIBS)

tests_fuzz_fuzz_pdb_SOURCES = tests/fuzz/fuzz_pdb.c $(fuzz_objects)
tests_fuzz_fuzz_pdb_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_pdb_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_pdb_LDADD = $(fuzz_object_libs)

tests_fuzz_fuzz_pe_SOURCES = tests/fuzz/fuzz_pe.c $(fuzz_objects)
tests_fuzz_fuzz_pe_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_pe_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_pe_LDADD = $(fuzz_object_libs)

tests_fuzz_fuzz_wasm_SOURCES = tests/fuzz/fuzz_wasm.c $(fuzz_objects)
tests_fuzz_fuzz_wasm_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_wasm_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_wasm_LDADD = $(fuzz_object_libs)

EXTRA_DIST += tests/fuzz/corpus tests/fuzz/make-corpus tests/fuzz/pack-dwarf
