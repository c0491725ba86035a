/*
 * fuzz_sourcemap.c -- source maps: their JSON and numbers, and the lookup files made of them.
 *
 * Bytes that begin as a lookup file are opened as one; all others are a map, whose text is the
 * minified file as well.
 */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "sourcemap/sourcemap.h"

#define MEMORY_BYTES ((size_t)256 << 20)
#define STEP 7u                      /* bytes from one function to the next */
#define SCOPES 16u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static unsigned look_at(struct text text)
{
	unsigned sum = 0;

	for (size_t i = 0; i < text.size; i++)
		sum += (unsigned char)text.bytes[i];
	return sum;
}

static unsigned look_at_place(const struct sourcemap_place *place)
{
	return look_at(place->name) + look_at(place->scope) + look_at(place->file_name);
}

static unsigned look_up(const void *bytes, size_t size)
{
	struct sourcemap_source source;
	struct err err = ERR_INIT;
	struct sourcemap map;
	unsigned sum = 0;
	struct text line;

	if (sourcemap_open(&map, bytes, size, &err) < 0)
		return 0;
	for (uint32_t i = 0; i < map.token_count && i < 1000; i++) {
		struct sourcemap_place place;
		uint32_t at_line, at_column;

		if (sourcemap_token(&map, i, &at_line, &at_column, &place))
			sum += look_at_place(&place);
		if (sourcemap_lookup(&map, at_line, at_column + 1, &place))
			sum += look_at_place(&place);
	}
	for (uint32_t i = 0; i < map.file_count && i < 1000 && sourcemap_source(&map, i, &source); i++)
		for (uint32_t number = 0; number < 100 && sourcemap_line(&source, number, &line); number++)
			sum += look_at(line) + look_at(source.name);
	return sum;
}

static uint32_t make_scopes(struct sourcemap_scope *scopes, struct sourcemap_scope_part *parts,
			    const char *bytes, size_t size)
{
	uint32_t count = 0;

	for (uint32_t at = 0; at + 2 * STEP < size && count < SCOPES; at += STEP, count++) {
		uint32_t end = count % 2 ? at + STEP : (uint32_t)size - count;

		scopes[count] = (struct sourcemap_scope){ at, end, count, 1 };
		parts[count] = (struct sourcemap_scope_part){ { bytes + at, 2 }, at };
	}
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct text text = { (const char *)bytes, size };
	struct sourcemap_input input = { .map = text, .minified = text, .memory_bytes = MEMORY_BYTES };
	struct sourcemap_scope_part parts[SCOPES];
	struct sourcemap_scope scopes[SCOPES];
	struct file_map map = { NULL, 0 };
	struct sourcemap_report report;
	struct err err = ERR_INIT;
	struct text modules;
	uint32_t line;
	FILE *file;

	if (size && sourcemap_modules(text, &modules))
		for (uint32_t id = 0; id < 100 && sourcemap_module_line(modules, id, &line); id++)
			;
	if (size >= 4 && memcmp(bytes, "SMPC", 4) == 0) {
		(void)look_up(bytes, size);
		return 0;
	}
	file = tmpfile();
	if (!file)
		return 0;
	input.scopes.scopes = scopes;
	input.scopes.parts = parts;
	input.scopes.scope_count = input.scopes.part_count =
		make_scopes(scopes, parts, text.bytes, size);
	if (sourcemap_write(&input, fileno(file), &report, &err) == 0 &&
	    file_map_fd(&map, fileno(file), &err) == 0)
		(void)look_up(map.bytes, map.size);
	file_unmap(&map);
	fclose(file);
	return 0;
}
