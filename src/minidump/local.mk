# src/minidump -- sources, tests and programs of this component.
noinst_LIBRARIES += libminidump.a
libminidump_a_SOURCES = \
	src/minidump/contexts.c \
	src/minidump/crashpad_info.c \
	src/minidump/exception_record.c \
	src/minidump/linux_reason.c \
	src/minidump/linux_streams.c \
	src/minidump/mac_reason.c \
	src/minidump/memory_list.c \
	src/minidump/minidump.c \
	src/minidump/minidump.h \
	src/minidump/minidump_parts.c \
	src/minidump/minidump_parts.h \
	src/minidump/minidump_text.c \
	src/minidump/module_list.c \
	src/minidump/ntstatus.def \
	src/minidump/other_streams.c \
	src/minidump/prewalked.c \
	src/minidump/raw.c \
	src/minidump/raw_records.c \
	src/minidump/raw_records.h \
	src/minidump/stream_names.c \
	src/minidump/streams.h \
	src/minidump/system_info.c \
	src/minidump/thread_list.c \
	src/minidump/windows_reason.c \
	src/minidump/winerror.def

if HAVE_CHECK
dump_builder_sources = \
	tests/minidump/dump_builder.c \
	tests/minidump/dump_builder.h
check_PROGRAMS += tests/minidump/test_minidump
tests_minidump_test_minidump_SOURCES = \
	tests/minidump/test_minidump.c \
	tests/fuzz/fuzz_minidump.c \
	$(dump_builder_sources)

check_PROGRAMS += tests/minidump/test_prewalked
tests_minidump_test_prewalked_SOURCES = \
	tests/minidump/test_prewalked.c \
	$(dump_builder_sources)

check_PROGRAMS += tests/minidump/test_minidump_peers
tests_minidump_test_minidump_peers_SOURCES = tests/minidump/test_minidump_peers.c
endif
