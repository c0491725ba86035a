/* elf_unwind.c -- the sections that tell how to unwind. */
#include "base/err.h"
#include "object/elf/elf_file.h"

/* Of code that is not where the section says, an address means nothing. */
static uint64_t address_of(const struct elf_file *file, const char *name)
{
	const struct elf_section *section = elf_file_section(file, name);

	return section ? section->address : 0;
}

static int hand_out(const struct elf_file *file, struct object_unwind *section,
		    struct unpack_memory *capacity, const struct object_unwind_sink *sink,
		    struct err *err)
{
	if (elf_file_load(file, section->name, capacity, &section->bytes, err) < 0)
		return -1;
	section->address = address_of(file, section->name);
	return section->bytes.size > 0 ? sink->section(sink->payload, section, err) : 0;
}

/* Code of a relocatable file has no addresses yet.  Where .debug_frame and .eh_frame both tell of
 * a function, the former counts. */
int elf_file_each_unwind(const struct elf_file *file, struct unpack_memory *capacity,
			 const struct object_unwind_sink *sink, struct err *err)
{
	struct object_unwind section = {
		.kind = OBJECT_UNWIND_DEBUG_FRAME, .name = ".debug_frame",
		.big_endian = file->whole.big_endian,
		.address_bytes = file->wide ? 8 : 4,
		.text_address = address_of(file, ".text"),
		.data_address = address_of(file, ".got"),
		.lowest_code = elf_file_lowest_code(file),
	};

	if (file->type == ET_REL)
		return 0;
	if (hand_out(file, &section, capacity, sink, err) < 0)
		return -1;
	section.kind = OBJECT_UNWIND_EH_FRAME;
	section.name = ".eh_frame";
	return hand_out(file, &section, capacity, sink, err);
}
