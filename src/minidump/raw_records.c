/* raw_records.c -- see raw_records.h. */
#include "minidump/raw_records.h"

#include <stddef.h>

#include "minidump/streams.h"

#define LOCATION(name) { name ".data_size", 4, RAW_DECIMAL, 1 }, { name ".rva", 4, RAW_HEX, 1 }

static const struct raw_field thread[] = {
	{ "thread_id", 4, RAW_HEX, 1 },      { "suspend_count", 4, RAW_DECIMAL, 1 },
	{ "priority_class", 4, RAW_HEX, 1 }, { "priority", 4, RAW_HEX, 1 },
	{ "teb", 8, RAW_HEX, 1 },            { "stack.start_of_memory_range", 8, RAW_HEX, 1 },
	LOCATION("stack.memory"),            LOCATION("thread_context"),
};

static const struct raw_field module[] = {
	{ "base_of_image", 8, RAW_HEX, 1 },    { "size_of_image", 4, RAW_HEX, 1 },
	{ "checksum", 4, RAW_HEX, 1 },         { "time_date_stamp", 4, RAW_TIME, 1 },
	{ "module_name", 4, RAW_STRING, 1 },
	{ "version_info.signature", 4, RAW_HEX, 1 },
	{ "version_info.struct_version", 4, RAW_HEX, 1 },
	{ "version_info.file_version", 4, RAW_HEX, 2 },
	{ "version_info.product_version", 4, RAW_HEX, 2 },
	{ "version_info.file_flags_mask", 4, RAW_HEX, 1 },
	{ "version_info.file_flags", 4, RAW_HEX, 1 },
	{ "version_info.file_os", 4, RAW_HEX, 1 },
	{ "version_info.file_type", 4, RAW_HEX, 1 },
	{ "version_info.file_subtype", 4, RAW_HEX, 1 },
	{ "version_info.file_date", 4, RAW_HEX, 2 },
	LOCATION("cv_record"), LOCATION("misc_record"),
	{ "", 1, RAW_SKIPPED, 16 },
};

static const struct raw_field memory[] = {
	{ "start_of_memory_range", 8, RAW_HEX, 1 }, LOCATION("memory"),
};

static const struct raw_field memory_64[] = {
	{ "start_of_memory_range", 8, RAW_HEX, 1 }, { "data_size", 8, RAW_DECIMAL, 1 },
};

static const struct raw_field exception[] = {
	{ "thread_id", 4, RAW_HEX, 1 }, { "", 1, RAW_SKIPPED, 4 },
	{ "exception_record.exception_code", 4, RAW_HEX, 1 },
	{ "exception_record.exception_flags", 4, RAW_HEX, 1 },
	{ "exception_record.exception_record", 8, RAW_HEX, 1 },
	{ "exception_record.exception_address", 8, RAW_HEX, 1 },
	{ "exception_record.number_parameters", 4, RAW_DECIMAL, 1 },
	{ "", 1, RAW_SKIPPED, 4 },
	{ "exception_record.exception_information", 8, RAW_HEX, 15 },
	LOCATION("thread_context"),
};

static const struct raw_field system_info[] = {
	{ "processor_architecture", 2, RAW_HEX, 1 }, { "processor_level", 2, RAW_DECIMAL, 1 },
	{ "processor_revision", 2, RAW_HEX, 1 },     { "number_of_processors", 1, RAW_DECIMAL, 1 },
	{ "product_type", 1, RAW_DECIMAL, 1 },       { "major_version", 4, RAW_DECIMAL, 1 },
	{ "minor_version", 4, RAW_DECIMAL, 1 },      { "build_number", 4, RAW_DECIMAL, 1 },
	{ "platform_id", 4, RAW_HEX, 1 },            { "csd_version", 4, RAW_STRING, 1 },
	{ "suite_mask", 2, RAW_HEX, 1 },             { "", 1, RAW_SKIPPED, 2 },
	{ "cpu", 4, RAW_HEX, 6 },
};

