/*
 * core_match.c -- is a file the one a module was mapped from?  For modules without a build id.
 *
 * The kernel dumps at least the first page of each, with the program headers: how large every segment
 * is, to the byte.  Where even that is missing (a core that was cut) the list of mappings has to do.
 */
#include "coredump/coredump_internal.h"

#include "base/err.h"

#define PAGE_BYTES_MIN  UINT64_C(0x1000)
#define PAGE_BYTES_MAX  UINT64_C(0x10000)    /* of ARM64 and PowerPC */
#define COMPARED_BYTES  ((uint64_t)16 << 20) /* of a file; more would tell no more */

struct core_match {
	const struct coredump *core;
	const struct coredump_module *module;
	const struct elf_file *file;
	uint64_t compared;
};

/* Where a segment of the file begins in memory. */
static uint64_t start_of(const struct core_match *match, const struct elf_segment *segment)
{
	return match->module->base + (segment->address - match->file->load_address);
}

static bool is_loaded(const struct core_match *match, const struct elf_segment *segment)
{
	return segment->type == PT_LOAD && segment->file_bytes > 0 &&
	       segment->address >= match->file->load_address &&
	       segment->offset <= match->file->whole.size &&
	       segment->file_bytes <= match->file->whole.size - segment->offset;
}

static bool is_of_module(const struct core_match *match, const struct coredump_mapping *mapping)
{
	return text_equal(mapping->path, match->module->path) &&
	       mapping->start >= match->module->base &&
	       mapping->start - match->module->base < match->module->size;
}

/* As large as the pages of the machine were, at most: a segment is aligned to the largest there may be. */
static uint64_t page_bytes(const struct elf_segment *segment)
{
	if (segment->align < PAGE_BYTES_MIN)
		return PAGE_BYTES_MIN;
	return segment->align < PAGE_BYTES_MAX ? segment->align : PAGE_BYTES_MAX;
}

/* Is that part of the file there because of this segment? */
static bool is_mapped_by(const struct core_match *match, const struct coredump_mapping *mapping,
			 const struct elf_segment *segment)
{
	uint64_t page = page_bytes(segment);

	return mapping->start - start_of(match, segment) == mapping->offset - segment->offset &&
	       mapping->offset < segment->offset + segment->file_bytes &&
	       mapping->offset + page > segment->offset - segment->offset % page;
}

static bool has_segment(const struct core_match *match, const struct coredump_mapping *mapping)
{
	for (size_t i = 0; i < match->file->segment_count; i++)
		if (is_loaded(match, &match->file->segments[i]) &&
		    is_mapped_by(match, mapping, &match->file->segments[i]))
			return true;
	return false;
}

static bool is_mapped(const struct core_match *match, const struct elf_segment *segment)
{
	for (size_t i = 0; i < match->core->mapping_count; i++)
		if (is_of_module(match, &match->core->mappings[i]) &&
		    is_mapped_by(match, &match->core->mappings[i], segment))
			return true;
	return false;
}

/* Between segments there is left what the dynamic linker mapped before it mapped the others over that, to keep
 * the place (glibc, _dl_map_segments(); arm64, where segments lie 64 KiB apart).  It belongs there if what is behind
 * it does.  Test: a_file_is_held_against_its_module. */
static bool is_gap(const struct core_match *match, const struct coredump_mapping *mapping)
{
	const struct elf_segment *next = NULL;

	if (mapping->start - match->module->base != mapping->offset)
		return false;
	for (size_t i = 0; i < match->file->segment_count; i++) {
		const struct elf_segment *segment = &match->file->segments[i];
		uint64_t start = start_of(match, segment);

		if (!is_loaded(match, segment))
			continue;
		if (start > mapping->start && (!next || start < start_of(match, next)))
			next = segment;
		if (start <= mapping->start && mapping->start - start < segment->file_bytes)
			return false;
	}
	return next && mapping->end <= start_of(match, next) && is_mapped(match, next);
}

static int compare_mappings(const struct core_match *match, struct err *err)
{
	size_t count = 0;

	for (size_t i = 0; i < match->core->mapping_count; i++) {
		const struct coredump_mapping *mapping = &match->core->mappings[i];

		if (!is_of_module(match, mapping))
			continue;
		if (!has_segment(match, mapping) && !is_gap(match, mapping))
			return err_set(err, ERR_NOT_FOUND, "no segment of it belongs at 0x%llx, where byte "
				       "%llu of the file was mapped", (unsigned long long)mapping->start,
				       (unsigned long long)mapping->offset);
		count++;
	}
	return count > 0 ? 0 : err_set(err, ERR_NOT_FOUND, "the core does not say what was mapped of it");
}

/* What the core has of [start, start + segment->file_bytes). */
static int compare_region(struct core_match *match, const struct elf_segment *segment,
			  const struct unwind_region *region, struct err *err)
{
	uint64_t start = start_of(match, segment), from, size, into;
	const uint8_t *bytes = match->file->whole.bytes + segment->offset;

	if (region->address >= start) {
		into = region->address - start;
		from = 0;
	} else {
		into = 0;
		from = start - region->address;
	}
	if (into >= segment->file_bytes || from >= region->size)
		return 0;
	size = segment->file_bytes - into;
	size = region->size - from < size ? region->size - from : size;
	size = COMPARED_BYTES - match->compared < size ? COMPARED_BYTES - match->compared : size;
	match->compared += size;
	if (memcmp(bytes + into, region->bytes + from, (size_t)size) != 0)
		return err_set(err, ERR_NOT_FOUND, "what was mapped at 0x%llx is not what it has",
			       (unsigned long long)(start + into));
	return 0;
}

static int compare_memory(struct core_match *match, struct err *err)
{
	for (size_t i = 0; i < match->file->segment_count; i++) {
		const struct elf_segment *segment = &match->file->segments[i];

		if (!is_loaded(match, segment) || (segment->flags & PF_W))
			continue;
		for (size_t j = 0; j < match->core->memory.count; j++)
			if (compare_region(match, segment, &match->core->memory.regions[j], err) < 0)
				return -1;
	}
	return 0;
}

int coredump_match(const struct coredump *core, const struct coredump_module *module,
		   const uint8_t *bytes, size_t size, struct arena *arena, struct err *err)
{
	struct elf_file file;
	struct core_match match = { .core = core, .module = module, .file = &file };

	if (elf_file_read(&file, bytes, size, arena, err) < 0)
		return -1;
	if (file.machine != core->machine || file.wide != core->is_64_bit ||
	    file.whole.big_endian != core->big_endian)
		return err_set(err, ERR_NOT_FOUND, "it is for another processor");
	if (file.type == ET_EXEC && module->base != file.load_address)
		return err_set(err, ERR_NOT_FOUND, "it belongs at 0x%llx",
			       (unsigned long long)file.load_address);
	return compare_mappings(&match, err) < 0 ? -1 : compare_memory(&match, err);
}
