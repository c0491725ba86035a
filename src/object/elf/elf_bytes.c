/* elf_bytes.c -- bytes of sections as they are stored, and of segments by address. */
#include "object/elf/elf_file.h"

bool elf_section_has_bytes(const struct elf_section *section)
{
	return section->type != SHT_NULL && section->type != SHT_NOBITS && section->offset != 0;
}

struct text elf_section_raw(const struct elf_file *file, const struct elf_section *section)
{
	struct reader window = reader_window(&file->whole, "section", section->offset,
					     section->size);

	if (window.failed || !elf_section_has_bytes(section))
		return TEXT_NONE;
	return (struct text){ (const char *)window.bytes, window.size };
}

struct text elf_file_at_address(const struct elf_file *file, uint64_t address)
{
	for (size_t i = 0; i < file->segment_count; i++) {
		const struct elf_segment *segment = &file->segments[i];
		uint64_t into = address - segment->address;
		struct reader window;

		if (segment->type != PT_LOAD || into >= segment->file_bytes)
			continue;
		if (segment->offset > UINT64_MAX - into)
			continue;
		window = reader_window(&file->whole, "segment", segment->offset + into,
				       segment->file_bytes - into);
		if (!window.failed)
			return (struct text){ (const char *)window.bytes, window.size };
	}
	return TEXT_NONE;
}
