/* pe.c -- the PE format: Windows programs and libraries, with DWARF where MinGW made them. */
#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "object/dwarf/dwarf_object.h"
#include "object/pe/pe_file.h"

#define FILE_IS_LIBRARY   0x2000u
#define NEW_HEADER_PLACE  0x3cu

struct pe {
	struct pe_file file;
	struct unpack_memory capacity;
	struct symbols symbols;
	struct dwarf_symbols dwarf_symbols;
	bool prepared;
};

static bool pe_probe(const uint8_t *head, size_t size)
{
	struct reader reader = reader_over("magic", head, size);
	bool has_mz = reader_u8(&reader) == 'M' && reader_u8(&reader) == 'Z';
	const uint8_t *magic;

	reader_seek(&reader, NEW_HEADER_PLACE);
	reader_seek(&reader, reader_u32(&reader));
	magic = reader_take(&reader, 4);
	return has_mz && magic && memcmp(magic, "PE\0\0", 4) == 0;
}

static enum object_kind kind_of(const struct pe_file *file)
{
	if (pe_file_is_debug_only(file))
		return OBJECT_KIND_DEBUG;
	if (file->characteristics & FILE_IS_LIBRARY)
		return OBJECT_KIND_LIBRARY;
	return pe_file_is_packed(file) ? OBJECT_KIND_OTHER : OBJECT_KIND_EXECUTABLE;
}

static unsigned offers_of(const struct pe_file *file)
{
	struct pe_range exceptions = file->directories[PE_DIRECTORY_EXCEPTION];
	unsigned offers = pe_symbols_any(file) ? OBJECT_OFFERS_SYMBOLS : 0;

	if (pe_file_section(file, ".debug_info"))
		offers |= OBJECT_OFFERS_DEBUG;
	if (exceptions.address > 0 && exceptions.size > 0 && !pe_file_is_packed(file) &&
	    pe_file_at(file, exceptions.address).size > 0)
		offers |= OBJECT_OFFERS_UNWIND;
	return offers;
}

static int pe_open(struct object *object, struct arena *arena, struct err *err)
{
	struct pe *pe = arena_alloc(arena, 1, sizeof(*pe));
	char *code_id;

	if (!pe)
		return err_set(err, ERR_NO_MEMORY, "no memory for its headers");
	unpack_memory_init(&pe->capacity, arena, LIMIT_UNPACKED_BYTES);
	object->state = pe;
	if (pe_file_read(&pe->file, object->bytes, object->size, arena, err) < 0)
		return -1;
	code_id = arena_printf(arena, "%08x%x", pe->file.stamp, pe->file.image_bytes);
	if (!code_id)
		return err_set(err, ERR_NO_MEMORY, "no memory for the code id");
	object->code_id = text_of(code_id);
	object->debug_id = pe->file.debug_id;
	object->debug_file = pe->file.debug_file;
	object->arch = pe_arch(pe->file.machine);
	object->kind = kind_of(&pe->file);
	object->load_address = pe->file.image_base;
	object->offers = offers_of(&pe->file);
	object->undecorates = true;
	return 0;
}

static void count_symbol(void *payload, uint32_t address, enum pe_symbol_table table,
			 uint32_t index)
{
	(void)address;
	(void)table;
	(void)index;
	(*(size_t *)payload)++;
}

static void gather_symbol(void *payload, uint32_t address, enum pe_symbol_table table,
			  uint32_t index)
{
	symbols_add(payload, address, 0, table, index);
}

static int read_symbols(struct pe *pe, struct arena *arena, struct err *err)
{
	size_t count = 0;

	pe_symbols_each(&pe->file, count_symbol, &count);
	if (symbols_reserve(&pe->symbols, count, arena, err) < 0)
		return -1;
	pe_symbols_each(&pe->file, gather_symbol, &pe->symbols);
	return symbols_settle(&pe->symbols, arena, err);
}

