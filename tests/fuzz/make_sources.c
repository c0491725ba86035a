/*
 * make_sources.c -- Portable PDBs, source bundles and the caches made of them, as inputs for
 * the fuzz targets.
 *
 * usage: make_sources OUT_DIR      (files below OUT_DIR/ppdb, OUT_DIR/bundle, OUT_DIR/sources)
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "object/makers.h"
#include "object/object.h"
#include "ppdbcache/ppdbcache.h"
#include "sourcecache/sourcecache.h"

#define BYTES_MOST ((size_t)16 << 20)

static const char *folder;

static FILE *open_file(const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file) {
		perror(path);
		exit(1);
	}
	return file;
}

static void must(int rc, const struct err *err)
{
	if (rc == 0)
		return;
	fprintf(stderr, "%s\n", err->text);
	exit(1);
}

/* The bytes, and what is made of them: names of "", none. */
static void keep(const struct buf *bytes, const char *name, const char *sources,
		 const char *places)
{
	struct sourcecache_options options = { BYTES_MOST, BYTES_MOST, false };
	struct sourcecache_report source_report;
	struct ppdbcache_report place_report;
	FILE *file = open_file(name);
	struct arena arena;
	struct object object;
	struct err err = ERR_INIT;

	fwrite(bytes->bytes, 1, bytes->size, file);
	fclose(file);
	arena_init(&arena, BYTES_MOST);
	must(object_open(&object, bytes->bytes, bytes->size, &arena, &err), &err);
	if (*sources) {
		file = open_file(sources);
		must(sourcecache_write(&object, &options, fileno(file), &source_report, &err), &err);
		fclose(file);
	}
	if (*places) {
		file = open_file(places);
		must(ppdbcache_write(&object, BYTES_MOST, fileno(file), &place_report, &err), &err);
		fclose(file);
	}
	object_release(&object);
	arena_release(&arena);
}

int main(int argc, char **argv)
{
	static const struct bundle_file files[] = {
		{ "files/src/b.c", "/src/b.c", NULL, "int b;\n", 0 },
		{ "files/src/a.c", "C:\\\\src\\\\a.c", "https://example.org/a.c", "int a;\n\n", 0 },
	};
	static const struct bundle_maker bundles[] = {
		{ .files = files, .count = 2,
		  .attributes = "\"arch\":\"x86\",\"source_links\":{\"/src/*\":\"https://h/*\"}" },
		{ .files = files, .count = 2, .stored = true, .zip64 = true },
	};
	struct buf bytes, image;

	if (argc != 2)
		return 2;
	folder = argv[1];
	buf_init(&bytes, BYTES_MOST);
	make_ppdb(&(struct ppdb_maker){ 0 }, &bytes);
	keep(&bytes, "ppdb/plain", "sources/ppdb", "sources/places");
	buf_init(&image, BYTES_MOST);
	make_pe_around(&bytes, 0, &image);
	keep(&image, "ppdb/image", "", "");
	buf_release(&image);
	buf_clear(&bytes);
	make_ppdb(&(struct ppdb_maker){ .wide = true, .no_sources = true }, &bytes);
	keep(&bytes, "ppdb/wide", "", "");
	buf_clear(&bytes);
	make_bundle(&bundles[0], &bytes);
	keep(&bytes, "bundle/deflated", "sources/bundle", "");
	buf_clear(&bytes);
	make_bundle(&bundles[1], &bytes);
	keep(&bytes, "bundle/stored", "", "");
	buf_release(&bytes);
	return 0;
}
