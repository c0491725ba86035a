/* wasm_file.c -- the walk over the sections (WebAssembly core specification §5.5). */
#include "object/wasm/wasm_file.h"

#include "base/err.h"

#define MAGIC          0x6d736100u   /* "\0asm" */
#define VERSION_MODULE 1u
#define LAYER_SHIFT    16u           /* components carry a layer above their version */

enum {
	SECTION_CUSTOM, SECTION_TYPE, SECTION_IMPORT, SECTION_FUNCTION, SECTION_TABLE,
	SECTION_MEMORY, SECTION_GLOBAL, SECTION_EXPORT, SECTION_START, SECTION_ELEMENT,
	SECTION_CODE, SECTION_DATA, SECTION_DATA_COUNT, SECTION_TAG,
	SECTIONS
};

/* Where in a module each section stands; later numbers were added in between. */
static const uint8_t section_places[SECTIONS] = {
	[SECTION_TYPE] = 1, [SECTION_IMPORT] = 2, [SECTION_FUNCTION] = 3, [SECTION_TABLE] = 4,
	[SECTION_MEMORY] = 5, [SECTION_TAG] = 6, [SECTION_GLOBAL] = 7, [SECTION_EXPORT] = 8,
	[SECTION_START] = 9, [SECTION_ELEMENT] = 10, [SECTION_DATA_COUNT] = 11,
	[SECTION_CODE] = 12, [SECTION_DATA] = 13,
};

enum { IMPORT_FUNCTION, IMPORT_TABLE, IMPORT_MEMORY, IMPORT_GLOBAL, IMPORT_TAG };

#define LIMITS_HAVE_MAXIMUM   0x01u
#define LIMITS_HAVE_PAGE_SIZE 0x08u
#define TYPE_REFERENCE        0x64u  /* (ref ht); 0x63 is (ref null ht) */
#define TYPE_NULL_REFERENCE   0x63u

uint32_t wasm_read_u32(struct reader *reader)
{
	uint64_t value = reader_uleb128(reader);

	if (value > UINT32_MAX)
		reader->failed = true;
	return reader->failed ? 0 : (uint32_t)value;
}

struct text wasm_read_name(struct reader *reader)
{
	uint32_t size = wasm_read_u32(reader);
	const uint8_t *at = reader_take(reader, size);

	return at ? (struct text){ (const char *)at, size } : TEXT_NONE;
}

/* --- Custom sections ------------------------------------------------------------------ */

/* The first of a name counts, and an empty one is none. */
static void keep(struct text *place, struct text bytes)
{
	if (!place->bytes && bytes.size > 0)
		*place = bytes;
}

static void keep_custom(struct wasm_file *file, struct reader *section)
{
	struct text name = wasm_read_name(section), bytes;

	if (section->failed)
		return;
	bytes = (struct text){ (const char *)section->bytes + section->pos, reader_left(section) };
	if (text_is(name, "build_id"))
		keep(&file->build_id, bytes);
	else if (text_is(name, "name"))
		keep(&file->names, bytes);
	else if (text_is(name, "external_debug_info"))
		keep(&file->external_debug_info, bytes);
	else if (text_is(name, ".debug_frame"))
		file->has_frames = bytes.size > 0;
	else
		for (unsigned i = 0; i < DWARF_SECTIONS; i++)
			if (text_is(name, dwarf_section_name((enum dwarf_section)i)))
				keep(&file->dwarf[i], bytes);
}

/* --- Imports: how many functions come before ours ------------------------------------- */

static void skip_value_type(struct reader *reader)
{
	uint8_t type = reader_u8(reader);

	if (type == TYPE_REFERENCE || type == TYPE_NULL_REFERENCE)
		(void)reader_sleb128(reader);
}

static void skip_limits(struct reader *reader)
{
	uint32_t flags = wasm_read_u32(reader);

	(void)reader_uleb128(reader);
	if (flags & LIMITS_HAVE_MAXIMUM)
		(void)reader_uleb128(reader);
	if (flags & LIMITS_HAVE_PAGE_SIZE)
		(void)reader_uleb128(reader);
}

