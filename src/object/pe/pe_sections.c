/* pe_sections.c -- sections by address and by name, and what they tell of the file. */
#include "object/pe/pe_file.h"

#include "base/err.h"
#include "base/limits.h"

#define SECTIONS_LOOKED_AT 4096u     /* for each address: no loader takes as many */
#define SECTION_CODE       0x00000020u
#define SECTION_EXECUTE    0x20000000u

bool pe_section_is_code(const struct pe_section *section)
{
	return (section->flags & (SECTION_CODE | SECTION_EXECUTE)) != 0;
}

const struct pe_section *pe_file_section_at(const struct pe_file *file, uint32_t address)
{
	for (size_t i = 0; i < file->section_count && i < SECTIONS_LOOKED_AT; i++) {
		const struct pe_section *section = &file->sections[i];
		uint32_t size = section->size > section->file_bytes ? section->size
								    : section->file_bytes;

		if (address >= section->address && address - section->address < size)
			return section;
	}
	return NULL;
}

struct text pe_file_at(const struct pe_file *file, uint32_t address)
{
	const struct pe_section *section = pe_file_section_at(file, address);
	uint64_t offset = address, left;
	struct reader window;

	if (section) {
		if (address - section->address >= section->file_bytes)
			return TEXT_NONE;
		offset = (uint64_t)section->offset + (address - section->address);
		left = section->file_bytes - (address - section->address);
	} else if (address < file->header_bytes) {
		left = file->header_bytes - address;
	} else {
		return TEXT_NONE;
	}
	if (offset > file->whole.size)
		return TEXT_NONE;
	if (left > file->whole.size - offset)
		left = file->whole.size - offset;
	window = reader_window(&file->whole, "section", offset, left);
	return (struct text){ (const char *)window.bytes, window.size };
}

/* ".debug_info" packed the GNU way is called ".zdebug_info". */
static bool is_named(struct text have, const char *name)
{
	return text_is(have, name) ||
	       (text_starts_with(have, ".z") && name[0] == '.' &&
		text_is((struct text){ have.bytes + 2, have.size - 2 }, name + 1));
}

const struct pe_section *pe_file_section(const struct pe_file *file, const char *name)
{
	for (size_t i = 0; i < file->section_count; i++)
		if (file->sections[i].file_bytes > 0 && is_named(file->sections[i].name, name))
			return &file->sections[i];
	return NULL;
}

int pe_file_load(const struct pe_file *file, const char *name, struct unpack_memory *capacity,
		 struct text *bytes, struct err *err)
{
	const struct pe_section *section = pe_file_section(file, name);
	uint32_t size;
	struct reader window;
	struct text stored;

	*bytes = TEXT_NONE;
	if (!section)
		return 0;
	/* What is stored is padded to the file's alignment; the size in memory is not. */
	size = section->size > 0 && section->size < section->file_bytes ? section->size
									: section->file_bytes;
	window = reader_window(&file->whole, name, section->offset, size);
	if (window.failed)
		return err_set(err, ERR_MALFORMED, "%.*s lies outside the file: %u bytes at %u of %zu",
			       (int)section->name.size, section->name.bytes, size,
			       section->offset, file->whole.size);
	stored = (struct text){ (const char *)window.bytes, window.size };
	if (text_starts_with(section->name, ".z"))
		return unpack_gnu_section(capacity, stored, name, object_section_max_bytes, bytes, err);
	*bytes = stored;
	return 0;
}

/* Packers leave a section ".stub..." that unpacks the rest and a .pdata without bytes:
 * nothing in such a file describes the code that will run. */
bool pe_file_is_packed(const struct pe_file *file)
{
	bool has_stub = false, has_empty_pdata = false;

	for (size_t i = 0; i < file->section_count; i++) {
		const struct pe_section *section = &file->sections[i];

		has_stub |= text_starts_with(section->name, ".stub");
		has_empty_pdata |= text_is(section->name, ".pdata") && section->file_bytes == 0;
	}
	return has_stub && has_empty_pdata;
}

bool pe_file_is_debug_only(const struct pe_file *file)
{
	bool has_code = false;

	if (!pe_file_section(file, ".debug_info"))
		return false;
	for (size_t i = 0; i < file->section_count; i++) {
		if (!pe_section_is_code(&file->sections[i]))
			continue;
		if (file->sections[i].file_bytes > 0)
			return false;
		has_code = true;
	}
	return has_code;
}
