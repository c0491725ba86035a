/* elf.c -- the ELF format: which file brings the symbols and which the DWARF. */
#include <stdio.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "object/dwarf/dwarf_object.h"
#include "object/elf/elf_file.h"

#define SECTION_NAME_BYTES 32u
#define DWO_ID_DIGITS      16u

struct elf_table {
	const struct elf_file *file;
	struct elf_symbols symbols;
	const uint32_t *files;           /* its file symbols */
	size_t file_count;
};

struct elf {
	struct elf_file main;
	struct elf_file debug;           /* the debuglink's target; whole.bytes NULL: not given */
	struct elf_file alternate;       /* dwz file, likewise */
	struct elf_file split;           /* .dwp */
	struct elf_file *split_files;    /* .dwo files; room for as many as were wanted */
	size_t split_file_count, split_file_capacity;
	struct elf_file mini;            /* unpacked .gnu_debugdata */
	struct unpack_memory capacity;
	struct elf_table tables[SYMBOLS_TABLES];
	unsigned table_count;
	struct symbols symbols;
	const struct elf_file *described;    /* main or debug, whichever has DWARF; or NULL */
	struct dwarf_input input;        /* its sections, once loaded */
	struct dwarf_flow flow;          /* or its .debug_info, piece after piece */
	struct dwarf_symbols dwarf_symbols;
	bool loaded, prepared;
};

static bool elf_probe(const uint8_t *head, size_t size)
{
	return size >= SELFMAG && memcmp(head, ELFMAG, SELFMAG) == 0;
}

static int set_code_id(struct object *object, struct text build_id, struct err *err)
{
	char *hex;

	if (!build_id.bytes)
		return 0;
	hex = arena_alloc(object->arena, 2 * build_id.size + 1, 1);
	if (!hex)
		return err_set(err, ERR_NO_MEMORY, "no memory for the code id");
	hex_format((const uint8_t *)build_id.bytes, build_id.size, hex);
	object->code_id = (struct text){ hex, 2 * build_id.size };
	return 0;
}

static int elf_open(struct object *object, struct arena *arena, struct err *err)
{
	struct elf *elf = arena_alloc(arena, 1, sizeof(*elf));
	struct object_want *wants;

	if (!elf)
		return err_set(err, ERR_NO_MEMORY, "no memory for its headers");
	unpack_memory_init(&elf->capacity, arena, unpack_most(object->size, LIMIT_UNPACKED_BYTES));
	object->state = elf;
	if (elf_file_read(&elf->main, object->bytes, object->size, arena, err) < 0)
		return -1;
	elf_file_identify(&elf->main, object);
	if (set_code_id(object, elf->main.build_id, err) < 0 ||
	    elf_file_wants(&elf->main, arena, &wants, &object->want_count, err) < 0)
		return -1;
	object->wants = wants;
	for (size_t i = 0; i < object->want_count; i++)
		if (wants[i].role == OBJECT_ROLE_DEBUGLINK)
			object->debug_file = wants[i].name;
	return 0;
}

/* --- Companions ---------------------------------------------------------------------- */

/* zlib counts in unsigned int. */
static uint32_t crc_of(const uint8_t *bytes, size_t size)
{
	uLong crc = crc32(0, NULL, 0);

	while (size > 0) {
		uInt turn = size > ((uInt)1 << 30) ? (uInt)1 << 30 : (uInt)size;

		crc = crc32(crc, bytes, turn);
		bytes += turn;
		size -= turn;
	}
	return (uint32_t)crc;
}

static const struct object_want *find_want(const struct object *object, enum object_role role)
{
	for (size_t i = 0; i < object->want_count; i++)
		if (object->wants[i].role == role)
			return &object->wants[i];
	return NULL;
}

/* A debug file belongs to its object by build id; where either has none, by CRC. */
static int check_debuglink(const struct object *object, const struct elf *elf,
			   const struct elf_file *debug, struct err *err)
{
	const struct object_want *want = find_want(object, OBJECT_ROLE_DEBUGLINK);

	if (elf->main.build_id.bytes && debug->build_id.bytes) {
		if (!text_equal(elf->main.build_id, debug->build_id))
			return err_set(err, ERR_MALFORMED, "its build id is another one");
		return 0;
	}
	if (want && crc_of(debug->whole.bytes, debug->whole.size) != want->crc)
		return err_set(err, ERR_MALFORMED, "its checksum is another one");
	return 0;
}

