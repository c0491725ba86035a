/*
 * core_modules.c -- which files were mapped where.
 *
 * Linux lists mapped files in NT_FILE; a core without that list (gcore of old, other systems) has
 * its modules wherever dumped memory begins with an ELF header.  Build ids are read from the
 * headers in memory, which Linux dumps unless coredump_filter says otherwise.
 */
#include "coredump/coredump_internal.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"

#define VDSO_NAME "linux-gate.so"

/* The id its headers in memory have, and how much of memory they say it takes. */
static int read_headers(struct coredump_module *module, const struct unwind_region *region,
			struct arena *arena, struct err *err)
{
	struct arena_mark mark = arena_mark(arena);
	struct elf_file headers;
	struct text id;
	size_t skipped = (size_t)(module->base - region->address);
	uint64_t end = 0;

	if (elf_file_read(&headers, region->bytes + skipped, region->size - skipped, arena, err) < 0) {
		bool is_ours = err->kind == ERR_NO_MEMORY;

		arena_rewind(arena, mark);
		if (!is_ours)
			err_clear(err);
		return is_ours ? -1 : 0;
	}
	id = elf_file_find_build_id(&headers);
	module->id_size = id.size < COREDUMP_ID_BYTES ? id.size : COREDUMP_ID_BYTES;
	if (module->id_size > 0) {
		memcpy(module->id, id.bytes, module->id_size);
		module->debug_id = debugid_from_build_id(module->id, module->id_size,
							 !headers.whole.big_endian);
	}
	for (size_t i = 0; i < headers.segment_count; i++) {
		const struct elf_segment *segment = &headers.segments[i];
		uint64_t segment_end = segment->address + segment->memory_bytes - headers.load_address;

		if (segment->type == PT_LOAD && segment->address >= headers.load_address &&
		    segment_end > end)
			end = segment_end;
	}
	if (module->size < end && end <= UINT64_MAX - module->base)
		module->size = end;
	arena_rewind(arena, mark);
	return 0;
}

static bool begins_elf(const struct unwind_region *region, uint64_t address)
{
	size_t skipped = (size_t)(address - region->address);

	return region->size - skipped >= SELFMAG &&
	       memcmp(region->bytes + skipped, ELFMAG, SELFMAG) == 0;
}

/* Consecutive mappings of one file are one module, if the first of them is its beginning. */
static int add_mapped(const struct coredump *core, const struct coredump_notes *notes,
		      struct coredump_module *modules, size_t *count, struct arena *arena,
		      struct err *err)
{
	for (size_t i = 0; i < notes->mapping_count; ) {
		const struct coredump_mapping *first = &notes->mappings[i];
		struct coredump_module module = { .base = first->start, .path = first->path };
		const struct unwind_region *region;
		uint64_t end = first->end;

		for (i++; i < notes->mapping_count; i++) {
			const struct coredump_mapping *next = &notes->mappings[i];

			if (!text_equal(next->path, first->path) || next->start < end ||
			    next->offset == 0)
				break;
			end = next->end;
		}
		module.size = end - first->start;
		if (first->offset != 0)
			continue;
		region = unwind_memory_find(&core->memory, module.base, SELFMAG);
		/* What is mapped from its beginning but has no ELF header is data: fonts, locales. */
		if (region && !begins_elf(region, module.base))
			continue;
		if (region && read_headers(&module, region, arena, err) < 0)
			return -1;
		modules[(*count)++] = module;
	}
	return 0;
}

static int add_found(const struct coredump *core, const struct coredump_notes *notes,
		     struct coredump_module *modules, size_t *count, struct arena *arena,
		     struct err *err)
{
	for (size_t i = 0; i < core->memory.count; i++) {
		const struct unwind_region *region = &core->memory.regions[i];
		bool is_vdso = region->address == notes->vdso && notes->vdso != 0;
		struct coredump_module *module = &modules[*count];

		if (!begins_elf(region, region->address) || (notes->mapping_count > 0 && !is_vdso))
			continue;
		*module = (struct coredump_module){
			.base = region->address, .size = region->size,
			.path = is_vdso ? TEXT(VDSO_NAME) : TEXT_NONE,
		};
		if (read_headers(module, region, arena, err) < 0)
			return -1;
		(*count)++;
	}
	return 0;
}

static int compare_modules(const void *a, const void *b)
{
	const struct coredump_module *left = a, *right = b;

	return (left->base > right->base) - (left->base < right->base);
}

int coredump_find_modules(struct coredump *core, const struct coredump_notes *notes,
			  struct arena *arena, struct err *err)
{
	size_t most = notes->mapping_count + core->memory.count + 2, count = 0;
	struct coredump_module *modules = arena_alloc(arena, most, sizeof(*modules));

	if (!modules)
		return err_set(err, ERR_NO_MEMORY, "no memory for the modules of a core");
	if (add_mapped(core, notes, modules, &count, arena, err) < 0 ||
	    add_found(core, notes, modules, &count, arena, err) < 0)
		return -1;
	if (core->is_kernel && coredump_find_kernel(core, notes->vmcoreinfo, &modules[count]))
		count++;
	qsort(modules, count, sizeof(*modules), compare_modules);
	core->modules = modules;
	core->module_count = count;
	return 0;
}
