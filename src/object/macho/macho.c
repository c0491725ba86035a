/* macho.c -- the Mach-O format: thin files, dSYMs, and slices of fat ones. */
#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "object/dwarf/dwarf_object.h"
#include "object/macho/macho_file.h"
#include "object/macho/macho_hidden.h"

#define FAT_MAGIC        0xcafebabeu     /* big endian, always */
#define FAT_MAGIC_64     0xcafebabfu
#define FAT_HEADER_BYTES 8u
#define FAT_ARCH_BYTES    20u
#define FAT_ARCH_BYTES_64 32u
#define TYPE_RELOCATABLE 1u

struct macho {
	struct macho_file file;
	struct unpack_memory capacity;
	struct symbols symbols;
	struct dwarf_symbols dwarf_symbols;
	struct macho_hidden hidden;      /* count 0: no map was attached */
	bool prepared;
};

/* --- Fat files ----------------------------------------------------------------------- */

struct fat {
	bool wide;
	uint32_t count;
};

/* Java class files begin with the same bytes; their version number stands where we have the
 * count, and is 45 or more. */
static bool is_fat(const uint8_t *bytes, size_t size, struct fat *fat)
{
	struct reader reader = reader_over("fat header", bytes, size);
	uint32_t magic;

	reader.big_endian = true;
	magic = reader_u32(&reader);
	fat->count = reader_u32(&reader);
	fat->wide = magic == FAT_MAGIC_64;
	return !reader.failed && (magic == FAT_MAGIC || fat->wide) &&
	       fat->count < LIMIT_FAT_SLICES;
}

static size_t macho_slice_count(const uint8_t *bytes, size_t size)
{
	struct fat fat;

	return is_fat(bytes, size, &fat) ? fat.count : 1;
}

static int macho_slice(const uint8_t *bytes, size_t size, size_t index, struct text *slice,
		       struct err *err)
{
	struct reader reader = reader_over("fat header", bytes, size), window;
	uint64_t at, slice_size;
	struct fat fat;

	*slice = (struct text){ (const char *)bytes, size };
	if (!is_fat(bytes, size, &fat)) {
		fat.count = 1;
		if (index == 0)
			return 0;
	}
	if (index >= fat.count)
		return err_set(err, ERR_NOT_FOUND, "the file holds %u objects, not %zu", fat.count,
			       index + 1);
	reader.big_endian = true;
	reader_seek(&reader, FAT_HEADER_BYTES +
			     index * (fat.wide ? FAT_ARCH_BYTES_64 : FAT_ARCH_BYTES));
	reader_skip(&reader, 8);                     /* cputype, cpusubtype */
	at = fat.wide ? reader_u64(&reader) : reader_u32(&reader);
	slice_size = fat.wide ? reader_u64(&reader) : reader_u32(&reader);
	if (reader_check(&reader, err) < 0)
		return -1;
	window = reader_window(&reader, "slice", at, slice_size);
	if (window.failed)
		return err_set(err, ERR_MALFORMED, "slice %zu of %u lies outside the file",
			       index + 1, fat.count);
	*slice = (struct text){ (const char *)window.bytes, window.size };
	return 0;
}

/* --- Thin files ---------------------------------------------------------------------- */

static bool macho_probe(const uint8_t *head, size_t size)
{
	struct reader reader = reader_over("magic", head, size);
	uint32_t magic = reader_u32(&reader);
	struct fat fat;

	return magic == MACHO_MAGIC_32 || magic == MACHO_MAGIC_64 || magic == MACHO_CIGAM_32 ||
	       magic == MACHO_CIGAM_64 || is_fat(head, size, &fat);
}

static unsigned offers_of(const struct macho_file *file)
{
	unsigned offers = file->has_symbols ? OBJECT_OFFERS_SYMBOLS : 0;

	if (macho_file_section(file, ".debug_info"))
		offers |= OBJECT_OFFERS_DEBUG;
	if (macho_file_section(file, ".eh_frame") || macho_file_section(file, ".debug_frame") ||
	    macho_file_section(file, ".unwind_info"))
		offers |= OBJECT_OFFERS_UNWIND;
	return offers;
}

