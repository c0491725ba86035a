/* other_streams.c -- handles, assertions, and what Mozilla's writers add of macOS. */
#include "minidump/minidump_parts.h"

#include "base/arena.h"
#include "base/limits.h"

#define ASSERTION_UNITS 128u
#define MAC_RECORDS_MAX 20u
#define MAC_RECORD_HAS_THREAD 4u             /* from this version on */
#define MAC_RECORD_HAS_CAUSE  5u

/* --- Handles ------------------------------------------------------------------------------------ */

static struct text optional_string(struct minidump *dump, uint32_t rva)
{
	return rva ? minidump_string(dump, rva) : TEXT_NONE;
}

int minidump_handles(struct minidump *dump, struct minidump_handle_list *list, struct err *err)
{
	struct reader stream;
	uint32_t header_size, entry_size, count;
	struct minidump_handle *items;

	*list = (struct minidump_handle_list){ NULL, 0 };
	if (!minidump_find_stream(dump, MD_HANDLE_DATA_STREAM, &stream))
		return 0;
	header_size = reader_u32(&stream);
	entry_size = reader_u32(&stream);
	count = reader_u32(&stream);
	reader_seek(&stream, header_size);
	if (stream.failed || (entry_size != MD_HANDLE_SIZE && entry_size != MD_HANDLE_2_SIZE)) {
		minidump_lose(dump, "%s: entries of %u bytes after a header of %u", stream.name,
			      (unsigned)entry_size, (unsigned)header_size);
		return 0;
	}
	if (count > reader_left(&stream) / entry_size || count > LIMIT_MINIDUMP_HANDLES) {
		size_t there = reader_left(&stream) / entry_size;

		minidump_lose(dump, "%s: not all of %u entries are read", stream.name, (unsigned)count);
		count = there < LIMIT_MINIDUMP_HANDLES ? (uint32_t)there : LIMIT_MINIDUMP_HANDLES;
	}
	items = minidump_records(dump, count, sizeof(*items));
	for (uint32_t i = 0; items && i < count; i++) {
		struct reader entry = reader_part(&stream, "handle", entry_size);

		items[i].handle = reader_u64(&entry);
		items[i].type_name = optional_string(dump, reader_u32(&entry));
		items[i].object_name = optional_string(dump, reader_u32(&entry));
		items[i].attributes = reader_u32(&entry);
		items[i].granted_access = reader_u32(&entry);
		items[i].handle_count = reader_u32(&entry);
		items[i].pointer_count = reader_u32(&entry);
	}
	list->items = items;
	list->count = items ? count : 0;
	return minidump_check_memory(dump, err);
}

/* --- Assertions --------------------------------------------------------------------------------- */

int minidump_assertion(struct minidump *dump, struct minidump_assertion *assertion, struct err *err)
{
	struct reader stream;

	*assertion = (struct minidump_assertion){ .expression = TEXT_NONE };
	if (!minidump_find_stream(dump, MD_ASSERTION_INFO_STREAM, &stream))
		return 0;
	assertion->expression = minidump_utf16_field(dump, &stream, ASSERTION_UNITS);
	assertion->function = minidump_utf16_field(dump, &stream, ASSERTION_UNITS);
	assertion->file = minidump_utf16_field(dump, &stream, ASSERTION_UNITS);
	assertion->line = reader_u32(&stream);
	assertion->type = reader_u32(&stream);
	if (stream.failed)
		minidump_lose(dump, "%s: too short", stream.name);
	return minidump_check_memory(dump, err) < 0 ? -1 : 1;
}

/* --- macOS -------------------------------------------------------------------------------------- */

/* Empty ones are not told. */
static struct text next_text(struct reader *record)
{
	struct text text = minidump_c_string(record);

	return text.size ? text : TEXT_NONE;
}

static void read_mac_record(struct reader *record, uint32_t start, struct minidump_mac_crash *crash)
{
	reader_skip(record, sizeof(uint64_t));
	crash->version = reader_u64(record);
	if (crash->version >= MAC_RECORD_HAS_THREAD) {
		crash->thread = reader_u64(record);
		crash->dialog_mode = reader_u64(record);
	}
	if (crash->version >= MAC_RECORD_HAS_CAUSE)
		crash->abort_cause = reader_u64(record);
	reader_seek(record, start);
	crash->module_path = next_text(record);
	crash->message = next_text(record);
	crash->signature = next_text(record);
	crash->backtrace = next_text(record);
	if (crash->version >= MAC_RECORD_HAS_THREAD)
		crash->message2 = next_text(record);
}

int minidump_mac_crash_info(struct minidump *dump, struct minidump_mac_crash_list *list,
			    struct err *err)
{
	struct reader stream;
	uint32_t count, start;

	list->count = 0;
	if (!minidump_find_stream(dump, MD_MOZ_MACOS_CRASH_INFO_STREAM, &stream))
		return 0;
	reader_skip(&stream, sizeof(uint32_t));
	count = reader_u32(&stream);
	start = reader_u32(&stream);
	if (count > MAC_RECORDS_MAX) {
		minidump_lose(dump, "%s: %u records, more than there can be", stream.name,
			      (unsigned)count);
		count = MAC_RECORDS_MAX;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct minidump_location at = minidump_read_location(&stream);
		struct reader record = minidump_part(dump, stream.name, at.rva, at.size);
		struct minidump_mac_crash crash = { 0 };

		read_mac_record(&record, start, &crash);
		if (stream.failed || record.failed)
			minidump_lose(dump, "%s: record %u cannot be read", stream.name, (unsigned)i);
		else
			list->items[list->count++] = crash;
	}
	return minidump_check_memory(dump, err);
}

struct text minidump_mac_boot_args(struct minidump *dump)
{
	struct reader stream;
	uint64_t rva;

	if (!minidump_find_stream(dump, MD_MOZ_MACOS_BOOTARGS_STREAM, &stream))
		return TEXT_NONE;
	reader_skip(&stream, sizeof(uint32_t));
	rva = reader_u64(&stream);
	return stream.failed ? TEXT_NONE : minidump_string(dump, rva);
}
