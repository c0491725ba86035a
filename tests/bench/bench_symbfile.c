/*
 * bench_symbfile -- calls found in code, and a large symbfile made, indexed and asked; one thread.
 *
 *	bench_symbfile code OBJECT
 *	bench_symbfile index MEGABYTES FOLDER [COUNT]
 *
 * Prints megabytes per second of processor time, and the mean time of a look-up.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/vec.h"
#include "convert/return_pads.h"
#include "object/object.h"
#include "symbfile/symbfile_index.h"

#define DEFAULT_COUNT 1000000u
#define FUNCTION_BYTES 96u
#define FRAMES 16u
#define PASSES 5u
#define MEGABYTE 1e6

static double seconds_since(clock_t before)
{
	return (double)(clock() - before) / CLOCKS_PER_SEC;
}

/* --- Code ----------------------------------------------------------------------------------------- */

static int count_call(void *payload, uint64_t call, unsigned bytes, struct err *err)
{
	(void)call;
	(void)bytes;
	(void)err;
	++*(uint64_t *)payload;
	return 0;
}

struct functions { const struct object *object; struct text *codes; size_t count, capacity; };

static int keep_function(void *payload, const struct object_symbol *symbol)
{
	struct functions *functions = payload;
	struct text code = object_image_at(functions->object, symbol->address);

	if (!code.bytes || symbol->size == 0)
		return 0;
	if (code.size > symbol->size)
		code.size = (size_t)symbol->size;
	if (vec_reserve(&functions->codes, &functions->capacity, functions->count + 1, sizeof(code)) < 0)
		return -1;
	functions->codes[functions->count++] = code;
	return 0;
}

/* The best of some passes: the first one reads the file from disk. */
static int find_calls(const struct functions *functions, struct err *err)
{
	uint64_t calls = 0, bytes = 0;
	double best = 0;

	for (unsigned pass = 0; pass < PASSES; pass++) {
		clock_t start = clock();

		calls = bytes = 0;
		for (size_t i = 0; i < functions->count; i++) {
			bytes += functions->codes[i].size;
			if (return_pads_find(functions->object->arch, functions->codes[i], count_call, &calls, err) < 0)
				return -1;
		}
		if (pass == 0 || best > seconds_since(start))
			best = seconds_since(start);
	}
	printf("code: %" PRIu64 " calls in %.1f MB, %.0f MB/s\n", calls, (double)bytes / MEGABYTE,
	       (double)bytes / MEGABYTE / best);
	return 0;
}

static int read_code(const char *path, struct err *err)
{
	struct functions functions = { .count = 0 };
	struct object object;
	struct file_map map;
	struct arena arena;
	int rc;

	arena_init(&arena, LIMIT_CELL_DATA_BYTES);
	if (file_map_path(&map, path, err) < 0 || object_open(&object, map.bytes, map.size, &arena, err) < 0 ||
	    object_prepare(&object, err) < 0)
		return -1;
	functions.object = &object;
	rc = object_each_symbol(&object, keep_function, &functions, err);
	if (rc == 0)
		rc = find_calls(&functions, err);
	mem_give_back(functions.codes);
	object_release(&object);
	arena_release(&arena);
	file_unmap(&map);
	return rc;
}

/* --- An index --------------------------------------------------------------------------------------- */

static int write_function(struct symbfile_writer *writer, uint64_t number, struct err *err)
{
	char name[64], inlined[64], file[64];
	const struct symbfile_line lines[] = { { 0, 10 }, { 9, 12 }, { 30, 15 }, { 71, 16 } };
	struct symbfile_range range = {
		.address = 0x1000 + number * FUNCTION_BYTES, .length = FUNCTION_BYTES - 6, .lines = lines, .line_count = 4,
	};

	snprintf(name, sizeof(name), "component::class_%" PRIu64 "::method(int, char const*)", number / 7);
	snprintf(inlined, sizeof(inlined), "component::list_%" PRIu64 "::push_back(int)", number % 911);
	snprintf(file, sizeof(file), "/build/source/component/file_%" PRIu64 ".cc", number / 50);
	range.function = text_of(name);
	range.file = text_of(file);
	if (symbfile_write_range(writer, &range, err) < 0)
		return -1;
	range.address += 16;
	range.length = 24;
	range.function = text_of(inlined);
	range.call_file = text_of(file);
	range.call_line = 11;
	range.depth = 1;
	range.line_count = 2;
	return symbfile_write_range(writer, &range, err);
}

