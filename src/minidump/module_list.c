/* module_list.c -- modules, what identifies them, and which of them an address is in. */
#include "minidump/minidump_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/search.h"

#define CODE_ID_BYTES 24u                    /* time stamp and size in hex */
#define GUID_BYTES 16u
#define MISC_HEAD_BYTES 12u                  /* IMAGE_DEBUG_MISC before its name */
#define MISC_NAME_IS_EXE 1u                  /* IMAGE_DEBUG_MISC_EXENAME */

static bool is_apple(const struct minidump *dump)
{
	return dump->system.os == MINIDUMP_MACOS || dump->system.os == MINIDUMP_IOS;
}

/* --- Identity ------------------------------------------------------------------------------- */

static bool is_zero(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

static struct text hex_text(struct minidump *dump, const uint8_t *bytes, size_t size)
{
	char *digits = arena_alloc_raw(dump->arena, 2 * size + 1, 1);

	if (!digits)
		return TEXT_NONE;
	hex_format(bytes, size, digits);
	return (struct text){ digits, 2 * size };
}

/* What symbol servers of Windows call a program by. */
static struct text stamp_and_size(struct minidump *dump, const struct minidump_module *module)
{
	char words[CODE_ID_BYTES];
	int size = snprintf(words, sizeof(words), "%08x%x", (unsigned)module->time_date_stamp,
			    (unsigned)module->size);
	char *copy = arena_strndup(dump->arena, words, (size_t)size);

	return copy ? (struct text){ copy, (size_t)size } : TEXT_NONE;
}

static void take_path(struct reader *record, struct minidump_module *module)
{
	struct text path = minidump_c_string(record);

	if (path.size > 0)
		module->debug_file = path;
}

static void read_pdb70(struct minidump *dump, struct reader *record, struct minidump_module *module)
{
	const uint8_t *guid = reader_take(record, GUID_BYTES);
	uint32_t age = reader_u32(record);

	if (record->failed)
		return;
	module->codeview = MINIDUMP_CODEVIEW_PDB70;
	if (!is_zero(guid, GUID_BYTES))
		module->debug_id = dump->big_endian ? debugid_from_uuid(guid, age)
						    : debugid_from_guid(guid, age);
	take_path(record, module);
	if (!is_apple(dump))
		module->code_id = stamp_and_size(dump, module);
	else if (!debugid_is_nil(&module->debug_id))
		module->code_id = hex_text(dump, module->debug_id.uuid, GUID_BYTES);
}

static void read_pdb20(struct minidump *dump, struct reader *record, struct minidump_module *module)
{
	uint32_t stamp, age;

	reader_skip(record, sizeof(uint32_t));
	stamp = reader_u32(record);
	age = reader_u32(record);
	if (record->failed)
		return;
	module->codeview = MINIDUMP_CODEVIEW_PDB20;
	module->debug_id = (struct debugid){ .kind = DEBUGID_PDB20, .age = age };
	for (unsigned i = 0; i < sizeof(stamp); i++)
		module->debug_id.uuid[i] = (uint8_t)(stamp >> (24 - 8 * i));
	take_path(record, module);
	module->code_id = stamp_and_size(dump, module);
}

static void read_build_id(struct minidump *dump, struct reader *record,
			  struct minidump_module *module)
{
	size_t size = reader_left(record);
	const uint8_t *id = reader_take(record, size);

	module->codeview = MINIDUMP_CODEVIEW_ELF;
	if (module->name.size > 0)
		module->debug_file = module->name;
	if (size > LIMIT_NAME_BYTES || is_zero(id, size))
		return;
	module->debug_id = debugid_from_build_id(id, size, !dump->big_endian);
	module->code_id = hex_text(dump, id, size);
}

static void read_codeview(struct minidump *dump, struct minidump_location at,
			  struct minidump_module *module)
{
	struct reader record = minidump_part(dump, "CodeView record", at.rva, at.size);

	if (at.size == 0) {
		if (dump->system.os == MINIDUMP_WINDOWS)
			module->code_id = stamp_and_size(dump, module);
		return;
	}
	if (record.failed) {
		module->is_damaged = true;
		minidump_lose(dump, "module at 0x%llx: its CodeView record is outside of the file",
			      (unsigned long long)module->base);
		return;
	}
	module->codeview = MINIDUMP_CODEVIEW_OTHER;
	switch (reader_u32(&record)) {
	case MD_CVINFOPDB70_SIGNATURE:
		read_pdb70(dump, &record, module);
		break;
	case MD_CVINFOPDB20_SIGNATURE:
		read_pdb20(dump, &record, module);
		break;
	case MD_CVINFOELF_SIGNATURE:
		read_build_id(dump, &record, module);
		break;
	default:
		break;
	}
}

/* IMAGE_DEBUG_MISC: the name of what the program was before it was stripped. */
static void read_misc_record(struct minidump *dump, struct minidump_location at,
			     struct minidump_module *module)
{
	struct reader record = minidump_part(dump, "misc record", at.rva, at.size);
	uint32_t type = reader_u32(&record);
	bool is_unicode;

	reader_skip(&record, sizeof(uint32_t));
	is_unicode = reader_u8(&record) != 0;
	reader_skip(&record, 3);
	if (record.failed || type != MISC_NAME_IS_EXE)
		return;
	if (is_unicode)
		module->misc_name = minidump_utf16_field(dump, &record,
							 (uint32_t)(reader_left(&record) / 2));
	else
		module->misc_name = minidump_c_string(&record);
}

/* --- The list ------------------------------------------------------------------------------- */

static void read_version(struct reader *reader, struct minidump_module *module)
{
	uint32_t signature = reader_u32(reader), version = reader_u32(reader);

	for (size_t i = 0; i < 2; i++)
		module->file_version[i] = reader_u32(reader);
	for (size_t i = 0; i < 2; i++)
		module->product_version[i] = reader_u32(reader);
	reader_skip(reader, 7 * sizeof(uint32_t));
	module->has_version = signature == MD_VSFIXEDFILEINFO_SIGNATURE &&
			      version == MD_VSFIXEDFILEINFO_VERSION;
}

static bool is_range(uint64_t base, uint32_t size)
{
	return size > 0 && size <= UINT64_MAX - base;
}

/* False: it is nowhere in memory. */
static bool read_module(struct minidump *dump, struct reader *reader, struct minidump_module *module)
{
	struct minidump_location codeview, misc;
	uint32_t name_rva;

	module->base = reader_u64(reader);
	module->size = reader_u32(reader);
	module->checksum = reader_u32(reader);
	module->time_date_stamp = reader_u32(reader);
	name_rva = reader_u32(reader);
	read_version(reader, module);
	codeview = minidump_read_location(reader);
	misc = minidump_read_location(reader);
	reader_skip(reader, 4 * sizeof(uint32_t));
	if (!is_range(module->base, module->size))
		return false;
	module->name = minidump_string(dump, name_rva);
	if (!module->name.bytes) {
		module->is_damaged = true;
		minidump_lose(dump, "module at 0x%llx: its name cannot be read",
			      (unsigned long long)module->base);
	}
	read_codeview(dump, codeview, module);
	if (misc.size >= MISC_HEAD_BYTES)
		read_misc_record(dump, misc, module);
	return true;
}

struct minidump_span { uint64_t start, end; uint32_t index; };

static int compare_spans(const void *a, const void *b)
{
	const struct minidump_span *first = a, *second = b;

	if (first->start != second->start)
		return first->start < second->start ? -1 : 1;
	if (first->end != second->end)
		return first->end < second->end ? -1 : 1;
	return (first->index > second->index) - (first->index < second->index);
}

static void order_modules(struct minidump *dump)
{
	uint32_t count = (uint32_t)dump->module_count;
	struct minidump_span *spans = minidump_records(dump, count, sizeof(*spans));
	uint64_t end = 0;

	dump->modules_by_address = minidump_records(dump, count, sizeof(uint32_t));
	if (!spans || !dump->modules_by_address)
		return;
	for (uint32_t i = 0; i < count; i++)
		spans[i] = (struct minidump_span){ dump->modules[i].base,
						   dump->modules[i].base + dump->modules[i].size, i };
	qsort(spans, count, sizeof(*spans), compare_spans);
	for (uint32_t i = 0; i < count; i++) {
		if (dump->mapped_count > 0 && spans[i].start < end) {
			dump->modules[spans[i].index].is_shadowed = true;
			continue;
		}
		end = spans[i].end;
		dump->modules_by_address[dump->mapped_count++] = spans[i].index;
	}
}

void minidump_read_modules(struct minidump *dump)
{
	struct minidump_entries entries;

	if (!minidump_simple_list(dump, MD_MODULE_LIST_STREAM, MD_MODULE_SIZE,
				  LIMIT_MINIDUMP_MODULES, &entries))
		return;
	dump->modules = minidump_records(dump, entries.count, sizeof(*dump->modules));
	for (uint32_t i = 0; dump->modules && i < entries.count; i++) {
		struct minidump_module *module = &dump->modules[dump->module_count];

		memset(module, 0, sizeof(*module));
		module->index = i;
		dump->module_count += read_module(dump, &entries.reader, module);
	}
	order_modules(dump);
}

const struct minidump_module *minidump_module_at(const struct minidump *dump, uint64_t address)
{
	const struct minidump_module *module;
	size_t at;

	SEARCH_PARTITION_POINT(at, 0, dump->mapped_count,
			       dump->modules[dump->modules_by_address[at]].base <= address);
	if (at == 0)
		return NULL;
	module = &dump->modules[dump->modules_by_address[at - 1]];
	return address - module->base < module->size ? module : NULL;
}

void minidump_module_version(const struct minidump *dump, const struct minidump_module *module,
			     char out[MINIDUMP_VERSION_BYTES])
{
	const uint32_t *file = module->file_version, *product = module->product_version;

	out[0] = '\0';
	if (!module->has_version)
		return;
	if (dump->system.os == MINIDUMP_WINDOWS || is_apple(dump))
		snprintf(out, MINIDUMP_VERSION_BYTES, "%u.%u.%u.%u", (unsigned)(file[0] >> 16),
			 (unsigned)(file[0] & 0xffff), (unsigned)(file[1] >> 16),
			 (unsigned)(file[1] & 0xffff));
	else
		snprintf(out, MINIDUMP_VERSION_BYTES, "%u.%u.%u.%u", (unsigned)file[0],
			 (unsigned)file[1], (unsigned)product[0], (unsigned)product[1]);
}

/* --- Modules that were there before ----------------------------------------------------------- */

static int compare_unloaded(const void *a, const void *b)
{
	const struct minidump_unloaded_module *first = a, *second = b;

	if (first->base != second->base)
		return first->base < second->base ? -1 : 1;
	return (first->size > second->size) - (first->size < second->size);
}

void minidump_read_unloaded(struct minidump *dump)
{
	struct minidump_entries entries;
	struct reader *reader = &entries.reader;

	if (!minidump_extended_list(dump, MD_UNLOADED_MODULE_LIST_STREAM, MD_UNLOADED_MODULE_SIZE,
				    false, LIMIT_MINIDUMP_MODULES, &entries))
		return;
	dump->unloaded = minidump_records(dump, entries.count, sizeof(*dump->unloaded));
	for (uint32_t i = 0; dump->unloaded && i < entries.count; i++) {
		struct minidump_unloaded_module *module = &dump->unloaded[dump->unloaded_count];

		module->base = reader_u64(reader);
		module->size = reader_u32(reader);
		module->checksum = reader_u32(reader);
		module->time_date_stamp = reader_u32(reader);
		module->name = minidump_string(dump, reader_u32(reader));
		if (!module->name.bytes)
			minidump_lose(dump, "unloaded module at 0x%llx: its name cannot be read",
				      (unsigned long long)module->base);
		dump->unloaded_count += is_range(module->base, module->size);
	}
	if (dump->unloaded_count > 1)
		qsort(dump->unloaded, dump->unloaded_count, sizeof(*dump->unloaded),
		      compare_unloaded);
}

const struct minidump_unloaded_module *minidump_unloaded_at(const struct minidump *dump,
							   uint64_t address, size_t *at)
{
	for (; *at < dump->unloaded_count && dump->unloaded[*at].base <= address; (*at)++)
		if (address - dump->unloaded[*at].base < dump->unloaded[*at].size)
			return &dump->unloaded[(*at)++];
	return NULL;
}