/* What the debug file wants itself (a dwz file, a package) is wanted of us from now on. */
static int add_wants(struct object *object, const struct elf_file *debug, struct err *err)
{
	struct object_want *more, *all;
	size_t count, kept = 0;

	if (elf_file_wants(debug, object->arena, &more, &count, err) < 0)
		return -1;
	all = arena_alloc(object->arena, object->want_count + count + 1, sizeof(*all));
	if (!all)
		return err_set(err, ERR_NO_MEMORY, "no memory for the files it points to");
	for (size_t i = 0; i < object->want_count; i++)
		all[kept++] = object->wants[i];
	for (size_t i = 0; i < count; i++)
		if (more[i].role != OBJECT_ROLE_DEBUGLINK && !find_want(object, more[i].role))
			all[kept++] = more[i];
	object->wants = all;
	object->want_count = kept;
	return 0;
}

static int attach_debuglink(struct object *object, struct elf *elf, struct elf_file *debug,
			    struct err *err)
{
	if (check_debuglink(object, elf, debug, err) < 0)
		return -1;
	if (!debug->has_load_address)
		debug->load_address = elf->main.load_address;
	elf->debug = *debug;
	if (elf_file_symtab(debug).count > 0)
		object->offers |= OBJECT_OFFERS_SYMBOLS;
	if (!elf_file_section(debug, ".debug_info"))
		return 0;
	object->offers |= OBJECT_OFFERS_DEBUG;
	return elf_file_section(&elf->main, ".debug_info") ? 0 : add_wants(object, debug, err);
}

static int attach_alternate(const struct object *object, struct elf *elf,
			    const struct elf_file *alternate, struct err *err)
{
	const struct object_want *want = find_want(object, OBJECT_ROLE_DWZ);
	char hex[2 * 64 + 1];

	if (want && alternate->build_id.bytes && alternate->build_id.size <= 64) {
		hex_format((const uint8_t *)alternate->build_id.bytes,
			   alternate->build_id.size, hex);
		if (want->id.bytes && !text_is(want->id, hex))
			return err_set(err, ERR_MALFORMED, "its build id is another one");
	}
	elf->alternate = *alternate;
	return 0;
}

static int elf_attach(struct object *object, enum object_role role, const uint8_t *bytes,
		      size_t size, struct err *err)
{
	struct elf *elf = object->state;
	struct elf_file file;

	if (elf->prepared)
		return err_set(err, ERR_INTERNAL, "attached after it was prepared");
	if (!elf_probe(bytes, size))
		return err_set(err, ERR_MALFORMED, "not an ELF file");
	if (elf_file_read(&file, bytes, size, object->arena, err) < 0)
		return -1;
	elf->capacity.ceiling_bytes = unpack_most(object->work->bytes, LIMIT_UNPACKED_BYTES);
	switch (role) {
	case OBJECT_ROLE_DEBUGLINK:
		return attach_debuglink(object, elf, &file, err);
	case OBJECT_ROLE_DWZ:
		return attach_alternate(object, elf, &file, err);
	case OBJECT_ROLE_DWP:
		elf->split = file;
		return 0;
	case OBJECT_ROLE_DWO:
		if (elf->split_file_count == elf->split_file_capacity)
			return err_set(err, ERR_INTERNAL, "more split units than were wanted");
		elf->split_files[elf->split_file_count++] = file;
		return 0;
	default:
		return err_set(err, ERR_INTERNAL, "no such role");
	}
}

/* --- Symbols ------------------------------------------------------------------------- */

static void add_table(struct elf *elf, const struct elf_file *file, struct elf_symbols symbols)
{
	if (symbols.count > 1 && elf->table_count < SYMBOLS_TABLES)
		elf->tables[elf->table_count++] = (struct elf_table){ .file = file,
								      .symbols = symbols };
}

static int unpack_mini(struct elf *elf, struct arena *arena, struct text packed, struct err *err)
{
	uint64_t size;
	void *out;

	if (unpack_xz_size(".gnu_debugdata", packed, &size, err) < 0 ||
	    unpack_memory_get(&elf->capacity, size, &out, err) < 0 ||
	    unpack_memory(UNPACK_XZ, ".gnu_debugdata", packed, out, (size_t)size, err) < 0)
		return -1;
	return elf_file_read(&elf->mini, out, (size_t)size, arena, err);
}

