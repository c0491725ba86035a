/* macho_starts.c -- LC_FUNCTION_STARTS: where functions begin, those without a symbol too. */
#include "object/macho/macho_file.h"

#include "base/arena.h"
#include "base/err.h"

#define CPU_ARM_32 12u

/* Distances to the one before, the first from the load address; 0 ends the list. */
static uint64_t next_start(struct reader *reader, uint64_t before)
{
	uint64_t distance = reader_uleb128(reader);

	if (reader->failed || distance == 0 || distance > UINT64_MAX - before)
		return 0;
	return before + distance;
}

static size_t count_starts(const struct macho_file *file)
{
	struct reader reader = reader_over("function starts", file->starts.bytes,
					   file->starts.size);
	uint64_t at = 0;
	size_t count = 0;

	while ((at = next_start(&reader, at)) != 0)
		count++;
	return count;
}

int macho_starts_read(const struct macho_file *file, struct macho_starts *starts,
		      struct arena *arena, struct err *err)
{
	struct reader reader = reader_over("function starts", file->starts.bytes,
					   file->starts.size);
	size_t count = count_starts(file);
	uint64_t at = 0;

	*starts = (struct macho_starts){ .count = 0 };
	if (count == 0)
		return 0;
	starts->addresses = arena_alloc_raw(arena, count, sizeof(*starts->addresses));
	if (!starts->addresses)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu function starts", count);
	/* Thumb code has the low bit set, and distances count it. */
	while ((at = next_start(&reader, at)) != 0)
		starts->addresses[starts->count++] =
			file->cpu == CPU_ARM_32 ? at & ~(uint64_t)1 : at;
	return 0;
}