static int set_ids(struct object *object, const uint8_t *uuid, struct err *err)
{
	char *hex;

	if (!uuid)
		return 0;
	object->debug_id = debugid_from_uuid(uuid, 0);
	hex = arena_alloc(object->arena, 2 * DEBUGID_UUID_BYTES + 1, 1);
	if (!hex)
		return err_set(err, ERR_NO_MEMORY, "no memory for the code id");
	hex_format(uuid, DEBUGID_UUID_BYTES, hex);
	object->code_id = (struct text){ hex, 2 * (size_t)DEBUGID_UUID_BYTES };
	return 0;
}

/* The map is kept under the id the program had before Apple built it again: whoever looks
 * for it starts with ours. */
static int set_wants(struct object *object, const struct macho_file *file, struct err *err)
{
	struct object_want *want;

	if (!file->uuid || !macho_hidden_has(file))
		return 0;
	want = arena_alloc(object->arena, 1, sizeof(*want));
	if (!want)
		return err_set(err, ERR_NO_MEMORY, "no memory for what it wants");
	want->role = OBJECT_ROLE_BCSYMBOLMAP;
	want->id = object->code_id;
	object->wants = want;
	object->want_count = 1;
	return 0;
}

static int macho_open(struct object *object, struct arena *arena, struct err *err)
{
	struct macho *macho = arena_alloc(arena, 1, sizeof(*macho));
	struct fat fat;

	if (is_fat(object->bytes, object->size, &fat))
		return err_set(err, ERR_UNSUPPORTED, "a fat file of %u objects: choose one first",
			       fat.count);
	if (!macho)
		return err_set(err, ERR_NO_MEMORY, "no memory for its headers");
	unpack_memory_init(&macho->capacity, arena, unpack_most(object->size, LIMIT_UNPACKED_BYTES));
	object->state = macho;
	if (macho_file_read(&macho->file, object->bytes, object->size, arena, err) < 0)
		return -1;
	object->arch = macho_arch(macho->file.cpu, macho->file.cpu_sub);
	object->kind = macho_kind(macho->file.type);
	object->load_address = macho->file.load_address;
	object->offers = offers_of(&macho->file);
	if (set_ids(object, macho->file.uuid, err) < 0)
		return -1;
	return set_wants(object, &macho->file, err);
}

static int macho_attach(struct object *object, enum object_role role, const uint8_t *bytes,
			size_t size, struct err *err)
{
	struct macho *macho = object->state;

	if (role != OBJECT_ROLE_BCSYMBOLMAP)
		return err_set(err, ERR_UNSUPPORTED, "a Mach-O file has no use for a %s companion",
			       object_role_name(role));
	return macho_hidden_read(&macho->hidden, bytes, size, object->arena, err);
}

static void count_symbol(void *payload, uint64_t address, uint32_t index)
{
	(void)address;
	(void)index;
	(*(size_t *)payload)++;
}

static void gather_symbol(void *payload, uint64_t address, uint32_t index)
{
	symbols_add(payload, address, 0, 0, index);
}

/* Where what follows the symbol is no longer its own: a function without a symbol begins, or
 * its section ends.  The next symbol ends it anyway. */
static uint64_t end_of(const struct macho *macho, const struct symbol_record *record,
		       uint64_t next_start)
{
	const struct macho_section *section =
		macho_symbols_section(&macho->file, symbol_index(record));
	uint64_t end = section->address + section->size - macho->file.load_address;

	return next_start < end ? next_start : end;
}