/* .gnu_debugdata: a small ELF file, packed by xz, with the symbols strip took away.  A bad one
 * costs itself: the file is as good as one stripped of it. */
static int open_mini(struct elf *elf, struct arena *arena, struct err *err)
{
	const struct elf_section *section = elf_file_section(&elf->main, ".gnu_debugdata");
	struct text packed = section ? elf_section_raw(&elf->main, section) : TEXT_NONE;

	if (!packed.bytes)
		return 0;
	if (unpack_mini(elf, arena, packed, err) < 0) {
		if (err->kind == ERR_NO_MEMORY)
			return -1;
		err_clear(err);
		elf->mini = (struct elf_file){ .has_load_address = false };
		return 0;
	}
	if (!elf->mini.has_load_address)
		elf->mini.load_address = elf->main.load_address;
	return 0;
}

/* The fullest table first: where names compete it wins. */
static int choose_tables(struct elf *elf, struct arena *arena, struct err *err)
{
	struct elf_symbols full = elf_file_symtab(&elf->main);

	add_table(elf, &elf->main, full);
	if (full.count == 0 && elf->debug.whole.bytes) {
		full = elf_file_symtab(&elf->debug);
		add_table(elf, &elf->debug, full);
	}
	add_table(elf, &elf->main, elf_file_dynsym(&elf->main));
	if (full.count > 0)
		return 0;
	if (open_mini(elf, arena, err) < 0)
		return -1;
	if (elf->mini.whole.bytes)
		add_table(elf, &elf->mini, elf_file_symtab(&elf->mini));
	return 0;
}

struct gather {
	struct symbols *symbols;
	uint32_t table;
};

static void gather_symbol(void *payload, uint64_t address, uint64_t size, uint32_t index)
{
	const struct gather *gather = payload;

	symbols_add(gather->symbols, address, size, gather->table, index);
}

static void count_symbol(void *payload, uint64_t address, uint64_t size, uint32_t index)
{
	(void)address;
	(void)size;
	(void)index;
	(*(size_t *)payload)++;
}

static int read_symbols(struct elf *elf, struct arena *arena, struct err *err)
{
	size_t count = 0;

	if (choose_tables(elf, arena, err) < 0)
		return -1;
	for (unsigned i = 0; i < elf->table_count; i++)
		elf_symbols_each(elf->tables[i].file, &elf->tables[i].symbols, count_symbol, &count);
	if (symbols_reserve(&elf->symbols, count, arena, err) < 0)
		return -1;
	for (unsigned i = 0; i < elf->table_count; i++) {
		struct gather gather = { &elf->symbols, i };

		struct elf_table *table = &elf->tables[i];

		elf_symbols_each(table->file, &table->symbols, gather_symbol, &gather);
		if (elf_symbols_files(table->file, &table->symbols, arena, &table->files,
				      &table->file_count, err) < 0)
			return -1;
	}
	return symbols_settle(&elf->symbols, arena, err);
}

static struct text name_of(const void *payload, const struct symbol_record *record)
{
	const struct elf *elf = payload;
	const struct elf_table *table = &elf->tables[symbol_table(record)];

	return elf_symbols_name(table->file, &table->symbols, symbol_index(record));
}

static struct text file_of(const struct elf *elf, const struct symbol_record *record)
{
	const struct elf_table *table = &elf->tables[symbol_table(record)];

	return elf_symbols_file(table->file, &table->symbols, table->files, table->file_count,
				symbol_index(record));
}

/* Of a file that is laid out: the pieces that are handed out, at the addresses of the file. */
static bool give_laid_out(const struct elf *elf, const struct symbol_record *record,
			  const struct object_symbol *symbol, object_symbol_fn *fn, void *payload)
{
	const struct elf_file *file = elf->tables[symbol_table(record)].file;
	const struct elf_stretch *stretch = elf_file_stretch(file, record->address);
	uint64_t end = record->address + record->size, start;

	if (!record->size)
		(void)symbols_around(&elf->symbols, record->address, &start, &end);
	if (stretch && end > stretch->section_end)
		end = stretch->section_end;
	for (; stretch && stretch < file->stretches + file->stretch_count && stretch->start < end;
	     stretch++) {
		struct object_symbol piece = *symbol;
		uint64_t last = end < stretch->end ? end : stretch->end;

		piece.address = symbol->address > stretch->start ? symbol->address : stretch->start;
		piece.size = last - piece.address;
		piece.address -= stretch->shift;
		if (fn(payload, &piece))
			return false;
	}
	return true;
}