static const struct raw_field misc_info[] = {
	{ "size_of_info", 4, RAW_DECIMAL, 1 },         { "flags1", 4, RAW_HEX, 1 },
	{ "process_id", 4, RAW_DECIMAL, 1 },           { "process_create_time", 4, RAW_TIME, 1 },
	{ "process_user_time", 4, RAW_DECIMAL, 1 },    { "process_kernel_time", 4, RAW_DECIMAL, 1 },
	{ "processor_max_mhz", 4, RAW_DECIMAL, 1 },    { "processor_current_mhz", 4, RAW_DECIMAL, 1 },
	{ "processor_mhz_limit", 4, RAW_DECIMAL, 1 },
	{ "processor_max_idle_state", 4, RAW_HEX, 1 },
	{ "processor_current_idle_state", 4, RAW_HEX, 1 },
	{ "process_integrity_level", 4, RAW_HEX, 1 },  { "process_execute_flags", 4, RAW_HEX, 1 },
	{ "protected_process", 4, RAW_DECIMAL, 1 },    { "time_zone_id", 4, RAW_DECIMAL, 1 },
	{ "time_zone.bias", 4, RAW_DECIMAL, 1 },       { "time_zone.standard_name", 2, RAW_UTF16, 32 },
	{ "time_zone.standard_date", 2, RAW_DECIMAL, 8 },
	{ "time_zone.standard_bias", 4, RAW_DECIMAL, 1 },
	{ "time_zone.daylight_name", 2, RAW_UTF16, 32 },
	{ "time_zone.daylight_date", 2, RAW_DECIMAL, 8 },
	{ "time_zone.daylight_bias", 4, RAW_DECIMAL, 1 },
	{ "build_string", 2, RAW_UTF16, 260 },         { "dbg_bld_str", 2, RAW_UTF16, 40 },
	{ "xstate_data.size_of_info", 4, RAW_DECIMAL, 1 },
	{ "xstate_data.context_size", 4, RAW_DECIMAL, 1 },
	{ "xstate_data.enabled_features", 8, RAW_HEX, 1 },
	{ "", 1, RAW_SKIPPED, 512 },                   { "process_cookie", 4, RAW_HEX, 1 },
};

static const struct raw_field breakpad_info[] = {
	{ "validity", 4, RAW_HEX, 1 }, { "dump_thread_id", 4, RAW_HEX, 1 },
	{ "requesting_thread_id", 4, RAW_HEX, 1 },
};

static const struct raw_field assertion[] = {
	{ "expression", 2, RAW_UTF16, 128 }, { "function", 2, RAW_UTF16, 128 },
	{ "file", 2, RAW_UTF16, 128 },       { "line", 4, RAW_DECIMAL, 1 },
	{ "type", 4, RAW_DECIMAL, 1 },
};

static const struct raw_field unloaded_module[] = {
	{ "base_of_image", 8, RAW_HEX, 1 }, { "size_of_image", 4, RAW_HEX, 1 },
	{ "checksum", 4, RAW_HEX, 1 },      { "time_date_stamp", 4, RAW_TIME, 1 },
	{ "module_name", 4, RAW_STRING, 1 },
};

static const struct raw_field memory_info[] = {
	{ "base_address", 8, RAW_HEX, 1 },           { "allocation_base", 8, RAW_HEX, 1 },
	{ "allocation_protection", 4, RAW_HEX, 1 },  { "", 1, RAW_SKIPPED, 4 },
	{ "region_size", 8, RAW_HEX, 1 },            { "state", 4, RAW_HEX, 1 },
	{ "protection", 4, RAW_HEX, 1 },             { "type", 4, RAW_HEX, 1 },
	{ "", 1, RAW_SKIPPED, 4 },
};

static const struct raw_field thread_info[] = {
	{ "thread_id", 4, RAW_HEX, 1 },  { "dump_flags", 4, RAW_HEX, 1 },
	{ "dump_error", 4, RAW_HEX, 1 }, { "exit_status", 4, RAW_HEX, 1 },
	{ "create_time", 8, RAW_HEX, 1 }, { "exit_time", 8, RAW_HEX, 1 },
	{ "kernel_time", 8, RAW_HEX, 1 }, { "user_time", 8, RAW_HEX, 1 },
	{ "start_address", 8, RAW_HEX, 1 }, { "affinity", 8, RAW_HEX, 1 },
};

static const struct raw_field thread_name[] = {
	{ "thread_id", 4, RAW_HEX, 1 }, { "thread_name", 8, RAW_STRING, 1 },
};

