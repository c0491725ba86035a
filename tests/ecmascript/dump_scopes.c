/*
 * dump_scopes.c -- the scopes of JavaScript files, for tests that compare them with other parsers'.
 *
 * usage: dump_scopes FILE...
 * For each: a line "= FILE ERRORS OFFSET WORDS"; then one of each scope, its bytes and its name, "-"
 * where it has none; tabs between.
 */
#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "ecmascript/ecmascript.h"

#define ARENA_BYTES ((size_t)1 << 30)

static void dump(const char *path, const struct ecmascript_scopes *scopes)
{
	printf("=\t%s\t%zu\t%u\t%s\n", path, scopes->error_count, scopes->error_offset,
	       scopes->error_words ? scopes->error_words : "");
	for (size_t i = 0; i < scopes->count; i++) {
		const struct ecmascript_scope *scope = &scopes->scopes[i];

		printf("%u\t%u\t", scope->start, scope->end);
		for (uint32_t j = 0; j < scope->part_count; j++) {
			const struct ecmascript_part *part = &scopes->parts[scope->first_part + j];

			fwrite(part->bytes, 1, part->size, stdout);
		}
		printf("%s\n", scope->part_count ? "" : "-");
	}
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct err err = ERR_INIT;
		struct ecmascript_scopes scopes;
		struct arena arena;
		struct file_map map;

		arena_init(&arena, ARENA_BYTES);
		if (file_map_path(&map, argv[i], &err) < 0 ||
		    ecmascript_scopes_read(&scopes, (struct text){ (const char *)map.bytes, map.size },
					   &arena, &err) < 0) {
			fprintf(stderr, "dump_scopes: %s: %s\n", argv[i], err.text);
			return 1;
		}
		dump(argv[i], &scopes);
		ecmascript_scopes_release(&scopes);
		arena_release(&arena);
		file_unmap(&map);
	}
	return 0;
}