static int elf_each_symbol(const struct object *object, object_symbol_fn *fn, void *payload,
			   struct err *err)
{
	const struct elf *elf = object->state;

	(void)err;
	for (size_t i = 0; i < elf->symbols.count; i++) {
		const struct symbol_record *record = &elf->symbols.records[i];
		struct object_symbol symbol = {
			.address = record->address, .size = record->size,
			.name = name_of(elf, record), .file = file_of(elf, record),
		};

		if (symbol.name.size == 0)
			continue;
		if (elf->tables[symbol_table(record)].file->is_laid_out
			    ? !give_laid_out(elf, record, &symbol, fn, payload)
			    : fn(payload, &symbol))
			break;
	}
	return 0;
}

static int elf_section_address(const struct object *object, const char *name, uint64_t *address,
			       struct err *err)
{
	const struct elf *elf = object->state;
	const struct elf_section *section = elf_file_section(&elf->main, name);

	if (!section)
		return err_set(err, ERR_NOT_FOUND, "it has no section %s", name);
	/* All begin at 0 there, and what is said about code there is said of .text (ELF, ET_REL). */
	if (object->kind == OBJECT_KIND_RELOCATABLE && strcmp(name, ".text") != 0)
		return err_set(err, ERR_UNSUPPORTED,
			       "it is not linked: only addresses in .text can be asked for");
	*address = section->address - object->load_address;
	return 0;
}

static int elf_stored_section(const struct object *object, struct text name, struct text *bytes,
			      struct err *err)
{
	const struct elf *elf = object->state;

	*bytes = elf_file_stored(&elf->main, name);
	return bytes->size > 0 ? 0 : err_set(err, ERR_NOT_FOUND, "it has no bytes in a section %.*s",
					     (int)(name.size < 256 ? name.size : 256), name.bytes);
}

/* --- DWARF --------------------------------------------------------------------------- */

/* But for those that are there. */
static int load_sections(const struct elf_file *file, const char *suffix,
			 struct unpack_memory *capacity, struct dwarf_sections *sections,
			 struct err *err)
{
	sections->big_endian = file->whole.big_endian;
	for (unsigned i = 0; i < DWARF_SECTIONS; i++) {
		char name[SECTION_NAME_BYTES];

		if (sections->section[i].bytes)
			continue;
		(void)snprintf(name, sizeof(name), "%s%s",
			       dwarf_section_name((enum dwarf_section)i),
			       i == DWARF_CU_INDEX ? "" : suffix);
		if (elf_file_load(file, name, capacity, &sections->section[i], err) < 0)
			return -1;
	}
	return 0;
}

static int fill_flow(void *payload, uint8_t *out, size_t size, struct err *err)
{
	return unpack_incremental_fill(payload, out, size, err);
}

static int finish_flow(void *payload, struct err *err)
{
	return unpack_incremental_finish(payload, err);
}

/* A packed .debug_info whose units need no other is read while it is unpacked. */
static int load_gradually(struct object *object, struct elf *elf, struct err *err)
{
	struct text *abbrev = &elf->input.main.section[DWARF_ABBREV];
	struct unpack_incremental *incremental;
	uint64_t size;
	int rc;

	if (!object->takes_units || object->wants_variables)
		return 0;
	if (elf_file_load(elf->described, dwarf_section_name(DWARF_ABBREV), &elf->capacity, abbrev,
			  err) < 0)
		return -1;
	if (!dwarf_units_stand_alone(*abbrev))
		return 0;
	rc = elf_file_load_gradually(elf->described, dwarf_section_name(DWARF_INFO),
				     object->arena, &incremental, &size, err);
	if (rc <= 0)
		return rc;
	elf->flow = (struct dwarf_flow){ .size = size, .before_bytes = UNPACK_BEFORE_BYTES,
					 .fill = fill_flow, .finish = finish_flow,
					 .payload = incremental };
	elf->input.flow = &elf->flow;
	elf->input.main.section[DWARF_INFO] = TEXT("");
	object->gives_units = true;
	return 0;
}