static struct text name_of(const void *payload, const struct symbol_record *record)
{
	const struct pe *pe = payload;

	return pe_symbols_name(&pe->file, symbol_table(record), symbol_index(record));
}

/* Unrelocated; linkers leave what they discarded below it. */
static uint64_t lowest_code(const struct pe_file *file)
{
	uint64_t lowest = 0;

	for (size_t i = 0; i < file->section_count; i++) {
		const struct pe_section *section = &file->sections[i];
		uint64_t address = file->image_base + section->address;

		if (pe_section_is_code(section) && (lowest == 0 || address < lowest))
			lowest = address;
	}
	return lowest;
}

static int open_dwarf(struct object *object, struct pe *pe, struct err *err)
{
	struct dwarf_input input = {
		.load_address = pe->file.image_base,
		.lowest_code = lowest_code(&pe->file),
	};

	for (unsigned i = 0; i < DWARF_SECTIONS; i++)
		if (pe_file_load(&pe->file, dwarf_section_name((enum dwarf_section)i), &pe->capacity,
				 &input.main.section[i], err) < 0)
			return -1;
	pe->dwarf_symbols = (struct dwarf_symbols){
		.symbols = &pe->symbols, .base = pe->file.image_base, .name = name_of, .payload = pe,
	};
	dwarf_input_set_symbols(&input, &pe->dwarf_symbols);
	return dwarf_object_open(object, &input, &object->dwarf, err);
}

static int pe_prepare(struct object *object, struct err *err)
{
	struct pe *pe = object->state;

	if (pe->prepared)
		return 0;
	pe->prepared = true;
	if (read_symbols(pe, object->arena, err) < 0)
		return -1;
	return object->offers & OBJECT_OFFERS_DEBUG ? open_dwarf(object, pe, err) : 0;
}

static int pe_each_symbol(const struct object *object, object_symbol_fn *fn, void *payload,
			  struct err *err)
{
	const struct pe *pe = object->state;

	(void)err;
	for (size_t i = 0; i < pe->symbols.count; i++) {
		const struct symbol_record *record = &pe->symbols.records[i];
		struct object_symbol symbol = { .address = record->address,
						.name = name_of(pe, record) };

		if (symbol.name.size > 0 && fn(payload, &symbol))
			break;
	}
	return 0;
}

static int pe_each_method(const struct object *object, struct arena *scratch,
			  const struct object_managed_sink *sink,
			  struct object_managed_report *report, struct err *err)
{
	return pe_managed_methods(&((const struct pe *)object->state)->file, scratch, sink, report,
				  err);
}

static int pe_each_source(const struct object *object, struct arena *scratch,
			  const struct object_source_sink *sink, struct err *err)
{
	return pe_managed_sources(&((const struct pe *)object->state)->file, scratch, sink, err);
}

static int pe_each_unwind(struct object *object, const struct object_unwind_sink *sink,
			  struct err *err)
{
	struct pe *pe = object->state;

	return pe_file_each_unwind(&pe->file, &pe->capacity, sink, err);
}

static struct text pe_image_at(const struct object *object, uint64_t address)
{
	const struct pe *pe = object->state;

	return address <= UINT32_MAX ? pe_file_at(&pe->file, (uint32_t)address) : TEXT_NONE;
}

static void pe_release(struct object *object)
{
	unpack_memory_release(&((struct pe *)object->state)->capacity);
}

const struct object_format object_format_pe = {
	.name = "pe",
	.probe_bytes = 2,
	.probe = pe_probe,
	.open = pe_open,
	.prepare = pe_prepare,
	.unit_count = dwarf_object_unit_count,
	.read_unit = dwarf_object_read_unit,
	.unit_name = dwarf_object_unit_name,
	.each_symbol = pe_each_symbol,
	.each_method = pe_each_method,
	.each_source = pe_each_source,
	.each_unwind = pe_each_unwind,
	.image_at = pe_image_at,
	.release = pe_release,
};
