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
	src/minidump/minidump_parts.h \
	src/minidump/minidump_text.c \
	src/minidump/module_list.c \
	src/minidump/ntstatus.def \
	src/minidump/other_streams.c \
	src/minidump/stream_names.c \
	src/minidump/streams.h \
	src/minidump/system_info.c \
	src/minidump/thread_list.c \
	src/minidump/windows_reason.c \
	src/minidump/winerror.def
