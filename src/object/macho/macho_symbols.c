/* macho_symbols.c -- the symbol table of <mach-o/nlist.h>: what names code. */
#include "object/macho/macho_file.h"

#define N_STAB        0xe0u          /* debugger entries */
#define N_TYPE        0x0eu
#define N_SECT        0x0eu          /* defined in section n_sect */
#define CPU_ARM_32    12u

struct macho_symbol_entry {
	uint32_t name;
	uint8_t type, section;
	uint64_t value;
};

static struct macho_symbol_entry read_entry(const struct macho_file *file, uint32_t index)
{
	struct reader reader = reader_over("symbols", file->symbols.bytes, file->symbols.size);
	struct macho_symbol_entry entry;

	reader.big_endian = file->whole.big_endian;
	reader_seek(&reader, (uint64_t)index * (file->wide ? 16 : 12));
	entry.name = reader_u32(&reader);
	entry.type = reader_u8(&reader);
	entry.section = reader_u8(&reader);
	(void)reader_u16(&reader);                   /* n_desc */
	entry.value = file->wide ? reader_u64(&reader) : reader_u32(&reader);
	return entry;
}

static const struct macho_section *section_of(const struct macho_file *file,
					      const struct macho_symbol_entry *entry)
{
	if ((entry->type & N_STAB) || (entry->type & N_TYPE) != N_SECT ||
	    entry->section == 0 || entry->section > file->section_count)
		return NULL;
	return &file->sections[entry->section - 1];
}

const struct macho_section *macho_symbols_section(const struct macho_file *file, uint32_t index)
{
	struct macho_symbol_entry entry = read_entry(file, index);

	return section_of(file, &entry);
}

static bool is_code(const struct macho_file *file, const struct macho_symbol_entry *entry)
{
	const struct macho_section *section = section_of(file, entry);

	if (!section)
		return false;
	return text_is(section->segment, "__TEXT") &&
	       (text_is(section->name, "__text") || text_is(section->name, "__stubs"));
}

void macho_symbols_each(const struct macho_file *file, macho_symbol_fn *fn, void *payload)
{
	size_t count = file->symbols.size / (file->wide ? 16 : 12);

	for (size_t i = 0; i < count; i++) {
		struct macho_symbol_entry entry = read_entry(file, (uint32_t)i);

		if (!is_code(file, &entry) || entry.value < file->load_address)
			continue;
		/* The low bit marks Thumb code in addresses that function pointers came from. */
		if (file->cpu == CPU_ARM_32)
			entry.value &= ~(uint64_t)1;
		fn(payload, entry.value - file->load_address, (uint32_t)i);
	}
}

/* C names carry one underscore more than in the source; "__hidden#12_" stands for a name that
 * a BCSymbolMap knows and is left alone. */
struct text macho_symbols_name(const struct macho_file *file, uint32_t index)
{
	struct reader strings = reader_over("symbol names", file->strings.bytes,
					    file->strings.size);
	struct text name;

	reader_seek(&strings, read_entry(file, index).name);
	name = reader_string(&strings);
	if (text_starts_with(name, "_") && !text_starts_with(name, "__hidden#")) {
		name.bytes++;
		name.size--;
	}
	return name;
}
