/*
 * wasm_file -- sections, functions and their names of one WebAssembly module.
 *
 * Private to object/wasm.  All places are offsets in the file, which is what addresses in
 * stack traces of WebAssembly are (WebAssembly Web API, "call site offset").
 *
 * May include: base, object.
 */
#ifndef OBJECT_WASM_WASM_FILE_H
#define OBJECT_WASM_WASM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/reader.h"
#include "base/text.h"
#include "object/dwarf/dwarf.h"

struct arena;
struct err;

struct wasm_section {
	struct text bytes;           /* TEXT_NONE: absent */
	uint64_t offset;             /* of its contents */
};

struct wasm_file {
	struct reader whole;
	struct wasm_section import, function, export, code;
	struct text build_id, names, external_debug_info;
	struct text dwarf[DWARF_SECTIONS];
	bool has_frames;             /* .debug_frame */
	uint32_t imported_count;     /* functions: they come first in the index space */
	uint32_t function_count;     /* with a body here */
};

struct wasm_function {
	uint64_t start, end;         /* of its body: from the locals on */
	struct text name;            /* TEXT_NONE: it has none */
};

/* Walks the sections; reads imports and counts, no function. */
int wasm_file_read(struct wasm_file *file, const void *bytes, size_t size, struct err *err)
	__attribute__((warn_unused_result));

/* All functions with their names, function_count of them. */
int wasm_functions_read(const struct wasm_file *file, struct arena *arena,
			struct wasm_function **functions, struct err *err)
	__attribute__((warn_unused_result));

/* A length and that many bytes, as names are kept; failed if they are not there. */
struct text wasm_read_name(struct reader *reader);
/* As wasm_read_name(), but numbers of 32 bits only. */
uint32_t wasm_read_u32(struct reader *reader);

#endif