static int bound_symbols(struct macho *macho, struct arena *arena, struct err *err)
{
	struct symbol_record *records = macho->symbols.records;
	size_t count = macho->symbols.count, start = 0;
	struct macho_starts starts;

	if (macho_starts_read(&macho->file, &starts, arena, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		uint64_t next = i + 1 < count ? records[i + 1].address : UINT64_MAX, end;

		while (start < starts.count && starts.addresses[start] <= records[i].address)
			start++;
		end = end_of(macho, &records[i],
			     start < starts.count ? starts.addresses[start] : UINT64_MAX);
		if (end > records[i].address && end < next && end - records[i].address < UINT32_MAX)
			records[i].size = (uint32_t)(end - records[i].address);
	}
	return 0;
}

static int read_symbols(struct macho *macho, struct arena *arena, struct err *err)
{
	size_t count = 0;

	macho_symbols_each(&macho->file, count_symbol, &count);
	if (symbols_reserve(&macho->symbols, count, arena, err) < 0)
		return -1;
	macho_symbols_each(&macho->file, gather_symbol, &macho->symbols);
	if (symbols_settle(&macho->symbols, arena, err) < 0)
		return -1;
	return bound_symbols(macho, arena, err);
}

static struct text name_of(const void *payload, const struct symbol_record *record)
{
	const struct macho *macho = payload;

	return macho_symbols_name(&macho->file, symbol_index(record));
}

static int open_dwarf(struct object *object, struct macho *macho, struct err *err)
{
	struct dwarf_input input = {
		.main.big_endian = macho->file.whole.big_endian,
		.load_address = macho->file.load_address,
		.relocatable = macho->file.type == TYPE_RELOCATABLE,
		.lowest_code = macho->file.lowest_code,
	};

	for (unsigned i = 0; i < DWARF_SECTIONS; i++)
		if (macho_file_load(&macho->file, dwarf_section_name((enum dwarf_section)i),
				    &macho->capacity, &input.main.section[i], err) < 0)
			return -1;
	macho->dwarf_symbols = (struct dwarf_symbols){
		.symbols = &macho->symbols, .base = macho->file.load_address, .name = name_of, .payload = macho,
	};
	dwarf_input_set_symbols(&input, &macho->dwarf_symbols);
	return dwarf_object_open(object, &input, &object->dwarf, err);
}

static int macho_prepare(struct object *object, struct err *err)
{
	struct macho *macho = object->state;

	if (macho->prepared)
		return 0;
	macho->prepared = true;
	if (read_symbols(macho, object->arena, err) < 0)
		return -1;
	return object->offers & OBJECT_OFFERS_DEBUG ? open_dwarf(object, macho, err) : 0;
}

static int macho_read_unit(const struct object *object, size_t unit, struct arena *scratch,
			   const struct object_sink *sink, struct err *err)
{
	const struct macho *macho = object->state;
	struct macho_restoring restoring;
	struct arena arena;
	int rc;

	if (macho->hidden.count == 0 && object->want_count == 0)
		return dwarf_read_unit(object->dwarf, unit, scratch, sink, err);
	/* One of its own: the reader may rewind the other between two functions. */
	arena_init(&arena, scratch->ceiling_bytes);
	macho_restoring_init(&restoring, &macho->hidden, sink, &arena);
	rc = dwarf_read_unit(object->dwarf, unit, scratch, &restoring.sink, err);
	arena_release(&arena);
	return rc;
}

static int macho_each_symbol(const struct object *object, object_symbol_fn *fn, void *payload,
			     struct err *err)
{
	const struct macho *macho = object->state;

	(void)err;
	for (size_t i = 0; i < macho->symbols.count; i++) {
		const struct symbol_record *record = &macho->symbols.records[i];
		struct object_symbol symbol = {
			.address = record->address, .size = record->size,
			.name = name_of(macho, record),
		};

		if (macho->hidden.count > 0)
			symbol.name = macho_hidden_name(&macho->hidden, symbol.name);
		if (symbol.name.size > 0 && fn(payload, &symbol))
			break;
	}
	return 0;
}

static int macho_each_unwind(struct object *object, const struct object_unwind_sink *sink,
			     struct err *err)
{
	struct macho *macho = object->state;

	return macho_file_each_unwind(&macho->file, &macho->capacity, sink, err);
}

static struct text macho_image_at(const struct object *object, uint64_t address)
{
	const struct macho *macho = object->state;

	return macho_file_at(&macho->file, address + macho->file.load_address);
}

static void macho_release(struct object *object)
{
	unpack_memory_release(&((struct macho *)object->state)->capacity);
}

const struct object_format object_format_macho = {
	.name = "macho",
	.probe_bytes = 4,
	.probe = macho_probe,
	.open = macho_open,
	.slice_count = macho_slice_count,
	.slice = macho_slice,
	.attach = macho_attach,
	.prepare = macho_prepare,
	.unit_count = dwarf_object_unit_count,
	.read_unit = macho_read_unit,
	.unit_name = dwarf_object_unit_name,
	.each_symbol = macho_each_symbol,
	.each_unwind = macho_each_unwind,
	.image_at = macho_image_at,
	.release = macho_release,
};