static const struct raw_field handle[] = {
	{ "handle", 8, RAW_HEX, 1 },         { "type_name", 4, RAW_STRING, 1 },
	{ "object_name", 4, RAW_STRING, 1 }, { "attributes", 4, RAW_HEX, 1 },
	{ "granted_access", 4, RAW_HEX, 1 }, { "handle_count", 4, RAW_DECIMAL, 1 },
	{ "pointer_count", 4, RAW_DECIMAL, 1 }, { "object_info_rva", 4, RAW_HEX, 1 },
};

static const struct raw_field boot_args[] = {
	{ "stream_type", 4, RAW_HEX, 1 }, { "bootargs", 8, RAW_STRING, 1 },
};

#define FIELDS(table) table, sizeof(table) / sizeof((table)[0])

static const struct raw_stream streams[] = {
	{ MD_THREAD_LIST_STREAM, RAW_LIST, "thread", MD_THREAD_SIZE, FIELDS(thread) },
	{ MD_MODULE_LIST_STREAM, RAW_LIST, "module", MD_MODULE_SIZE, FIELDS(module) },
	{ MD_MEMORY_LIST_STREAM, RAW_LIST, "region", MD_MEMORY_SIZE, FIELDS(memory) },
	{ MD_EXCEPTION_STREAM, RAW_RECORD, "exception", 0, FIELDS(exception) },
	{ MD_SYSTEM_INFO_STREAM, RAW_RECORD, "system info", 0, FIELDS(system_info) },
	{ MD_MEMORY_64_LIST_STREAM, RAW_MEMORY_64_LIST, "region", MD_MEMORY64_SIZE, FIELDS(memory_64) },
	{ MD_HANDLE_DATA_STREAM, RAW_SIZED_LIST, "handle", 0, FIELDS(handle) },
	{ MD_UNLOADED_MODULE_LIST_STREAM, RAW_SIZED_LIST, "unloaded module", 0,
	  FIELDS(unloaded_module) },
	{ MD_MISC_INFO_STREAM, RAW_RECORD, "misc info", 0, FIELDS(misc_info) },
	{ MD_MEMORY_INFO_LIST_STREAM, RAW_WIDE_LIST, "memory info", 0, FIELDS(memory_info) },
	{ MD_THREAD_INFO_LIST_STREAM, RAW_SIZED_LIST, "thread info", 0, FIELDS(thread_info) },
	{ MD_THREAD_NAME_LIST_STREAM, RAW_LIST, "thread name", MD_THREAD_NAME_SIZE,
	  FIELDS(thread_name) },
	{ MD_BREAKPAD_INFO_STREAM, RAW_RECORD, "breakpad info", 0, FIELDS(breakpad_info) },
	{ MD_ASSERTION_INFO_STREAM, RAW_RECORD, "assertion", 0, FIELDS(assertion) },
	{ MD_MOZ_MACOS_BOOTARGS_STREAM, RAW_RECORD, "boot arguments", 0, FIELDS(boot_args) },
	{ MD_COMMENT_STREAM_A, RAW_TEXT, NULL, 0, NULL, 0 },
	{ MD_LINUX_CPU_INFO, RAW_TEXT, NULL, 0, NULL, 0 },
	{ MD_LINUX_PROC_STATUS, RAW_TEXT, NULL, 0, NULL, 0 },
	{ MD_LINUX_LSB_RELEASE, RAW_TEXT, NULL, 0, NULL, 0 },
	{ MD_LINUX_CMD_LINE, RAW_TEXT, NULL, 0, NULL, 0 },
	{ MD_LINUX_ENVIRON, RAW_TEXT, NULL, 0, NULL, 0 },
	{ MD_LINUX_MAPS, RAW_TEXT, NULL, 0, NULL, 0 },
	{ MD_MOZ_LINUX_LIMITS, RAW_TEXT, NULL, 0, NULL, 0 },
	{ MD_MOZ_SOFT_ERRORS, RAW_TEXT, NULL, 0, NULL, 0 },
};

const struct raw_stream *raw_stream_of(uint32_t type)
{
	static const struct raw_stream unknown = { .layout = RAW_BYTES };

	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
		if (streams[i].type == type)
			return &streams[i];
	return &unknown;
}
