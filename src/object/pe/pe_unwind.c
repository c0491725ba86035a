/* pe_unwind.c -- the exception directory, or the DWARF that MinGW's compilers write instead of it. */
#include "object/pe/pe_file.h"

#include "base/err.h"

static int hand_out_pdata(const struct pe_file *file, const struct object_unwind_sink *sink,
			  struct err *err)
{
	struct pe_range range = file->directories[PE_DIRECTORY_EXCEPTION];
	struct object_unwind section = {
		.kind = OBJECT_UNWIND_PDATA, .name = "exception directory",
		.bytes = pe_file_at(file, range.address), .address = file->image_base + range.address,
		.address_bytes = file->wide ? 8 : 4,
	};

	if (section.bytes.size > range.size)
		section.bytes.size = range.size;
	return section.bytes.size > 0 ? sink->section(sink->payload, &section, err) : 0;
}

static int hand_out_dwarf(const struct pe_file *file, enum object_unwind_kind kind,
			  const char *name, struct unpack_memory *capacity,
			  const struct object_unwind_sink *sink, struct err *err)
{
	const struct pe_section *found = pe_file_section(file, name);
	struct object_unwind section = { .kind = kind, .name = name,
					 .address_bytes = file->wide ? 8 : 4 };

	if (!found)
		return 0;
	section.address = file->image_base + found->address;
	if (pe_file_load(file, name, capacity, &section.bytes, err) < 0)
		return -1;
	return section.bytes.size > 0 ? sink->section(sink->payload, &section, err) : 0;
}

int pe_file_each_unwind(const struct pe_file *file, struct unpack_memory *capacity,
			const struct object_unwind_sink *sink, struct err *err)
{
	if (pe_file_is_packed(file))
		return 0;
	if (file->directories[PE_DIRECTORY_EXCEPTION].size > 0)
		return hand_out_pdata(file, sink, err);
	if (hand_out_dwarf(file, OBJECT_UNWIND_DEBUG_FRAME, ".debug_frame", capacity, sink, err) < 0)
		return -1;
	return hand_out_dwarf(file, OBJECT_UNWIND_EH_FRAME, ".eh_frame", capacity, sink, err);
}
