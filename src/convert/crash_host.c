/* crash_host.c -- see crash_host.h. */
#include "convert/crash_host.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/limits.h"
#include "object/elf/elf_file.h"

struct crash_host_module {
	bool is_looked_at, is_asked_for;
	bool has_image;
	struct unwind_image image;
};

/* Where the loader put an address of the file. */
static uint64_t placed(const struct elf_file *file, uint64_t base, uint64_t address)
{
	return base + (address - file->load_address);
}

static const struct elf_segment *segment_of(const struct elf_file *file, uint32_t type)
{
	for (size_t i = 0; i < file->segment_count; i++)
		if (file->segments[i].type == type)
			return &file->segments[i];
	return NULL;
}

/* Segments nothing may write to are in the process as they are in the file. */
static int place_segments(const struct elf_file *file, uint64_t base, struct arena *arena,
			  struct unwind_memory *memory, struct err *err)
{
	struct unwind_region *regions = arena_alloc(arena, file->segment_count + 1, sizeof(*regions));
	size_t count = 0;

	if (!regions)
		return err_set(err, ERR_NO_MEMORY, "no memory for the segments of a module");
	for (size_t i = 0; i < file->segment_count; i++) {
		const struct elf_segment *segment = &file->segments[i];
		struct reader bytes;

		if (segment->type != PT_LOAD || (segment->flags & PF_W) || segment->file_bytes == 0)
			continue;
		bytes = reader_window(&file->whole, "segment", segment->offset, segment->file_bytes);
		if (!bytes.failed)
			regions[count++] = (struct unwind_region){
				placed(file, base, segment->address), bytes.bytes, bytes.size };
	}
	*memory = (struct unwind_memory){ regions, unwind_memory_sort(regions, count),
					  file->whole.big_endian };
	return 0;
}

/* Does memory hold the segment that .eh_frame_hdr lies in, from there on? */
static bool is_whole(const struct elf_file *headers, const struct elf_segment *table, uint64_t base,
		     const struct unwind_memory *memory)
{
	for (size_t i = 0; i < headers->segment_count; i++) {
		const struct elf_segment *segment = &headers->segments[i];

		if (segment->type == PT_LOAD && table->address >= segment->address &&
		    table->address - segment->address < segment->file_bytes)
			return unwind_memory_find(memory, placed(headers, base, table->address),
						  segment->file_bytes -
						  (table->address - segment->address)) != NULL;
	}
	return false;
}

/* 1: the rules are in `memory`, where the module's headers say; 0: not there; -1. */
static int open_in(struct crash_host *host, const void *bytes, size_t size, uint64_t base,
		   const struct unwind_memory *memory, struct unwind_image *image, struct err *err)
{
	struct elf_file file;
	const struct elf_segment *table;

	if (elf_file_read(&file, bytes, size, host->arena, err) < 0) {
		if (err->kind == ERR_NO_MEMORY)
			return -1;
		err_clear(err);
		return 0;
	}
	if (!memory) {
		if (place_segments(&file, base, host->arena, &image->memory, err) < 0)
			return -1;
		memory = &image->memory;
	}
	table = segment_of(&file, PT_GNU_EH_FRAME);
	return table && is_whole(&file, table, base, memory) &&
	       unwind_image_open(image, memory, placed(&file, base, table->address));
}

static int look_in_memory(struct crash_host *host, uint32_t number, struct err *err)
{
	struct crash_host_module *module = &host->modules[number];
	uint64_t base = host->walk->modules.items[number].address;
	const struct unwind_region *region = unwind_memory_find(host->memory, base, SELFMAG);
	size_t skipped;
	int rc;

	module->is_looked_at = true;
	if (!region)
		return 0;
	skipped = (size_t)(base - region->address);
	rc = open_in(host, region->bytes + skipped, region->size - skipped, base, host->memory,
		     &module->image, err);
	module->has_image = rc > 0;
	return rc;
}

static int ask_for_file(struct crash_host *host, uint32_t number, struct err *err)
{
	struct crash_host_module *module = &host->modules[number];
	uint64_t base = host->walk->modules.items[number].address;
	struct file_map map;
	int rc;

	module->is_asked_for = true;
	rc = crash_walk_want(host->walk, "image", number, &map, err);
	if (rc <= 0)
		return rc;
	/* A file without a table still has code. */
	module->has_image = true;
	return open_in(host, map.bytes, map.size, base, NULL, &module->image, err);
}

static const struct unwind_image *find_image(void *payload, uint32_t number, bool is_needed)
{
	struct crash_host *host = payload;
	struct crash_host_module *module = &host->modules[number];

	if (host->rc == 0 && is_needed && !module->is_looked_at &&
	    look_in_memory(host, number, host->err) < 0)
		host->rc = -1;
	if (host->rc == 0 && is_needed && !module->has_image && !module->is_asked_for &&
	    ask_for_file(host, number, host->err) < 0)
		host->rc = -1;
	return host->rc == 0 && module->has_image ? &module->image : NULL;
}

int crash_host_open(struct crash_host *host, struct crash_walk *walk, enum unwind_arch arch,
		    const struct unwind_memory *memory, struct arena *arena, struct err *err)
{
	*host = (struct crash_host){ .walk = walk, .memory = memory, .arena = arena };
	host->modules = arena_alloc(arena, walk->modules.count + 1, sizeof(*host->modules));
	if (!host->modules)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu modules", walk->modules.count);
	host->unwind = (struct unwind_host){
		.arch = arch, .memory = memory, .modules = &walk->modules, .image = find_image,
		.payload = host, .frames = walk->frames, .capacity = LIMIT_CRASH_FRAMES,
	};
	return 0;
}

int crash_host_thread(struct crash_host *host, const struct unwind_registers *registers,
		      struct err *err)
{
	host->err = err;
	host->rc = 0;
	unwind_host_walk(&host->unwind, registers);
	if (host->rc < 0)
		return -1;
	host->walk->frame_count = host->unwind.frame_count;
	if (host->unwind.has_ended)
		return 0;
	return crash_walk_on(host->walk, &host->unwind.last, host->memory, err);
}
