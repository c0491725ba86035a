/* coredump.c -- see coredump.h. */
#include "coredump/coredump_internal.h"

#include "base/arena.h"
#include "base/err.h"

/* Segments as regions, cut to what the file holds. */
static int read_memory(struct coredump *core, const struct elf_file *file, struct arena *arena,
		       struct err *err)
{
	struct unwind_region *regions = arena_alloc(arena, file->segment_count + 1, sizeof(*regions));
	size_t count = 0;

	if (!regions)
		return err_set(err, ERR_NO_MEMORY, "no memory for the segments of a core");
	for (size_t i = 0; i < file->segment_count; i++) {
		const struct elf_segment *segment = &file->segments[i];
		uint64_t left = segment->offset < core->size ? core->size - segment->offset : 0;
		uint64_t size = segment->file_bytes < left ? segment->file_bytes : left;

		if (segment->type != PT_LOAD)
			continue;
		if (segment->file_bytes - size <= UINT64_MAX - core->lost_bytes)
			core->lost_bytes += segment->file_bytes - size;
		if (size > 0)
			regions[count++] = (struct unwind_region){
				segment->address, core->bytes + segment->offset, (size_t)size };
	}
	core->memory = (struct unwind_memory){ regions, unwind_memory_sort(regions, count),
					       core->big_endian };
	return 0;
}

/* The kernel writes the thread that took the signal first; others put it anywhere. */
static void put_signalled_first(struct coredump *core, struct coredump_thread *threads)
{
	for (size_t i = 1; i < core->thread_count && core->has_signal && threads[0].signal == 0; i++)
		if (threads[i].signal == (uint32_t)core->signal) {
			struct coredump_thread signalled = threads[i];

			memmove(threads + 1, threads, i * sizeof(*threads));
			threads[0] = signalled;
		}
}

static void settle(struct coredump *core, const struct coredump_notes *notes)
{
	core->threads = notes->threads;
	core->thread_count = notes->thread_count;
	core->mappings = notes->mappings;
	core->mapping_count = notes->mapping_count;
	if (!core->has_signal && core->thread_count > 0 && notes->threads[0].signal != 0) {
		core->has_signal = true;
		core->signal = (int32_t)notes->threads[0].signal;
	}
	put_signalled_first(core, notes->threads);
}

int coredump_open(struct coredump *core, const uint8_t *bytes, size_t size, struct arena *arena,
		  struct err *err)
{
	struct coredump_notes notes;
	struct elf_file file;
	enum unwind_arch arch;

	*core = (struct coredump){ .bytes = bytes, .size = size };
	if (elf_file_read(&file, bytes, size, arena, err) < 0)
		return err_while(err, "reading a core file");
	if (file.type != ET_CORE)
		return err_set(err, ERR_MALFORMED, "an ELF file, but no core (e_type %u)", file.type);
	if (file.segment_count == 0)
		return err_set(err, ERR_MALFORMED, "a core file of %zu bytes without program headers: "
			       "it was cut before they end", size);
	core->big_endian = file.whole.big_endian;
	core->is_64_bit = file.wide;
	core->machine = file.machine;
	core->arch = elf_file_arch(&file);
	core->has_walker = coredump_walker(file.machine, file.wide, &arch);
	if (coredump_read_notes(core, &file, arena, &notes, err) < 0 ||
	    read_memory(core, &file, arena, err) < 0)
		return -1;
	settle(core, &notes);
	coredump_read_kernel(core, notes.vmcoreinfo);
	return coredump_find_modules(core, &notes, arena, err);
}
