/* memory_list.c -- the memory a dump holds, and what is said of the rest. */
#include "minidump/minidump_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/search.h"

static int compare_memory(const void *a, const void *b)
{
	const struct minidump_memory *first = a, *second = b;

	if (first->start != second->start)
		return first->start < second->start ? -1 : 1;
	if (first->size != second->size)
		return first->size < second->size ? -1 : 1;
	/* Of the same range the first in the file: one order for every run. */
	return (first->bytes > second->bytes) - (first->bytes < second->bytes);
}

/* False: nothing of it is in the file. */
static bool take_region(struct minidump *dump, uint64_t start, uint64_t size, uint64_t rva,
			struct minidump_memory *memory)
{
	struct reader bytes = minidump_clamped(dump, "memory", rva, size);

	if (rva == 0 || size == 0)
		return false;
	if (bytes.size < size)
		minidump_lose(dump, "memory at 0x%llx: %zu of %llu bytes are in the file",
			      (unsigned long long)start, bytes.size, (unsigned long long)size);
	if (bytes.size == 0 || start > UINT64_MAX - bytes.size)
		return false;
	*memory = (struct minidump_memory){ start, bytes.size, bytes.bytes };
	return true;
}

static void read_list(struct minidump *dump)
{
	struct minidump_entries entries;

	if (!minidump_simple_list(dump, MD_MEMORY_LIST_STREAM, MD_MEMORY_SIZE, LIMIT_MINIDUMP_RANGES,
				  &entries))
		return;
	dump->memory = minidump_records(dump, entries.count, sizeof(*dump->memory));
	for (uint32_t i = 0; dump->memory && i < entries.count; i++) {
		uint64_t start = reader_u64(&entries.reader);
		struct minidump_location at = minidump_read_location(&entries.reader);

		dump->memory_count += take_region(dump, start, at.size, at.rva,
						  &dump->memory[dump->memory_count]);
	}
}

/* The bytes of all ranges follow each other from one offset on.  False: no such list. */
static bool read_list_64(struct minidump *dump)
{
	struct minidump_entries entries;
	struct reader *reader = &entries.reader;
	uint64_t count, rva, left;

	if (!minidump_find_stream(dump, MD_MEMORY_64_LIST_STREAM, reader))
		return false;
	count = reader_u64(reader);
	rva = reader_u64(reader);
	left = reader_left(reader) / MD_MEMORY64_SIZE;
	if (reader->failed)
		return false;
	if (count > left || count > LIMIT_MINIDUMP_RANGES) {
		minidump_lose(dump, "%s: not all of %llu entries are read", reader->name,
			      (unsigned long long)count);
		count = left < LIMIT_MINIDUMP_RANGES ? left : LIMIT_MINIDUMP_RANGES;
	}
	dump->memory = minidump_records(dump, (uint32_t)count, sizeof(*dump->memory));
	for (uint64_t i = 0; dump->memory && i < count; i++) {
		uint64_t start = reader_u64(reader), size = reader_u64(reader);

		dump->memory_count += take_region(dump, start, size, rva,
						  &dump->memory[dump->memory_count]);
		if (size > UINT64_MAX - rva)
			break;
		rva += size;
	}
	return true;
}

/* One that begins within the one before it is dropped whole, as minidump tools do.  That is no loss
 * worth telling: writers list the memory around the program counter even where it is in a stack. */
static void drop_overlaps(struct minidump *dump)
{
	size_t kept = 0;

	for (size_t i = 0; i < dump->memory_count; i++) {
		const struct minidump_memory *last = kept ? &dump->memory[kept - 1] : NULL;

		if (!last || dump->memory[i].start - last->start >= last->size)
			dump->memory[kept++] = dump->memory[i];
	}
	dump->memory_count = kept;
}

void minidump_read_memory(struct minidump *dump)
{
	if (!read_list_64(dump))
		read_list(dump);
	if (dump->memory_count > 1)
		qsort(dump->memory, dump->memory_count, sizeof(*dump->memory), compare_memory);
	drop_overlaps(dump);
}

const struct minidump_memory *minidump_memory_at(const struct minidump *dump, uint64_t address)
{
	size_t at;

	SEARCH_PARTITION_POINT(at, 0, dump->memory_count, dump->memory[at].start <= address);
	if (at == 0 || address - dump->memory[at - 1].start >= dump->memory[at - 1].size)
		return NULL;
	return &dump->memory[at - 1];
}

const uint8_t *minidump_memory_read(const struct minidump *dump, uint64_t address, size_t size)
{
	const struct minidump_memory *memory = minidump_memory_at(dump, address);
	uint64_t at = memory ? address - memory->start : 0;

	return memory && size <= memory->size - at ? memory->bytes + at : NULL;
}

/* --- What is said of the process's memory ----------------------------------------------------- */

int minidump_memory_info(struct minidump *dump, struct minidump_memory_info_list *list,
			 struct err *err)
{
	struct minidump_entries entries;
	struct reader *reader = &entries.reader;
	struct minidump_memory_info *items;

	*list = (struct minidump_memory_info_list){ NULL, 0 };
	if (!minidump_extended_list(dump, MD_MEMORY_INFO_LIST_STREAM, MD_MEMORY_INFO_SIZE, true,
				    LIMIT_MINIDUMP_RANGES, &entries))
		return 0;
	items = minidump_records(dump, entries.count, sizeof(*items));
	for (uint32_t i = 0; items && i < entries.count; i++) {
		items[i].base = reader_u64(reader);
		items[i].allocation_base = reader_u64(reader);
		items[i].allocation_protection = reader_u32(reader);
		reader_skip(reader, sizeof(uint32_t));
		items[i].size = reader_u64(reader);
		items[i].state = reader_u32(reader);
		items[i].protection = reader_u32(reader);
		items[i].type = reader_u32(reader);
		reader_skip(reader, sizeof(uint32_t));
	}
	list->items = items;
	list->count = items ? entries.count : 0;
	return minidump_check_memory(dump, err);
}
