/* elf_relocate.c -- debug sections of relocatable files: a relocation is the symbol's value and
 * the addend.
 *
 * Only plain words are known; anything else is left as it is, and the unit that needed it
 * is poorer for it. */
#include "object/elf/elf_file.h"

#define REL_BYTES_32  8u
#define REL_BYTES_64  16u
#define RELA_BYTES_32 12u
#define RELA_BYTES_64 24u

static const struct {
	uint16_t machine;
	uint32_t type;
	unsigned width;
} words[] = {
	{ EM_X86_64,  R_X86_64_64,       8 }, { EM_X86_64,  R_X86_64_32,     4 },
	{ EM_X86_64,  R_X86_64_32S,      4 },
	{ EM_AARCH64, R_AARCH64_ABS64,   8 }, { EM_AARCH64, R_AARCH64_ABS32, 4 },
	{ EM_386,     R_386_32,          4 }, { EM_ARM,     R_ARM_ABS32,     4 },
	{ EM_S390,    R_390_64,          8 }, { EM_S390,    R_390_32,        4 },
	{ EM_PPC64,   R_PPC64_ADDR64,    8 }, { EM_PPC64,   R_PPC64_ADDR32,  4 },
	{ EM_PPC,     R_PPC_ADDR32,      4 },
};

struct relocation {
	uint64_t offset;
	uint32_t symbol, type;
	int64_t addend;
	bool has_addend;             /* otherwise the word itself is the addend */
};

static unsigned word_width(const struct elf_file *file, uint32_t type)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].machine == file->machine && words[i].type == type)
			return words[i].width;
	return 0;
}

bool elf_knows_relocations(const struct elf_file *file)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].machine == file->machine)
			return true;
	return false;
}

static const struct elf_section *relocations_of(const struct elf_file *file,
						const struct elf_section *section, size_t *from)
{
	size_t index = (size_t)(section - file->sections);

	for (; *from < file->section_count; (*from)++) {
		const struct elf_section *candidate = &file->sections[*from];

		if ((candidate->type == SHT_RELA || candidate->type == SHT_REL) &&
		    candidate->info == index && elf_section_has_bytes(candidate))
			return &file->sections[(*from)++];
	}
	return NULL;
}

bool elf_file_needs_relocation(const struct elf_file *file, const struct elf_section *section)
{
	size_t from = 0;

	return file->type == ET_REL && relocations_of(file, section, &from) != NULL;
}

static struct relocation read_relocation(struct reader *reader, bool wide, bool has_addend)
{
	struct relocation relocation = { .has_addend = has_addend };

	if (wide) {
		uint64_t info;

		relocation.offset = reader_u64(reader);
		info = reader_u64(reader);
		relocation.symbol = (uint32_t)(info >> 32);
		relocation.type = (uint32_t)info;
		relocation.addend = has_addend ? (int64_t)reader_u64(reader) : 0;
	} else {
		uint32_t info;

		relocation.offset = reader_u32(reader);
		info = reader_u32(reader);
		relocation.symbol = info >> 8;
		relocation.type = info & 0xff;
		relocation.addend = has_addend ? (int32_t)reader_u32(reader) : 0;
	}
	return relocation;
}

static uint64_t load_word(const uint8_t *at, unsigned width, bool big_endian)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < width; i++)
		value |= (uint64_t)at[big_endian ? width - 1 - i : i] << (8 * i);
	return value;
}

static void store_word(uint8_t *at, unsigned width, bool big_endian, uint64_t value)
{
	for (unsigned i = 0; i < width; i++)
		at[big_endian ? width - 1 - i : i] = (uint8_t)(value >> (8 * i));
}

static void apply(const struct elf_file *file, const struct relocation *relocation,
		  const struct elf_symbols *symbols, uint8_t *bytes, size_t size)
{
	unsigned width = word_width(file, relocation->type);
	bool big_endian = file->whole.big_endian;
	uint64_t value;

	if (width == 0 || width > size || relocation->offset > size - width)
		return;
	value = elf_symbols_value(file, symbols, relocation->symbol);
	value += relocation->has_addend ? (uint64_t)relocation->addend :
		 load_word(bytes + relocation->offset, width, big_endian);
	store_word(bytes + relocation->offset, width, big_endian, value);
}

void elf_file_relocate(const struct elf_file *file, const struct elf_section *section,
		       uint8_t *bytes, size_t size)
{
	const struct elf_section *table;
	size_t from = 0, left = file->whole.size;

	while ((table = relocations_of(file, section, &from)) != NULL) {
		bool has_addend = table->type == SHT_RELA;
		struct text raw = elf_section_raw(file, table);
		struct reader reader = reader_over("relocations", raw.bytes, raw.size);
		size_t stride = has_addend ? (file->wide ? RELA_BYTES_64 : RELA_BYTES_32)
					   : (file->wide ? REL_BYTES_64 : REL_BYTES_32);
		struct elf_symbols symbols = elf_file_symbols_in(file, table->link);

		/* Tables do not overlap: together they are no larger than the file. */
		if (raw.size > left)
			return;
		left -= raw.size;
		reader.big_endian = file->whole.big_endian;
		while (reader_left(&reader) >= stride) {
			struct relocation relocation = read_relocation(&reader, file->wide,
								       has_addend);

			apply(file, &relocation, &symbols, bytes, size);
		}
	}
}
