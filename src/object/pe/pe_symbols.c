/* pe_symbols.c -- the COFF symbol table (MinGW leaves it in) and the export directory. */
#include "object/pe/pe_file.h"

#define SYMBOL_BYTES       18u
#define SHORT_NAME_BYTES   8u
#define CLASS_EXTERNAL     2u
#define TYPE_FUNCTION      0x20u             /* in the high half of the type */
#define TYPE_DERIVED_MASK  0x30u

/* --- COFF ---------------------------------------------------------------------------- */

struct coff_symbol {
	const uint8_t *name;         /* 8 bytes */
	uint32_t value;
	int section;                 /* from 1 */
	uint16_t type;
	uint8_t class, auxiliary;
};

static size_t coff_count(const struct pe_file *file)
{
	return file->symbols.size / SYMBOL_BYTES;
}

static struct coff_symbol coff_symbol(const struct pe_file *file, uint32_t index)
{
	struct reader reader = reader_over("COFF symbols", file->symbols.bytes,
					   file->symbols.size);
	struct coff_symbol symbol;

	reader_seek(&reader, (uint64_t)index * SYMBOL_BYTES);
	symbol.name = reader_take(&reader, SHORT_NAME_BYTES);
	symbol.value = reader_u32(&reader);
	symbol.section = (int16_t)reader_u16(&reader);
	symbol.type = reader_u16(&reader);
	symbol.class = reader_u8(&reader);
	symbol.auxiliary = reader_u8(&reader);
	return symbol;
}

static bool coff_names_code(const struct pe_file *file, const struct coff_symbol *symbol,
			    uint32_t *address)
{
	const struct pe_section *section;

	if (symbol->section < 1 || (size_t)symbol->section > file->section_count)
		return false;
	if ((symbol->type & TYPE_DERIVED_MASK) != TYPE_FUNCTION && symbol->class != CLASS_EXTERNAL)
		return false;
	section = &file->sections[symbol->section - 1];
	*address = section->address + symbol->value;
	return pe_section_is_code(section) && symbol->value < section->size;
}

static void coff_each(const struct pe_file *file, pe_symbol_fn *fn, void *payload)
{
	size_t count = coff_count(file);

	for (size_t i = 0; i < count; i++) {
		struct coff_symbol symbol = coff_symbol(file, (uint32_t)i);
		uint32_t address;

		if (coff_names_code(file, &symbol, &address))
			fn(payload, address, PE_TABLE_COFF, (uint32_t)i);
		i += symbol.auxiliary;
	}
}

/* Eight bytes, or four zeros and a place in the string table. */
static struct text coff_name(const struct pe_file *file, uint32_t index)
{
	struct coff_symbol symbol = coff_symbol(file, index);
	struct reader head = reader_over("symbol name", symbol.name,
					 symbol.name ? SHORT_NAME_BYTES : 0);
	struct reader strings = reader_over("COFF strings", file->strings.bytes,
					    file->strings.size);

	if (!symbol.name)
		return TEXT_NONE;
	if (reader_u32(&head) != 0)
		return (struct text){ (const char *)symbol.name,
				      strnlen((const char *)symbol.name, SHORT_NAME_BYTES) };
	reader_seek(&strings, reader_u32(&head));
	return reader_string(&strings);
}

/* --- Exports ------------------------------------------------------------------------- */

struct exports {
	struct reader functions, names, ordinals;
};

static struct reader table_at(const struct pe_file *file, const char *name, uint32_t address,
			      uint32_t count, unsigned width)
{
	struct text bytes = pe_file_at(file, address);
	size_t most = bytes.size / width * width;
	uint64_t want = (uint64_t)count * width;

	return reader_over(name, bytes.bytes, want < most ? (size_t)want : most);
}

static struct exports find_exports(const struct pe_file *file)
{
	struct pe_range range = file->directories[PE_DIRECTORY_EXPORT];
	struct text bytes = range.address ? pe_file_at(file, range.address) : TEXT_NONE;
	struct reader directory = reader_over("export directory", bytes.bytes, bytes.size);
	uint32_t function_count, name_count, functions, names, ordinals;

	reader_skip(&directory, 20);                 /* flags .. ordinal base */
	function_count = reader_u32(&directory);
	name_count = reader_u32(&directory);
	functions = reader_u32(&directory);
	names = reader_u32(&directory);
	ordinals = reader_u32(&directory);
	if (directory.failed)
		function_count = name_count = 0;
	return (struct exports){
		table_at(file, "exported addresses", functions, function_count, 4),
		table_at(file, "exported names", names, name_count, 4),
		table_at(file, "export ordinals", ordinals, name_count, 2),
	};
}

/* Inside the directory itself stands the name of another library's function. */
static bool is_forwarded(const struct pe_file *file, uint32_t address)
{
	struct pe_range range = file->directories[PE_DIRECTORY_EXPORT];

	return address >= range.address && address - range.address < range.size;
}

static void exports_each(const struct pe_file *file, pe_symbol_fn *fn, void *payload)
{
	struct exports exports = find_exports(file);
	size_t count = exports.names.size / 4;

	if (exports.ordinals.size / 2 < count)
		count = exports.ordinals.size / 2;
	for (size_t i = 0; i < count; i++) {
		const struct pe_section *section;
		struct reader functions = exports.functions;
		uint32_t address;

		reader_seek(&functions, (uint64_t)reader_u16(&exports.ordinals) * 4);
		address = reader_u32(&functions);
		if (functions.failed || address == 0 || is_forwarded(file, address))
			continue;
		section = pe_file_section_at(file, address);
		if (section && pe_section_is_code(section))
			fn(payload, address, PE_TABLE_EXPORT, (uint32_t)i);
	}
}

static struct text export_name(const struct pe_file *file, uint32_t index)
{
	struct exports exports = find_exports(file);
	struct text bytes;
	struct reader reader;

	reader_seek(&exports.names, (uint64_t)index * 4);
	bytes = pe_file_at(file, reader_u32(&exports.names));
	reader = reader_over("export name", bytes.bytes, bytes.size);
	return reader_string(&reader);
}

/* --- Both ---------------------------------------------------------------------------- */

void pe_symbols_each(const struct pe_file *file, pe_symbol_fn *fn, void *payload)
{
	coff_each(file, fn, payload);
	exports_each(file, fn, payload);
}

struct text pe_symbols_name(const struct pe_file *file, enum pe_symbol_table table,
			    uint32_t index)
{
	return table == PE_TABLE_COFF ? coff_name(file, index) : export_name(file, index);
}

static void note_one(void *payload, uint32_t address, enum pe_symbol_table table, uint32_t index)
{
	(void)address;
	(void)table;
	(void)index;
	*(bool *)payload = true;
}

bool pe_symbols_any(const struct pe_file *file)
{
	bool any = find_exports(file).names.size > 0;

	if (!any)
		coff_each(file, note_one, &any);
	return any;
}
