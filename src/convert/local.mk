# src/convert -- sources, tests and programs of this component.
noinst_LIBRARIES += libconvert.a
libconvert_a_SOURCES = \
	src/convert/artifacts_read.c \
	src/convert/cell_counters.c \
	src/convert/cell_counters.h \
	src/convert/cficache.c \
	src/convert/convert.c \
	src/convert/convert.h \
	src/convert/crash_apple.c \
	src/convert/crash_host.c \
	src/convert/crash_host.h \
	src/convert/crash_json.c \
	src/convert/crash_core.c \
	src/convert/crash_json.h \
	src/convert/core_file.c \
	src/convert/core_file.h \
	src/convert/core_remarks.c \
	src/convert/core_remarks.h \
	src/convert/crash_minidump.c \
	src/convert/crash_stacktext.c \
	src/convert/crash_walk.c \
	src/convert/crash_walk.h \
	src/convert/convert_internal.h \
	src/convert/convert_json.c \
	src/convert/convert_listing.c \
	src/convert/convert_names.c \
	src/convert/convert_proguard.c \
	src/convert/convert_section.c \
	src/convert/convert_asm.c \
	src/convert/disassemble.c \
	src/convert/disassemble.h \
	src/convert/disassembler.h \
	src/convert/disassembler_arm.c \
	src/convert/disassembler_x86.c \
	src/convert/convert_sourcemap.c \
	src/convert/convert_sources.c \
	src/convert/js_files.c \
	src/convert/demangler.c \
	src/convert/demangler.h \
	src/convert/features.c \
	src/convert/inspect.c \
	src/convert/listing_read.c \
	src/convert/return_pads.c \
	src/convert/return_pads.h \
	src/convert/symbfile_make.c \
	src/convert/symbfile_part.c \
	src/convert/make.c \
	src/convert/managed.c \
	src/convert/memo.c \
	src/convert/memo.h \
	src/convert/minidump_raw.c \
	src/convert/transcode.c \
	src/convert/transcode_files.c \
	src/convert/transcode_files.h \
	src/convert/unpacked_text.c \
	src/convert/uuidmap.c \
	src/convert/x86_length.c \
	src/convert/x86_length.h

if HAVE_CHECK
check_PROGRAMS += \
	tests/convert/test_convert \
	tests/convert/test_crash \
	tests/convert/test_cells
tests_convert_test_crash_SOURCES = tests/convert/test_crash.c
tests_convert_test_convert_SOURCES = tests/convert/test_convert.c
check_PROGRAMS += \
	tests/convert/test_uuidmap \
	tests/convert/test_maps \
	tests/convert/test_listings \
	tests/convert/test_return_pads \
	tests/convert/test_disassemble
tests_convert_test_disassemble_SOURCES = tests/convert/test_disassemble.c
tests_convert_test_return_pads_SOURCES = tests/convert/test_return_pads.c
tests_convert_test_listings_SOURCES = \
	tests/convert/test_listings.c \
	tests/fuzz/fuzz_listing.c
tests_convert_test_maps_SOURCES = tests/convert/test_maps.c
tests_convert_test_uuidmap_SOURCES = tests/convert/test_uuidmap.c
tests_convert_test_cells_SOURCES = tests/convert/test_cells.c
endif

EXTRA_PROGRAMS += tests/bench/bench_symbfile
tests_bench_bench_symbfile_SOURCES = tests/bench/bench_symbfile.c
tests_bench_bench_symbfile_LDADD = $(COMPONENT_LIBS) $(SYSTEM_LIBS)
