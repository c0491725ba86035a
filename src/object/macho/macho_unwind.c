/* macho_unwind.c -- the sections that tell how to unwind, and the bytes of the image. */
#include "object/macho/macho_file.h"

#include "base/err.h"

static const struct {
	enum object_unwind_kind kind;
	const char *name;
} sections[] = {
	{ OBJECT_UNWIND_DEBUG_FRAME, ".debug_frame" },
	{ OBJECT_UNWIND_COMPACT, ".unwind_info" },
	{ OBJECT_UNWIND_EH_FRAME, ".eh_frame" },
};

#define TYPE_RELOCATABLE 1u

int macho_file_each_unwind(const struct macho_file *file, struct unpack_memory *capacity,
			   const struct object_unwind_sink *sink, struct err *err)
{
	struct object_unwind section = { .big_endian = file->whole.big_endian,
					 .address_bytes = file->wide ? 8 : 4,
					 .lowest_code = file->lowest_code };

	if (file->type == TYPE_RELOCATABLE)
		return 0;
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		const struct macho_section *found = macho_file_section(file, sections[i].name);

		if (!found)
			continue;
		section.kind = sections[i].kind;
		section.name = sections[i].name;
		section.address = found->address;
		if (macho_file_load(file, section.name, capacity, &section.bytes, err) < 0)
			return -1;
		if (section.bytes.size > 0 && sink->section(sink->payload, &section, err) < 0)
			return -1;
	}
	return 0;
}

struct text macho_file_at(const struct macho_file *file, uint64_t address)
{
	for (size_t i = 0; i < file->section_count; i++) {
		const struct macho_section *section = &file->sections[i];
		uint64_t into = address - section->address;
		struct reader window;

		if (!section->has_bytes || into >= section->size)
			continue;
		window = reader_window(&file->whole, "section", section->offset, section->size);
		if (!window.failed)
			return (struct text){ (const char *)window.bytes + into,
					      window.size - (size_t)into };
	}
	return TEXT_NONE;
}
