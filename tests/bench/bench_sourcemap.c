/*
 * bench_sourcemap.c -- a source map made into its lookup file, its tokens read, places looked up.
 *
 *	bench_sourcemap MAP
 *
 * Seconds are of the processor.  Memory is the process's own at its peak, but for the map's pages.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "base/err.h"
#include "base/file.h"
#include "sourcemap/sourcemap.h"

#define LOOKUPS 2000000u
#define COLUMNS 20000u
#define MEMORY ((size_t)4 << 30)

static void die(const struct err *err)
{
	fprintf(stderr, "%s\n", err->text);
	exit(1);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int count(void *payload, const struct sourcemap_mapping *mapping, struct err *err)
{
	(void)err;
	*(size_t *)payload += mapping->has_source;
	return 0;
}

static double look_up(const struct sourcemap *map, unsigned *found)
{
	double before = seconds();
	unsigned random = 1;

	for (unsigned i = 0; i < LOOKUPS && map->line_count; i++) {
		struct sourcemap_place place;

		random = random * 1664525u + 1013904223u;
		*found += sourcemap_lookup(map, (random >> 8) % map->line_count,
					   (random >> 3) % COLUMNS, &place);
	}
	return (seconds() - before) / LOOKUPS * 1e6;
}

int main(int argc, char **argv)
{
	struct sourcemap_input input = { .memory_bytes = MEMORY };
	struct sourcemap_report report;
	struct file_map text, bytes;
	struct err err = ERR_INIT;
	double start, write_seconds, read_seconds, micros;
	struct rusage usage;
	struct sourcemap map;
	size_t mapped = 0;
	unsigned found = 0;
	FILE *file = tmpfile();

	if (argc != 2 || !file)
		return 2;
	if (file_map_path(&text, argv[1], &err) < 0)
		die(&err);
	input.map = (struct text){ (const char *)text.bytes, text.size };
	input.minified = TEXT("");
	start = seconds();
	if (sourcemap_write(&input, fileno(file), &report, &err) < 0)
		die(&err);
	write_seconds = seconds() - start;
	getrusage(RUSAGE_SELF, &usage);
	start = seconds();
	if (sourcemap_each(input.map, MEMORY, count, &mapped, &err) < 0)
		die(&err);
	read_seconds = seconds() - start;
	if (file_map_fd(&bytes, fileno(file), &err) < 0 ||
	    sourcemap_open(&map, bytes.bytes, bytes.size, &err) < 0)
		die(&err);
	micros = look_up(&map, &found);
	printf("{\"map_bytes\":%zu,\"tokens\":%zu,\"cache_bytes\":%zu,\"write_seconds\":%.4f,"
	       "\"read_seconds\":%.4f,\"own_bytes\":%lld,\"lookup_micros\":%.4f,\"found\":%u}\n",
	       text.size, report.tokens, bytes.size, write_seconds, read_seconds,
	       (long long)usage.ru_maxrss * 1024 - (long long)text.size, micros, found);
	return 0;
}
