/* fake.c -- tables as units, files through a temporary. */
#include "symcache/fake.h"

#include <check.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/limits.h"

#define FAKE_CHAIN_BYTES ((size_t)64 * 1024)

static size_t unit_count(const struct object *object)
{
	return ((const struct fake *)object->state)->unit_count;
}

static int read_unit(const struct object *object, size_t unit, struct arena *scratch,
		     const struct object_sink *sink, struct err *err)
{
	const struct fake_unit *from = &((const struct fake *)object->state)->units[unit];

	(void)scratch;
	for (size_t i = 0; i < from->function_count; i++)
		if (sink->function(sink->payload, from->files, from->file_count,
				   &from->functions[i], err))
			return -1;
	if (from->ends_in != ERR_NONE)
		return err_set(err, from->ends_in, "the end of unit %zu is missing", unit);
	return 0;
}

static int each_symbol(const struct object *object, object_symbol_fn *fn, void *payload,
		       struct err *err)
{
	const struct fake *fake = object->state;

	(void)err;
	for (size_t i = 0; i < fake->symbol_count; i++)
		if (fn(payload, &fake->symbols[i]))
			break;
	return 0;
}

static const struct object_format format_fake = {
	.name = "fake", .unit_count = unit_count, .read_unit = read_unit,
	.each_symbol = each_symbol,
};

struct object fake_object(const struct fake *fake)
{
	static const uint8_t uuid[DEBUGID_UUID_BYTES] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	return (struct object){ .format = &format_fake, .arch = ARCH_X86_64,
				.debug_id = debugid_from_uuid(uuid, 3),
				.symbols_end_at_functions = fake->symbols_end_at_functions,
				.state = (void *)(uintptr_t)fake };
}

int fake_write(const struct fake *fake, unsigned threads, struct buf *out,
	       struct symcache_report *report, struct err *err)
{
	struct object object = fake_object(fake);
	struct symcache_options options = { .threads = threads };
	FILE *file = tmpfile();
	struct file_map map;
	int rc;

	ck_assert_ptr_nonnull(file);
	rc = symcache_write(&object, &options, fileno(file), report, err);
	if (rc == 0) {
		struct err map_err = ERR_INIT;

		ck_assert_int_eq(file_map_fd(&map, fileno(file), &map_err), 0);
		ck_assert_uint_eq(map.size, report->bytes);
		buf_add(out, map.bytes, map.size);
		file_unmap(&map);
	}
	fclose(file);
	return rc;
}

const char *fake_chain(const struct buf *file, uint64_t address)
{
	static char text[FAKE_CHAIN_BYTES];
	struct symcache_frame frames[LIMIT_INLINE_DEPTH];
	struct symcache cache;
	struct err err = ERR_INIT;
	size_t count, used = 0;

	ck_assert_msg(symcache_open(&cache, file->bytes, file->size, &err) == 0, "%s", err.text);
	count = symcache_lookup(&cache, address, frames, LIMIT_INLINE_DEPTH);
	snprintf(text, sizeof(text), "-");
	for (size_t i = 0; i < count; i++) {
		struct buf path;

		buf_init(&path, LIMIT_NAME_BYTES);
		symcache_frame_path(&frames[i], &path);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.*s at %s:%u",
					 i ? " < " : "", (int)frames[i].function.size,
					 frames[i].function.bytes,
					 path.size ? buf_string(&path) : "?",
					 (unsigned)frames[i].line);
		buf_release(&path);
	}
	return text;
}