static int load_dwarf(struct object *object, struct elf *elf, struct err *err)
{
	const struct elf_file *file = elf->described;
	struct dwarf_input *input = &elf->input;
	const struct elf_file *split = elf->split.whole.bytes ? &elf->split : file;

	if (elf->loaded)
		return 0;
	*input = (struct dwarf_input){
		.load_address = file->load_address,
		.relocatable = file->type == ET_REL && !file->is_laid_out,
		.lowest_code = elf_file_lowest_code(file),
		.has_code_at_zero = elf_file_has_code_at_zero(file),
	};
	if (load_gradually(object, elf, err) < 0 ||
	    load_sections(file, "", &elf->capacity, &input->main, err) < 0 ||
	    load_sections(split, ".dwo", &elf->capacity, &input->split, err) < 0)
		return -1;
	if (elf->alternate.whole.bytes &&
	    load_sections(&elf->alternate, "", &elf->capacity, &input->alternate, err) < 0)
		return err_while(err, "reading its dwz file");
	elf->loaded = true;
	return 0;
}

/* A .dwo file that cannot be read costs its units. */
static int load_split_files(struct object *object, struct elf *elf, struct err *err)
{
	struct dwarf_sections *all;

	if (!elf->split_file_count)
		return 0;
	all = arena_alloc(object->arena, elf->split_file_count, sizeof(*all));
	if (!all)
		return err_set(err, ERR_NO_MEMORY, "no memory for its split units");
	for (size_t i = 0; i < elf->split_file_count; i++) {
		if (load_sections(&elf->split_files[i], ".dwo", &elf->capacity, &all[i], err) == 0)
			continue;
		if (err->kind == ERR_NO_MEMORY)
			return -1;
		err_clear(err);
		all[i] = (struct dwarf_sections){ .big_endian = false };
	}
	elf->input.split_files = all;
	elf->input.split_file_count = elf->split_file_count;
	return 0;
}

static int open_dwarf(struct object *object, struct elf *elf, struct err *err)
{
	if (load_dwarf(object, elf, err) < 0 || load_split_files(object, elf, err) < 0)
		return -1;
	elf->dwarf_symbols = (struct dwarf_symbols){
		.symbols = &elf->symbols, .base = elf->described->load_address, .has_ends = true,
		.name = name_of, .payload = elf,
	};
	dwarf_input_set_symbols(&elf->input, &elf->dwarf_symbols);
	return dwarf_object_open(object, &elf->input, &object->dwarf, err);
}

static void choose_described(struct elf *elf)
{
	if (elf_file_section(&elf->main, ".debug_info"))
		elf->described = &elf->main;
	else if (elf->debug.whole.bytes && elf_file_section(&elf->debug, ".debug_info"))
		elf->described = &elf->debug;
}

static int elf_prepare(struct object *object, struct err *err)
{
	struct elf *elf = object->state;

	if (elf->prepared)
		return 0;
	elf->prepared = true;
	if (read_symbols(elf, object->arena, err) < 0)
		return -1;
	choose_described(elf);
	return elf->described ? open_dwarf(object, elf, err) : 0;
}

/* --- Single split units ------------------------------------------------------------------ */

struct missing_list {
	struct arena *arena;
	struct object_want *wants;       /* NULL: count them */
	size_t count;
	bool failed;
};

static int count_missing(void *payload, const struct dwarf_missing *missing)
{
	struct missing_list *list = payload;

	list->count += missing->name.size > 0;
	return list->count == LIMIT_CELL_SPLIT_UNITS;
}

/* Absolute, as far as the unit says where it was compiled. */
static char *path_of(const struct dwarf_missing *missing, struct arena *arena, size_t *size)
{
	bool is_relative = missing->name.bytes[0] != '/' && missing->comp_dir.size > 0;
	size_t before = is_relative ? missing->comp_dir.size + 1 : 0;
	char *path = arena_alloc(arena, before + missing->name.size + 1, 1);

	if (!path)
		return NULL;
	if (is_relative) {
		memcpy(path, missing->comp_dir.bytes, missing->comp_dir.size);
		path[before - 1] = '/';
	}
	memcpy(path + before, missing->name.bytes, missing->name.size);
	*size = before + missing->name.size;
	return path;
}

