/* wasm_functions.c -- where functions lie, and what the name section and exports call them. */
#include "object/wasm/wasm_file.h"

#include "base/arena.h"
#include "base/err.h"

#define NAMES_OF_FUNCTIONS 1u        /* subsection of "name" */
#define EXPORT_FUNCTION    0u

struct wasm_naming {
	const struct wasm_file *file;
	struct wasm_function *functions;
};

/* Numbers count imported functions first; those have no code to name. */
static void name_function(struct wasm_naming *naming, uint32_t number, struct text name)
{
	uint32_t own = number - naming->file->imported_count;

	if (number < naming->file->imported_count || own >= naming->file->function_count)
		return;
	if (naming->functions[own].name.size == 0)
		naming->functions[own].name = name;
}

/* Nothing in a name section can make a module invalid: what was read until then counts. */
static void read_names(struct wasm_naming *naming)
{
	struct reader names = reader_over("names", naming->file->names.bytes,
					  naming->file->names.size);

	while (!reader_at_end(&names)) {
		uint8_t kind = reader_u8(&names);
		struct reader part = reader_part(&names, "function names", wasm_read_u32(&names));
		uint32_t count = kind == NAMES_OF_FUNCTIONS ? wasm_read_u32(&part) : 0;

		for (uint32_t i = 0; i < count && !part.failed; i++) {
			uint32_t number = wasm_read_u32(&part);
			struct text name = wasm_read_name(&part);

			if (!part.failed)
				name_function(naming, number, name);
		}
	}
}

/* What a stripped module still calls its functions. */
static void read_exports(struct wasm_naming *naming)
{
	struct text bytes = naming->file->export.bytes;
	struct reader exports = reader_over("exports", bytes.bytes, bytes.size);
	uint32_t count = bytes.bytes ? wasm_read_u32(&exports) : 0;

	for (uint32_t i = 0; i < count && !exports.failed; i++) {
		struct text name = wasm_read_name(&exports);
		uint8_t kind = reader_u8(&exports);
		uint32_t number = wasm_read_u32(&exports);

		if (!exports.failed && kind == EXPORT_FUNCTION)
			name_function(naming, number, name);
	}
}

static int read_bodies(const struct wasm_file *file, struct wasm_function *functions,
		       struct err *err)
{
	struct reader code = reader_over("code section", file->code.bytes.bytes,
					 file->code.bytes.size);

	(void)wasm_read_u32(&code);                  /* the count we know */
	for (uint32_t i = 0; i < file->function_count; i++) {
		uint32_t size = wasm_read_u32(&code);

		functions[i].start = file->code.offset + code.pos;
		functions[i].end = functions[i].start + size;
		reader_skip(&code, size);
		if (reader_check(&code, err) < 0)
			return err_while(err, "function %u of %u", i + 1, file->function_count);
	}
	return 0;
}

int wasm_functions_read(const struct wasm_file *file, struct arena *arena,
			struct wasm_function **functions, struct err *err)
{
	struct wasm_naming naming = { .file = file };

	*functions = NULL;
	if (file->function_count == 0)
		return 0;
	naming.functions = arena_alloc(arena, file->function_count, sizeof(*naming.functions));
	if (!naming.functions)
		return err_set(err, ERR_NO_MEMORY, "no memory for %u functions",
			       file->function_count);
	if (read_bodies(file, naming.functions, err) < 0)
		return -1;
	read_names(&naming);
	read_exports(&naming);
	*functions = naming.functions;
	return 0;
}
