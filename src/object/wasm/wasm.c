/* wasm.c -- the WebAssembly format: functions by file offset, DWARF from custom sections. */
#include "base/arena.h"
#include "base/err.h"
#include "object/dwarf/dwarf_object.h"
#include "object/wasm/wasm_file.h"

#define BUILD_ID_BYTES_MAX 1024u     /* longer is no id */

struct wasm {
	struct wasm_file file;
	struct wasm_function *functions;
	struct symbols symbols;          /* functions with a name */
	struct dwarf_symbols dwarf_symbols;
	bool prepared;
};

static bool wasm_probe(const uint8_t *head, size_t size)
{
	return size >= 4 && memcmp(head, "\0asm", 4) == 0;
}

/* The whole section, as the browser's side sends it: what wasm-ld writes begins with the
 * length of the hash, what wasm-split writes does not. */
static int set_ids(struct object *object, struct text build_id, struct err *err)
{
	char *hex;

	if (build_id.size == 0 || build_id.size > BUILD_ID_BYTES_MAX)
		return 0;
	if (build_id.size >= DEBUGID_UUID_BYTES)
		object->debug_id = debugid_from_uuid((const uint8_t *)build_id.bytes, 0);
	hex = arena_alloc(object->arena, 2 * build_id.size + 1, 1);
	if (!hex)
		return err_set(err, ERR_NO_MEMORY, "no memory for the code id");
	hex_format((const uint8_t *)build_id.bytes, build_id.size, hex);
	object->code_id = (struct text){ hex, 2 * build_id.size };
	return 0;
}

static struct text external_name(struct text section)
{
	struct reader reader = reader_over("external_debug_info", section.bytes, section.size);
	struct text name = wasm_read_name(&reader);

	return name.size > 0 ? name : TEXT_NONE;
}

static int wasm_open(struct object *object, struct arena *arena, struct err *err)
{
	struct wasm *wasm = arena_alloc(arena, 1, sizeof(*wasm));

	if (!wasm)
		return err_set(err, ERR_NO_MEMORY, "no memory for its sections");
	object->state = wasm;
	if (wasm_file_read(&wasm->file, object->bytes, object->size, err) < 0)
		return -1;
	object->arch = ARCH_WASM32;
	object->kind = wasm->file.function_count > 0 ? OBJECT_KIND_LIBRARY : OBJECT_KIND_DEBUG;
	object->offers = OBJECT_OFFERS_SYMBOLS;
	if (wasm->file.dwarf[DWARF_INFO].size > 0)
		object->offers |= OBJECT_OFFERS_DEBUG;
	if (wasm->file.has_frames)
		object->offers |= OBJECT_OFFERS_UNWIND;
	object->debug_file = external_name(wasm->file.external_debug_info);
	return set_ids(object, wasm->file.build_id, err);
}

static int read_symbols(struct object *object, struct wasm *wasm, struct err *err)
{
	uint32_t count = wasm->file.function_count;

	if (wasm_functions_read(&wasm->file, object->arena, &wasm->functions, err) < 0 ||
	    symbols_reserve(&wasm->symbols, count, object->arena, err) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		const struct wasm_function *function = &wasm->functions[i];

		if (function->name.size > 0)
			symbols_add(&wasm->symbols, function->start,
				    function->end - function->start, 0, i);
	}
	return symbols_settle(&wasm->symbols, object->arena, err);
}

static struct text name_of(const void *payload, const struct symbol_record *record)
{
	const struct wasm *wasm = payload;

	return wasm->functions[symbol_index(record)].name;
}

/* DWARF counts from the contents of the code section; functions that were thrown away stay
 * at 0, before the first one's code. */
static int open_dwarf(struct object *object, struct wasm *wasm, struct err *err)
{
	struct dwarf_input input = {
		.address_bias = wasm->file.code.offset,
		.lowest_code = wasm->functions ? wasm->functions[0].start : 0,
	};

	memcpy(input.main.section, wasm->file.dwarf, sizeof(wasm->file.dwarf));
	wasm->dwarf_symbols = (struct dwarf_symbols){
		.symbols = &wasm->symbols, .base = 0, .name = name_of, .payload = wasm,
	};
	dwarf_input_set_symbols(&input, &wasm->dwarf_symbols);
	return dwarf_object_open(object, &input, &object->dwarf, err);
}

static int wasm_prepare(struct object *object, struct err *err)
{
	struct wasm *wasm = object->state;

	if (wasm->prepared)
		return 0;
	wasm->prepared = true;
	if (read_symbols(object, wasm, err) < 0)
		return -1;
	return object->offers & OBJECT_OFFERS_DEBUG ? open_dwarf(object, wasm, err) : 0;
}

static int wasm_each_symbol(const struct object *object, object_symbol_fn *fn, void *payload,
			    struct err *err)
{
	const struct wasm *wasm = object->state;

	(void)err;
	for (size_t i = 0; i < wasm->symbols.count; i++) {
		const struct symbol_record *record = &wasm->symbols.records[i];
		struct object_symbol symbol = {
			.address = record->address, .size = record->size,
			.name = name_of(wasm, record),
		};

		if (fn(payload, &symbol))
			break;
	}
	return 0;
}

const struct object_format object_format_wasm = {
	.name = "wasm",
	.probe_bytes = 8,
	.probe = wasm_probe,
	.open = wasm_open,
	.prepare = wasm_prepare,
	.unit_count = dwarf_object_unit_count,
	.read_unit = dwarf_object_read_unit,
	.unit_name = dwarf_object_unit_name,
	.each_symbol = wasm_each_symbol,
};