static int list_missing(void *payload, const struct dwarf_missing *missing)
{
	struct missing_list *list = payload;
	struct object_want *want = &list->wants[list->count];
	char *id, *path;
	size_t size;

	if (!missing->name.size)
		return 0;
	id = arena_alloc(list->arena, DWO_ID_DIGITS + 1, 1);
	path = path_of(missing, list->arena, &size);
	list->failed = !id || !path;
	if (list->failed)
		return 1;
	snprintf(id, DWO_ID_DIGITS + 1, "%016llx", (unsigned long long)missing->id);
	*want = (struct object_want){ .role = OBJECT_ROLE_DWO, .id = { id, DWO_ID_DIGITS },
				      .name = { path, size } };
	return ++list->count == LIMIT_CELL_SPLIT_UNITS;
}

/* The list grows by what is missing, which is counted first. */
static int add_missing(struct object *object, struct elf *elf, const struct dwarf *dwarf,
		       struct err *err)
{
	struct missing_list list = { .arena = object->arena };
	struct object_want *all;
	size_t missing;

	if (dwarf_each_missing(dwarf, count_missing, &list) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for its split units");
	missing = list.count;
	if (!missing)
		return 0;
	all = arena_alloc(object->arena, object->want_count + missing, sizeof(*all));
	elf->split_files = arena_alloc(object->arena, missing, sizeof(*elf->split_files));
	if (!all || !elf->split_files)
		return err_set(err, ERR_NO_MEMORY, "no memory for its split units");
	memcpy(all, object->wants, object->want_count * sizeof(*all));
	list.wants = all + object->want_count;
	list.count = 0;
	if (dwarf_each_missing(dwarf, list_missing, &list) < 0 || list.failed)
		return err_set(err, ERR_NO_MEMORY, "no memory for its split units");
	elf->split_file_capacity = list.count;
	object->wants = all;
	object->want_count += list.count;
	return 0;
}

static int elf_want_split_units(struct object *object, struct err *err)
{
	struct elf *elf = object->state;
	struct dwarf *dwarf;

	choose_described(elf);
	if (!elf->described || elf->split_files || !find_want(object, OBJECT_ROLE_DWP))
		return 0;
	if (load_dwarf(object, elf, err) < 0 ||
	    dwarf_object_open(object, &elf->input, &dwarf, err) < 0)
		return -1;
	return add_missing(object, elf, dwarf, err);
}

static int elf_read_unit(const struct object *object, size_t unit, struct arena *scratch,
			 const struct object_sink *sink, struct err *err)
{
	const struct elf *elf = object->state;
	struct elf_outlet outlet = { elf->described, sink, scratch };
	struct object_sink through = { &outlet, elf_outlet_function };

	return dwarf_read_unit(object->dwarf, unit, scratch,
			       elf->described->is_laid_out ? &through : sink, err);
}

static int elf_each_unwind(struct object *object, const struct object_unwind_sink *sink,
			   struct err *err)
{
	struct elf *elf = object->state;

	return elf_file_each_unwind(&elf->main, &elf->capacity, sink, err);
}

static struct text elf_image_at(const struct object *object, uint64_t address)
{
	const struct elf *elf = object->state;

	return elf_file_at_address(&elf->main, address + elf->main.load_address);
}

static void elf_release(struct object *object)
{
	dwarf_release(object->dwarf);
	unpack_memory_release(&((struct elf *)object->state)->capacity);
}

const struct object_format object_format_elf = {
	.name = "elf",
	.probe_bytes = SELFMAG,
	.probe = elf_probe,
	.open = elf_open,
	.attach = elf_attach,
	.want_split_units = elf_want_split_units,
	.prepare = elf_prepare,
	.unit_count = dwarf_object_unit_count,
	.read_unit = elf_read_unit,
	.unit_name = dwarf_object_unit_name,
	.take_unit = dwarf_object_take_unit,
	.read_taken = dwarf_object_read_taken,
	.taken_name = dwarf_object_taken_name,
	.units_done = dwarf_object_units_done,
	.each_symbol = elf_each_symbol,
	.section_address = elf_section_address,
	.stored_section = elf_stored_section,
	.each_unwind = elf_each_unwind,
	.image_at = elf_image_at,
	.release = elf_release,
};
