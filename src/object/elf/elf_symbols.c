/* elf_symbols.c -- .symtab and .dynsym: the functions in them. */
#include "object/elf/elf_file.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/search.h"

#define SEGMENTS_LOOKED_AT 1024u     /* for each symbol: no program has as many */

struct elf_symbol_entry {
	uint32_t name;
	uint8_t type, binding;
	uint32_t section;            /* SHN_XINDEX resolved; SHN_UNDEF, SHN_ABS... as they are */
	bool reserved;               /* `section` is one of the special numbers */
	uint64_t value, size;
};

static size_t entry_bytes(const struct elf_file *file)
{
	return file->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

static struct text wide_indexes(const struct elf_file *file, size_t symtab)
{
	for (size_t i = 0; i < file->section_count; i++)
		if (file->sections[i].type == SHT_SYMTAB_SHNDX && file->sections[i].link == symtab)
			return elf_section_raw(file, &file->sections[i]);
	return TEXT_NONE;
}

struct elf_symbols elf_file_symbols_in(const struct elf_file *file, uint32_t index)
{
	struct elf_symbols symbols = { .count = 0 };
	const struct elf_section *section;

	if (index >= file->section_count)
		return symbols;
	section = &file->sections[index];
	symbols.entries = elf_section_raw(file, section);
	symbols.count = symbols.entries.size / entry_bytes(file);
	if (section->link < file->section_count)
		symbols.strings = elf_section_raw(file, &file->sections[section->link]);
	symbols.wide_indexes = wide_indexes(file, index);
	return symbols;
}

/* A table with nothing but its null entry is an empty one. */
static struct elf_symbols table_of_type(const struct elf_file *file, uint32_t type)
{
	for (size_t i = 0; i < file->section_count; i++) {
		struct elf_symbols symbols;

		if (file->sections[i].type != type || !elf_section_has_bytes(&file->sections[i]))
			continue;
		symbols = elf_file_symbols_in(file, (uint32_t)i);
		if (symbols.count > 1)
			return symbols;
	}
	return (struct elf_symbols){ .count = 0 };
}

struct elf_symbols elf_file_symtab(const struct elf_file *file)
{
	return table_of_type(file, SHT_SYMTAB);
}

struct elf_symbols elf_file_dynsym(const struct elf_file *file)
{
	struct elf_symbols symbols = table_of_type(file, SHT_DYNSYM);

	return symbols.count > 0 ? symbols : elf_file_dynamic_symbols(file);
}

static struct elf_symbol_entry read_entry(const struct elf_file *file,
					  const struct elf_symbols *symbols,
					  uint32_t index)
{
	struct reader reader = reader_over("symbols", symbols->entries.bytes,
					   symbols->entries.size);
	struct elf_symbol_entry entry;
	uint8_t info;

	reader.big_endian = file->whole.big_endian;
	reader_seek(&reader, (uint64_t)index * entry_bytes(file));
	entry.name = reader_u32(&reader);
	if (file->wide) {
		info = reader_u8(&reader);
		(void)reader_u8(&reader);            /* st_other */
		entry.section = reader_u16(&reader);
		entry.value = reader_u64(&reader);
		entry.size = reader_u64(&reader);
	} else {
		entry.value = reader_u32(&reader);
		entry.size = reader_u32(&reader);
		info = reader_u8(&reader);
		(void)reader_u8(&reader);
		entry.section = reader_u16(&reader);
	}
	entry.type = info & 0xf;
	entry.binding = info >> 4;
	entry.reserved = entry.section >= SHN_LORESERVE;
	if (entry.section == SHN_XINDEX) {
		reader = reader_over(".symtab_shndx", symbols->wide_indexes.bytes,
				     symbols->wide_indexes.size);
		reader.big_endian = file->whole.big_endian;
		reader_seek(&reader, (uint64_t)index * 4);
		entry.section = reader_u32(&reader);
		entry.reserved = reader.failed;
	}
	return entry;
}

static bool is_executable_address(const struct elf_file *file, uint64_t address)
{
	for (size_t i = 0; i < file->segment_count && i < SEGMENTS_LOOKED_AT; i++) {
		const struct elf_segment *segment = &file->segments[i];

		if (segment->type == PT_LOAD && (segment->flags & PF_X) &&
		    address - segment->address < segment->memory_bytes)
			return true;
	}
	return false;
}

static bool is_code(const struct elf_file *file, const struct elf_symbol_entry *entry)
{
	if (entry->section == SHN_UNDEF || entry->reserved)
		return false;
	if (file->section_count == 0)
		return is_executable_address(file, entry->value);
	return entry->section < file->section_count &&
	       (file->sections[entry->section].flags & SHF_EXECINSTR);
}

static uint64_t value_of(const struct elf_file *file, const struct elf_symbol_entry *entry)
{
	if (!file->is_laid_out || !is_code(file, entry))
		return entry->value;
	return entry->value + file->sections[entry->section].laid_at;
}

uint64_t elf_symbols_value(const struct elf_file *file, const struct elf_symbols *symbols,
			   uint32_t index)
{
	struct elf_symbol_entry entry = read_entry(file, symbols, index);

	return value_of(file, &entry);
}

struct text elf_symbols_name(const struct elf_file *file, const struct elf_symbols *symbols,
			     uint32_t index)
{
	struct reader strings = reader_over("symbol names", symbols->strings.bytes,
					    symbols->strings.size);

	reader_seek(&strings, read_entry(file, symbols, index).name);
	return reader_string(&strings);
}

/* ARM and AArch64 mark where code and data begin: "$a", "$t.2", "$d", "$x" (AAELF32 §5.5.5).
 * Old assemblers gave them function type. */
static bool is_mapping_symbol(const struct elf_file *file, const struct elf_symbols *symbols,
			      const struct elf_symbol_entry *entry)
{
	const char *name;

	if (file->machine != EM_ARM && file->machine != EM_AARCH64)
		return false;
	if (entry->name >= symbols->strings.size || symbols->strings.size - entry->name < 3)
		return false;
	name = symbols->strings.bytes + entry->name;
	return name[0] == '$' && memchr("adtx", name[1], 4) && (name[2] == '\0' || name[2] == '.');
}

/* In relocatable files a symbol's value is the offset (gABI, "Symbol Values"). */
static uint64_t offset_in(const struct elf_file *file, const struct elf_section *section,
			  const struct elf_symbol_entry *entry)
{
	return file->type == ET_REL ? entry->value : entry->value - section->address;
}

/* Functions; and of assembler sources what has no type but a size (the kernel's paranoid_entry), or
 * is exported, where it is not the linker's name for a section's end (etext).  Other labels are
 * places inside functions. */
static bool names_code(const struct elf_file *file, const struct elf_symbol_entry *entry)
{
	const struct elf_section *section;

	if (entry->name == 0 || !is_code(file, entry))
		return false;
	if (entry->type == STT_FUNC || entry->type == STT_GNU_IFUNC)
		return true;
	if (entry->type != STT_NOTYPE || (entry->binding == STB_LOCAL && !entry->size))
		return false;
	if (file->section_count == 0)
		return true;
	section = &file->sections[entry->section];
	return offset_in(file, section, entry) < section->size;
}

/* The low bit of a function's address says Thumb, or MIPS16 and microMIPS. */
static uint64_t code_address(const struct elf_file *file, uint64_t value)
{
	return file->machine == EM_ARM || file->machine == EM_MIPS ? value & ~(uint64_t)1 : value;
}

void elf_symbols_each(const struct elf_file *file, const struct elf_symbols *symbols,
		      elf_symbol_fn *fn, void *payload)
{
	for (size_t i = 1; i < symbols->count && i <= UINT32_MAX; i++) {
		struct elf_symbol_entry entry = read_entry(file, symbols, (uint32_t)i);
		uint64_t address;

		if (!names_code(file, &entry) || is_mapping_symbol(file, symbols, &entry))
			continue;
		address = code_address(file, value_of(file, &entry));
		if (address >= file->load_address)
			fn(payload, address - file->load_address, entry.size, (uint32_t)i);
	}
}

int elf_symbols_files(const struct elf_file *file, const struct elf_symbols *symbols,
		      struct arena *arena, const uint32_t **files, size_t *count, struct err *err)
{
	uint32_t *found = NULL;

	*count = 0;
	for (unsigned pass = 0; pass < 2; pass++) {
		size_t at = 0;

		for (size_t i = 1; i < symbols->count && i <= UINT32_MAX; i++) {
			if (read_entry(file, symbols, (uint32_t)i).type != STT_FILE)
				continue;
			if (pass == 1)
				found[at] = (uint32_t)i;
			at++;
		}
		if (pass == 0 && at > 0) {
			found = arena_alloc_raw(arena, at, sizeof(*found));
			if (!found)
				return err_set(err, ERR_NO_MEMORY, "no memory for file symbols");
		}
		*count = at;
		if (at == 0)
			break;
	}
	*files = found;
	return 0;
}

struct text elf_symbols_file(const struct elf_file *file, const struct elf_symbols *symbols,
			     const uint32_t *files, size_t count, uint32_t index)
{
	size_t below;

	if (count == 0 || read_entry(file, symbols, index).binding != STB_LOCAL)
		return TEXT_NONE;
	SEARCH_PARTITION_POINT(below, 0, count, files[below] < index);
	return below > 0 ? elf_symbols_name(file, symbols, files[below - 1]) : TEXT_NONE;
}