static int write_large(const char *folder, uint64_t bytes, int *fd, uint64_t *functions, struct err *err)
{
	struct symbfile_writer writer;
	char path[4096];
	int rc;

	if (file_temporary(folder, path, sizeof(path), fd, err) < 0)
		return -1;
	unlink(path);
	rc = symbfile_writer_init(&writer, *fd, err);
	for (*functions = 0; rc == 0 && symbfile_writer_bytes(&writer) < bytes; ++*functions)
		rc = write_function(&writer, *functions, err);
	if (rc == 0)
		rc = symbfile_writer_end(&writer, err);
	symbfile_writer_release(&writer);
	return rc;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static int look_up(int fd, uint64_t functions, unsigned long count, struct err *err)
{
	uint64_t state = UINT64_C(88172645463325252), found = 0;
	struct symbfile_frame frames[FRAMES];
	struct symbfile_index index;
	struct file_map map;
	clock_t start;

	if (file_map_fd(&map, fd, err) < 0 || symbfile_index_open(&index, map.bytes, map.size, err) < 0)
		return -1;
	for (size_t i = 0; i < map.size; i += 4096)          /* each page once, that none is read while we measure */
		found += map.bytes[i];
	printf("%s", found == 0 ? "an index of nothing\n" : "");
	found = 0;
	start = clock();
	for (unsigned long i = 0; i < count; i++)
		found += symbfile_lookup(&index, 1, 0x1000 + next_random(&state) % (functions * FUNCTION_BYTES),
					 frames, FRAMES);
	printf("looked up: %lu, %.2f frames each, %.3f us\n", count, (double)found / (double)(count ? count : 1),
	       seconds_since(start) / (double)(count ? count : 1) * 1e6);
	file_unmap(&map);
	return 0;
}

static int make_index(const char *folder, uint64_t bytes, unsigned long count, struct err *err)
{
	struct symbfile_index_report report;
	char path[4096];
	struct file_map map;
	struct rusage usage;
	uint64_t functions;
	clock_t start = clock();
	int from, to;

	if (write_large(folder, bytes, &from, &functions, err) < 0 || file_map_fd(&map, from, err) < 0 ||
	    file_temporary(folder, path, sizeof(path), &to, err) < 0)
		return -1;
	unlink(path);
	printf("written: %.1f MB, %.0f MB/s\n", (double)map.size / MEGABYTE,
	       (double)map.size / MEGABYTE / seconds_since(start));
	start = clock();
	if (symbfile_index_write(map.bytes, map.size, LIMIT_CELL_DATA_BYTES, to, &report, err) < 0)
		return -1;
	getrusage(RUSAGE_SELF, &usage);
	printf("indexed: %" PRIu64 " ranges, %.1f MB, %.0f MB/s, %ld MB\n", report.read.ranges,
	       (double)report.bytes / MEGABYTE, (double)map.size / MEGABYTE / seconds_since(start),
	       usage.ru_maxrss / 1000);
	file_unmap(&map);
	return look_up(to, functions, count, err);
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	int rc = -1;

	if (argc == 3 && strcmp(argv[1], "code") == 0) {
		rc = read_code(argv[2], &err);
	} else if (argc >= 4 && strcmp(argv[1], "index") == 0) {
		rc = make_index(argv[3], strtoull(argv[2], NULL, 10) * UINT64_C(1000000),
				argc > 4 ? strtoul(argv[4], NULL, 10) : DEFAULT_COUNT, &err);
	} else {
		fprintf(stderr, "usage: bench_symbfile code OBJECT | index MEGABYTES FOLDER [COUNT]\n");
		return 2;
	}
	if (rc < 0)
		fprintf(stderr, "bench_symbfile: %s\n", err.text);
	return rc < 0;
}
