/* objects.c -- see objects.h. */
#include "fuzz/objects.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/mem.h"
#include "cfi/cfi.h"
#include "object/object.h"

#define FUZZ_ARENA_BYTES ((size_t)256 << 20)

static volatile uint64_t total;

static uint64_t sum_of(struct text text)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < text.size; i++)
		sum += (unsigned char)text.bytes[i];
	return sum;
}

static int see_symbol(void *payload, const struct object_symbol *symbol)
{
	(void)payload;
	total += sum_of(symbol->name);
	return 0;
}

static int see_function(void *payload, const struct object_file_name *files, size_t file_count,
			const struct object_function *function, struct err *err)
{
	uint64_t end = function->range.address + function->range.size;

	(void)payload;
	(void)err;
	if (function->range.size == 0)
		abort();
	total += sum_of(function->name);
	for (size_t i = 0; i < function->line_count; i++) {
		const struct object_line *line = &function->lines[i];

		if (line->address < function->range.address || line->address >= end ||
		    (i > 0 && line->address <= line[-1].address))
			abort();
		if (line->file != OBJECT_NO_FILE && line->file >= file_count)
			abort();
		if (line->file != OBJECT_NO_FILE)
			total += sum_of(files[line->file].name);
	}
	for (size_t i = 0; i < function->inlinee_count; i++) {
		const struct object_inlinee *inlinee = &function->inlinees[i];

		if (inlinee->parent != OBJECT_NO_PARENT && inlinee->parent >= i)
			abort();
		total += sum_of(inlinee->name);
	}
	return 0;
}

static int see_method(void *payload, const struct object_document *documents, size_t count,
		      const struct object_method *method, struct err *err)
{
	(void)payload;
	(void)err;
	for (size_t i = 0; i < method->point_count; i++) {
		if (method->points[i].document >= count)
			abort();
		total += sum_of(documents[method->points[i].document].name);
	}
	return 0;
}

static int see_source(void *payload, const struct object_source *source, struct err *err)
{
	(void)payload;
	(void)err;
	if (!source->trouble[0])
		total += sum_of(source->packed);
	total += sum_of(source->path) + sum_of(source->url) + sum_of(source->source_map);
	for (size_t i = 0; i < source->headers.count; i++)
		total += sum_of(source->headers.pairs[i].name) + sum_of(source->headers.pairs[i].value);
	return 0;
}

static int see_link(void *payload, const struct object_source_link *link, struct err *err)
{
	(void)payload;
	(void)err;
	total += sum_of(link->pattern) + sum_of(link->url);
	return 0;
}

static void read_more(struct object *object, struct arena *scratch)
{
	struct object_managed_sink methods = { NULL, see_method };
	struct object_source_sink sources = { NULL, see_source, see_link };
	struct object_managed_report report;
	struct err err = ERR_INIT;

	if (object_each_method(object, scratch, &methods, &report, &err) < 0)
		err_clear(&err);
	if (object_each_source(object, scratch, &sources, &err) < 0)
		err_clear(&err);
}

static void read_unwind(struct object *object)
{
	static const struct cfi_options options;
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct cfi_report report;
	struct err err = ERR_INIT;

	if (cfi_write(object, &options, fd, &report, &err) == 0)
		total += report.bytes;
	close(fd);
}

static void read_all(struct object *object, struct arena *scratch)
{
	struct object_sink sink = { NULL, see_function };
	struct err err = ERR_INIT;

	if (object_prepare(object, &err) < 0 ||
	    object_each_symbol(object, see_symbol, NULL, &err) < 0)
		return;
	for (size_t i = 0; i < object_unit_count(object); i++)
		if (object_read_unit(object, i, scratch, &sink, &err) < 0)
			err_clear(&err);
}

static void read_slice(struct text slice, bool with_companions)
{
	struct arena arena, scratch;
	struct err err = ERR_INIT;
	struct object object;

	arena_init(&arena, FUZZ_ARENA_BYTES);
	arena_init(&scratch, FUZZ_ARENA_BYTES);
	if (object_open(&object, slice.bytes, slice.size, &arena, &err) == 0) {
		object.wants_variables = with_companions;
		for (unsigned role = 0; with_companions && role < OBJECT_ROLES; role++)
			if (object_attach(&object, (enum object_role)role, slice.bytes, slice.size,
					  &err) < 0)
				err_clear(&err);
		read_all(&object, &scratch);
		read_more(&object, &scratch);
		read_unwind(&object);
	}
	object_release(&object);
	arena_release(&scratch);
	arena_release(&arena);
}

void fuzz_object(const uint8_t *bytes, size_t size)
{
	size_t count = object_slice_count(bytes, size);
	long live = mem_live;

	for (size_t i = 0; i < count; i++) {
		struct err err = ERR_INIT;
		struct text slice;

		if (object_slice(bytes, size, i, &slice, &err) < 0)
			continue;
		read_slice(slice, false);
		read_slice(slice, true);
	}
	if (mem_live != live)
		abort();
}

void fuzz_with_magic(const uint8_t *bytes, size_t size, const char *magic, size_t magic_size)
{
	uint8_t *copy;

	if (size < magic_size)
		return;
	copy = mem_get(size);
	if (!copy)
		return;
	memcpy(copy, bytes, size);
	memcpy(copy, magic, magic_size);
	fuzz_object(copy, size);
	mem_give_back(copy);
}