static int read_import(struct wasm_file *file, struct reader *imports, struct err *err)
{
	uint8_t kind;

	(void)wasm_read_name(imports);               /* of the module */
	(void)wasm_read_name(imports);               /* its name there */
	kind = reader_u8(imports);
	switch (kind) {
	case IMPORT_FUNCTION:
		file->imported_count++;
		(void)wasm_read_u32(imports);
		break;
	case IMPORT_TABLE:
		skip_value_type(imports);
		skip_limits(imports);
		break;
	case IMPORT_MEMORY:
		skip_limits(imports);
		break;
	case IMPORT_GLOBAL:
		skip_value_type(imports);
		(void)reader_u8(imports);            /* may it change? */
		break;
	case IMPORT_TAG:
		(void)reader_u8(imports);
		(void)wasm_read_u32(imports);
		break;
	default:
		return err_set(err, ERR_MALFORMED, "an import of unknown kind %u at byte %zu of "
			       "the imports", kind, imports->pos - 1);
	}
	return reader_check(imports, err);
}

static int read_imports(struct wasm_file *file, struct err *err)
{
	struct reader imports = reader_over("imports", file->import.bytes.bytes,
					    file->import.bytes.size);
	uint32_t count;

	if (!file->import.bytes.bytes)
		return 0;
	count = wasm_read_u32(&imports);
	for (uint32_t i = 0; i < count && !imports.failed; i++)
		if (read_import(file, &imports, err) < 0)
			return -1;
	return reader_check(&imports, err);
}

/* --- Sections ------------------------------------------------------------------------- */

static uint32_t count_in(const struct wasm_section *section)
{
	struct reader reader = reader_over("count", section->bytes.bytes, section->bytes.size);

	return section->bytes.bytes ? wasm_read_u32(&reader) : 0;
}

static int check_counts(struct wasm_file *file, struct err *err)
{
	uint32_t declared = count_in(&file->function);

	file->function_count = count_in(&file->code);
	if (declared != file->function_count)
		return err_set(err, ERR_MALFORMED, "%u functions are declared, %u have code",
			       declared, file->function_count);
	if (file->function_count > file->code.bytes.size)
		return err_set(err, ERR_MALFORMED, "the code section has no room for its %u "
			       "functions", file->function_count);
	return 0;
}

static struct wasm_section *section_kept(struct wasm_file *file, uint8_t id)
{
	switch (id) {
	case SECTION_IMPORT:   return &file->import;
	case SECTION_FUNCTION: return &file->function;
	case SECTION_EXPORT:   return &file->export;
	case SECTION_CODE:     return &file->code;
	default:               return NULL;
	}
}

static int read_section(struct wasm_file *file, uint8_t *place, struct err *err)
{
	size_t at = file->whole.pos;
	uint8_t id = reader_u8(&file->whole);
	uint32_t size = wasm_read_u32(&file->whole);
	struct reader section = reader_part(&file->whole, "section", size);
	struct wasm_section *kept;

	if (reader_check(&file->whole, err) < 0)
		return err_while(err, "section %u", id);
	if (id == SECTION_CUSTOM) {
		keep_custom(file, &section);
		return 0;
	}
	if (id >= SECTIONS)
		return err_set(err, ERR_MALFORMED, "unknown section %u at byte %zu", id, at);
	if (section_places[id] <= *place)
		return err_set(err, ERR_MALFORMED, "section %u at byte %zu is out of order", id, at);
	*place = section_places[id];
	kept = section_kept(file, id);
	if (kept) {
		kept->bytes = (struct text){ (const char *)section.bytes, section.size };
		kept->offset = file->whole.pos - section.size;
	}
	return 0;
}

static int read_head(struct wasm_file *file, struct err *err)
{
	uint32_t magic = reader_u32(&file->whole);
	uint32_t version = reader_u32(&file->whole);

	if (reader_check(&file->whole, err) < 0)
		return -1;
	if (magic != MAGIC)
		return err_set(err, ERR_MALFORMED, "no WebAssembly magic");
	if (version >> LAYER_SHIFT)
		return err_set(err, ERR_UNSUPPORTED, "a component, not a module");
	if (version != VERSION_MODULE)
		return err_set(err, ERR_UNSUPPORTED, "WebAssembly version %u", version);
	return 0;
}

int wasm_file_read(struct wasm_file *file, const void *bytes, size_t size, struct err *err)
{
	uint8_t place = 0;

	*file = (struct wasm_file){ .whole = reader_over("module", bytes, size) };
	if (read_head(file, err) < 0)
		return -1;
	while (!reader_at_end(&file->whole))
		if (read_section(file, &place, err) < 0)
			return -1;
	if (check_counts(file, err) < 0)
		return -1;
	return read_imports(file, err);
}
