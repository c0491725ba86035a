/*
 * elf_layout.c -- the code of relocatable files, whose sections all begin at 0.
 *
 * While such a file is read its code sections lie side by side, so that nothing in one is
 * taken for something in another: relocations and symbols are counted from there.  What is
 * handed out has the address the file gives.  There sections lie over each other; an address
 * belongs to .text where .text is as long, then to the first section in the file that is
 * (llvm-symbolizer's choice as well), and what lies below is not handed out at all.
 * Modules of the kernel are such files (test: code_of_one_section_is_not_mixed_with_anothers).
 */
#include "object/elf/elf_file.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/search.h"

#define FIRST_ADDRESS  0x10000u          /* nothing lies at 0: it is what was discarded */
#define SECTION_ALIGN  16u               /* and the least gap between two sections */
#define MOST_REACHES   64u               /* sections lie at 0; stranger files get no more */

/* File addresses that are taken: disjoint, ascending, merged where they touch. */
struct reaches {
	struct { uint64_t start, end; } items[MOST_REACHES];
	size_t count;
};

static bool is_code(const struct elf_section *section)
{
	return (section->flags & SHF_EXECINSTR) && section->size > 0;
}

static void add_stretch(struct elf_file *file, const struct elf_section *section, uint64_t from,
			uint64_t to)
{
	uint64_t shift = section->laid_at - section->address;

	if (from < to)
		file->stretches[file->stretch_count++] = (struct elf_stretch){
			.start = from + shift, .end = to + shift, .shift = shift,
			.section_end = section->laid_at + section->size,
		};
}

/* [start, end) is taken now; those it touches become one with it. */
static void take(struct reaches *reaches, uint64_t start, uint64_t end)
{
	size_t from = 0, to;

	while (from < reaches->count && reaches->items[from].end < start)
		from++;
	for (to = from; to < reaches->count && reaches->items[to].start <= end; to++) {
		if (reaches->items[to].start < start)
			start = reaches->items[to].start;
		if (reaches->items[to].end > end)
			end = reaches->items[to].end;
	}
	memmove(&reaches->items[from + 1], &reaches->items[to],
		(reaches->count - to) * sizeof(reaches->items[0]));
	reaches->count += from + 1 - to;
	reaches->items[from].start = start;
	reaches->items[from].end = end;
}

/* What of the section no earlier one has. */
static void show(struct elf_file *file, struct reaches *reaches, const struct elf_section *section)
{
	uint64_t at = section->address, end = section->address + section->size;

	if (end < at || reaches->count == MOST_REACHES)
		return;
	for (size_t i = 0; i < reaches->count && reaches->items[i].start < end; i++) {
		if (reaches->items[i].start > at)
			add_stretch(file, section, at, reaches->items[i].start);
		if (reaches->items[i].end > at)
			at = reaches->items[i].end;
	}
	add_stretch(file, section, at, end);
	take(reaches, section->address, end);
}

/* False when there is no room for all; only a file that lies about its sizes is so large. */
static bool lay(const struct elf_file *file, struct elf_section *section, uint64_t *at)
{
	uint64_t most = file->wide ? UINT64_MAX / 4 : UINT32_MAX / 2;

	if (section->size > most - *at)
		return false;
	section->laid_at = *at;
	*at += section->size + SECTION_ALIGN;
	*at -= *at % SECTION_ALIGN;
	return true;
}

/* .text first: it then lies lowest, and the stretches come out ascending. */
static bool lay_all(struct elf_file *file)
{
	struct reaches reaches = { .count = 0 };
	uint64_t at = FIRST_ADDRESS;

	for (unsigned pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < file->section_count; i++) {
			struct elf_section *section = &file->sections[i];

			if (!is_code(section) || text_is(section->name, ".text") != (pass == 0))
				continue;
			if (!lay(file, section, &at))
				return false;
			show(file, &reaches, section);
		}
	return true;
}

int elf_file_lay_out(struct elf_file *file, struct arena *arena, struct err *err)
{
	size_t count = 0;

	if (file->type != ET_REL || !elf_knows_relocations(file))
		return 0;
	for (size_t i = 0; i < file->section_count; i++)
		count += is_code(&file->sections[i]);
	if (count == 0)
		return 0;
	/* A section adds at most one reach; each further stretch of it joins two. */
	file->stretches = arena_alloc_raw(arena, 2 * count, sizeof(*file->stretches));
	if (!file->stretches)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu code sections", count);
	file->is_laid_out = lay_all(file) && file->stretch_count > 0;
	return 0;
}

const struct elf_stretch *elf_file_stretch(const struct elf_file *file, uint64_t address)
{
	size_t at;

	SEARCH_PARTITION_POINT(at, 0, file->stretch_count, file->stretches[at].end <= address);
	return at < file->stretch_count ? &file->stretches[at] : NULL;
}
