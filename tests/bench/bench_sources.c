/*
 * bench_sources.c -- source context: a bundle of 10,000 files made ready, then 100 frames
 * quoted from it, over and over.
 *
 *	bench_sources [SECONDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "object/makers.h"
#include "object/object.h"
#include "sourcecache/sourcecache.h"

#define FILES 10000u
#define LINES 400u
#define FRAMES 100u
#define CONTEXT 5u
#define MEMORY ((size_t)1 << 30)

static void die(const struct err *err)
{
	fprintf(stderr, "%s\n", err->text);
	exit(1);
}

/* Text that packs like text. */
static void fill(struct buf *text, unsigned file)
{
	for (unsigned line = 0; line < LINES; line++)
		buf_printf(text, "\tint value_%u = compute(%u, \"%x\");\n", line, file * line,
			   file * 2654435761u ^ line);
}

static void make(struct buf *bundle)
{
	struct bundle_file *files = calloc(FILES, sizeof(*files));
	struct buf names, text;

	buf_init(&names, MEMORY);
	buf_init(&text, MEMORY);
	for (unsigned i = 0; files && i < FILES; i++) {
		char *path = malloc(80), *zip_path = malloc(80), *contents;

		if (!path || !zip_path)
			abort();
		snprintf(path, 80, "/code/project/module_%u/source_%u.c", i % 97, i);
		snprintf(zip_path, 80, "files%s", path);
		buf_clear(&text);
		fill(&text, i);
		contents = strdup(buf_string(&text));
		files[i] = (struct bundle_file){ zip_path, path, NULL, contents, text.size };
	}
	make_bundle(&(struct bundle_maker){ .files = files, .count = FILES }, bundle);
}

static uint64_t quote(const struct sourcecache *cache, unsigned round)
{
	uint64_t bytes = 0;
	char path[80];

	for (unsigned i = 0; i < FRAMES; i++) {
		unsigned file = (round * 7919u + i * 104729u) % FILES;
		uint32_t at = (round + i * 31u) % (LINES - 2 * CONTEXT) + CONTEXT + 1;
		struct sourcecache_source source;
		struct text line;

		snprintf(path, sizeof(path), "/code/project/module_%u/source_%u.c", file % 97, file);
		if (!sourcecache_find(cache, text_of(path), &source))
			abort();
		for (uint32_t number = at - CONTEXT; number <= at + CONTEXT; number++)
			if (sourcecache_line(&source, number, &line))
				bytes += line.size;
	}
	return bytes;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 2;
	struct sourcecache_options options = { MEMORY, MEMORY, false };
	struct sourcecache_report report;
	struct sourcecache cache;
	struct object object;
	struct err err = ERR_INIT;
	struct file_map map;
	struct arena arena;
	struct buf bundle;
	FILE *file = tmpfile();
	int64_t start, made, ended;
	uint64_t bytes = 0;
	unsigned rounds = 0;

	buf_init(&bundle, MEMORY);
	make(&bundle);
	arena_init(&arena, MEMORY);
	start = clock_monotonic_millis();
	if (!file || object_open(&object, bundle.bytes, bundle.size, &arena, &err) < 0 ||
	    sourcecache_write(&object, &options, fileno(file), &report, &err) < 0)
		die(&err);
	made = clock_monotonic_millis();
	if (file_map_fd(&map, fileno(file), &err) < 0 ||
	    sourcecache_open(&cache, map.bytes, map.size, &err) < 0)
		die(&err);
	do {
		bytes += quote(&cache, rounds++);
		ended = clock_monotonic_millis();
	} while ((double)(ended - made) < seconds * 1000);
	printf("{\"files\": %zu, \"bundle_bytes\": %zu, \"cache_bytes\": %zu, \"make_seconds\": %.3f, "
	       "\"quoted_bytes\": %llu, \"micros_per_100_frames\": %.1f}\n", report.files, bundle.size,
	       map.size, (double)(made - start) / 1000, (unsigned long long)(bytes / rounds),
	       (double)(ended - made) * 1000 / rounds);
	return 0;
}
