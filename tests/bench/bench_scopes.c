/*
 * bench_scopes.c -- the functions of a JavaScript file, read over and over.
 *
 *	bench_scopes FILE [SECONDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "ecmascript/ecmascript.h"

#define MEMORY ((size_t)1 << 30)

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double seconds = argc > 2 ? strtod(argv[2], NULL) : 1, start, spent = 0;
	struct err err = ERR_INIT;
	size_t scopes = 0, parts = 0;
	struct file_map map;
	unsigned rounds = 0;

	if (argc < 2 || file_map_path(&map, argv[1], &err) < 0) {
		fprintf(stderr, "bench_scopes: %s\n", argc < 2 ? "no file" : err.text);
		return 1;
	}
	start = cpu_seconds();
	do {
		struct ecmascript_scopes found;
		struct arena arena;

		arena_init(&arena, MEMORY);
		if (ecmascript_scopes_read(&found, (struct text){ (const char *)map.bytes, map.size },
					   &arena, &err) < 0) {
			fprintf(stderr, "bench_scopes: %s\n", err.text);
			return 1;
		}
		scopes = found.count;
		parts = found.part_count;
		ecmascript_scopes_release(&found);
		arena_release(&arena);
		rounds++;
		spent = cpu_seconds() - start;
	} while (spent < seconds);
	printf("{\"bytes\": %zu, \"scopes\": %zu, \"parts\": %zu, \"bytes_per_second\": %.0f}\n", map.size,
	       scopes, parts, (double)map.size * rounds / spent);
	file_unmap(&map);
	return 0;
}
