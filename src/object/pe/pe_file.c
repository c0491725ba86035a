/* pe_file.c -- DOS stub, COFF header, optional header, section table. */
#include "object/pe/pe_file.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/err.h"
#include "base/limits.h"

#define DOS_MAGIC          0x5a4du           /* "MZ" */
#define DOS_NEW_HEADER     0x3cu
#define PE_MAGIC           0x00004550u       /* "PE\0\0" */
#define OPTIONAL_MAGIC_32  0x10bu
#define OPTIONAL_MAGIC_64  0x20bu
#define SECTION_NAME_BYTES 8u
#define SECTION_BYTES      40u
#define SYMBOL_BYTES       18u
#define LONG_NAME_DIGITS   6u                /* "//" and base 64 */

/* --- Headers ------------------------------------------------------------------------- */

static int read_optional_header(struct pe_file *file, struct reader *header, struct err *err)
{
	uint16_t magic = reader_u16(header);
	uint32_t count;

	if (!header->failed && magic != OPTIONAL_MAGIC_32 && magic != OPTIONAL_MAGIC_64)
		return err_set(err, ERR_MALFORMED, "optional header of unknown kind 0x%x", magic);
	file->wide = magic == OPTIONAL_MAGIC_64;
	reader_skip(header, 22);                     /* linker version .. base of code */
	if (!file->wide)
		reader_skip(header, 4);              /* base of data */
	file->image_base = file->wide ? reader_u64(header) : reader_u32(header);
	reader_skip(header, 24);                     /* alignments and versions */
	file->image_bytes = reader_u32(header);
	file->header_bytes = reader_u32(header);
	reader_skip(header, 8 + (file->wide ? 32 : 16) + 4);  /* checksum .. loader flags */
	count = reader_u32(header);
	if (reader_check(header, err) < 0)
		return -1;
	/* Some linkers say more directories than they write. */
	for (uint32_t i = 0; i < count && i < PE_DIRECTORIES && reader_left(header) >= 8; i++) {
		file->directories[i].address = reader_u32(header);
		file->directories[i].size = reader_u32(header);
	}
	return 0;
}

/* The string table stands behind the symbols; its size counts itself. */
static void find_symbols(struct pe_file *file, uint32_t offset, uint32_t count)
{
	uint64_t bytes = (uint64_t)count * SYMBOL_BYTES;
	struct reader symbols, strings;
	uint32_t string_bytes;

	file->symbols = file->strings = TEXT_NONE;
	if (offset == 0)
		return;
	symbols = reader_window(&file->whole, "COFF symbols", offset, bytes);
	if (symbols.failed)
		return;
	file->symbols = (struct text){ (const char *)symbols.bytes, symbols.size };
	strings = reader_window(&file->whole, "COFF strings", offset + bytes, 4);
	string_bytes = reader_u32(&strings);
	strings = reader_window(&file->whole, "COFF strings", offset + bytes, string_bytes);
	if (!strings.failed && string_bytes >= 4)
		file->strings = (struct text){ (const char *)strings.bytes, strings.size };
}

/* --- Sections ------------------------------------------------------------------------ */

/* "/123" (decimal), or "//AAAAAA" where that does not reach (base 64): a place in the string
 * table. */
static bool long_name_place(struct text name, uint64_t *place)
{
	if (!text_starts_with(name, "//"))
		return text_starts_with(name, "/") &&
		       text_to_u64((struct text){ name.bytes + 1, name.size - 1 }, 10, place);
	*place = 0;
	for (size_t i = 2; i < name.size; i++) {
		int value = base64_value(name.bytes[i]);

		if (value < 0)
			return false;
		*place = *place << LONG_NAME_DIGITS | (unsigned)value;
	}
	return true;
}

static struct text section_name(const struct pe_file *file, const uint8_t *bytes)
{
	struct text name = { (const char *)bytes,
			     strnlen((const char *)bytes, SECTION_NAME_BYTES) };
	struct reader strings = reader_over("COFF strings", file->strings.bytes,
					    file->strings.size);
	struct text long_name;
	uint64_t place;

	if (!long_name_place(name, &place))
		return name;
	reader_seek(&strings, place);
	long_name = reader_string(&strings);
	return strings.failed ? name : long_name;
}

static int read_sections(struct pe_file *file, struct reader table, size_t count,
			 struct arena *arena, struct err *err)
{
	file->sections = arena_alloc(arena, count + 1, sizeof(*file->sections));
	if (!file->sections)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu sections", count);
	for (size_t i = 0; i < count; i++) {
		struct pe_section *section = &file->sections[i];
		const uint8_t *name = reader_take(&table, SECTION_NAME_BYTES);

		section->size = reader_u32(&table);
		section->address = reader_u32(&table);
		section->file_bytes = reader_u32(&table);
		section->offset = reader_u32(&table);
		reader_skip(&table, 12);             /* relocations and line numbers */
		section->flags = reader_u32(&table);
		if (name && !table.failed)
			section->name = section_name(file, name);
		if (section->offset == 0)
			section->file_bytes = 0;
	}
	file->section_count = count;
	return reader_check(&table, err);
}

static int read_headers(struct pe_file *file, struct arena *arena, struct err *err)
{
	struct reader *whole = &file->whole, optional, table;
	uint32_t symbols, symbol_count;
	uint16_t sections, optional_bytes;

	if (reader_u16(whole) != DOS_MAGIC)
		return err_set(err, ERR_MALFORMED, "no MZ header");
	reader_seek(whole, DOS_NEW_HEADER);
	reader_seek(whole, reader_u32(whole));
	if (reader_u32(whole) != PE_MAGIC)
		return err_set(err, ERR_MALFORMED, "no PE header");
	file->machine = reader_u16(whole);
	sections = reader_u16(whole);
	file->stamp = reader_u32(whole);
	symbols = reader_u32(whole);
	symbol_count = reader_u32(whole);
	optional_bytes = reader_u16(whole);
	file->characteristics = reader_u16(whole);
	optional = reader_part(whole, "optional header", optional_bytes);
	table = reader_part(whole, "section table", (uint64_t)sections * SECTION_BYTES);
	if (reader_check(whole, err) < 0 || read_optional_header(file, &optional, err) < 0)
		return -1;
	find_symbols(file, symbols, symbol_count);
	return read_sections(file, table, sections, arena, err);
}

int pe_file_read(struct pe_file *file, const void *bytes, size_t size, struct arena *arena,
		 struct err *err)
{
	*file = (struct pe_file){ .whole = reader_over("PE header", bytes, size) };
	if (read_headers(file, arena, err) < 0)
		return err_while(err, "invalid PE file");
	file->whole.name = "PE file";
	pe_read_debug_directory(file);
	return 0;
}
