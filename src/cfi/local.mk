# src/cfi -- sources, tests and programs of this component.
noinst_LIBRARIES += libcfi.a
libcfi_a_SOURCES = \
	src/cfi/cfi.c \
	src/cfi/cfi.h \
	src/cfi/cfi_breakpad.c \
	src/cfi/cfi_lines.c \
	src/cfi/cfi_lines.h \
	src/cfi/cfi_out.c \
	src/cfi/cfi_out.h \
	src/cfi/cfi_registers.c \
	src/cfi/cfi_registers.h \
	src/cfi/cfi_sort.c \
	src/cfi/cfi_write.c \
	src/cfi/cfi_writer.c \
	src/cfi/cfi_writer.h \
	src/cfi/compact_unwind.c \
	src/cfi/frame_print.c \
	src/cfi/frame_rows.c \
	src/cfi/frame_rows.h \
	src/cfi/frame_section.c \
	src/cfi/frame_section.h \
	src/cfi/pdata.c \
	src/cfi/pdata.h \
	src/cfi/pdata_arm64.c \
	src/cfi/pdata_epilog.c \
	src/cfi/pdata_image.c \
	src/cfi/pdata_x64.c \
	src/cfi/pdata_x64.h \
	src/cfi/postfix.c \
	src/cfi/postfix.h \
	src/cfi/win_records.c

if HAVE_CHECK
check_PROGRAMS += tests/cfi/test_find
tests_cfi_test_find_SOURCES = \
	tests/cfi/test_find.c \
	tests/fuzz/fuzz_cfi.c

cfi_convert_sources = \
	tests/cfi/convert.c \
	tests/cfi/convert.h
cfi_evaluate_sources = \
	tests/cfi/evaluate.c \
	tests/cfi/evaluate.h

check_PROGRAMS += tests/cfi/test_peers
tests_cfi_test_peers_SOURCES = \
	tests/cfi/test_peers.c \
	$(cfi_convert_sources) \
	$(cfi_evaluate_sources)

check_PROGRAMS += tests/cfi/test_write
tests_cfi_test_write_SOURCES = \
	tests/cfi/test_write.c \
	tests/cfi/sections.c \
	tests/cfi/sections.h \
	$(cfi_convert_sources)
endif

EXTRA_PROGRAMS += tests/bench/bench_cfi
tests_bench_bench_cfi_SOURCES = \
	tests/bench/bench_cfi.c \
	tests/bench/facts.h
