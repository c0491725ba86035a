/* elf_headers.c -- the file header and its two tables. */
#include "object/elf/elf_file.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"

#define SECTION_BYTES_32 40u
#define SECTION_BYTES_64 64u
#define SEGMENT_BYTES_32 32u
#define SEGMENT_BYTES_64 56u

struct header {
	uint64_t segments_at, sections_at;
	uint64_t segment_bytes, segment_count, section_bytes, section_count, names_index;
};

/* An address or offset: as wide as the file. */
static uint64_t read_word(struct reader *reader, bool wide)
{
	return wide ? reader_u64(reader) : reader_u32(reader);
}

static int read_ident(struct elf_file *file, struct err *err)
{
	const uint8_t *ident = reader_take(&file->whole, EI_NIDENT);

	if (!ident || memcmp(ident, ELFMAG, SELFMAG) != 0)
		return err_set(err, ERR_MALFORMED, "no ELF magic");
	if (ident[EI_CLASS] != ELFCLASS32 && ident[EI_CLASS] != ELFCLASS64)
		return err_set(err, ERR_MALFORMED, "unknown class %u", ident[EI_CLASS]);
	if (ident[EI_DATA] != ELFDATA2LSB && ident[EI_DATA] != ELFDATA2MSB)
		return err_set(err, ERR_MALFORMED, "unknown byte order %u", ident[EI_DATA]);
	file->wide = ident[EI_CLASS] == ELFCLASS64;
	file->whole.big_endian = ident[EI_DATA] == ELFDATA2MSB;
	return 0;
}

static int read_header(struct elf_file *file, struct header *header, struct err *err)
{
	struct reader *reader = &file->whole;

	if (read_ident(file, err) < 0)
		return -1;
	file->type = reader_u16(reader);
	file->machine = reader_u16(reader);
	(void)reader_u32(reader);                    /* e_version */
	(void)read_word(reader, file->wide);         /* e_entry */
	header->segments_at = read_word(reader, file->wide);
	header->sections_at = read_word(reader, file->wide);
	file->flags = reader_u32(reader);
	(void)reader_u16(reader);                    /* e_ehsize */
	header->segment_bytes = reader_u16(reader);
	header->segment_count = reader_u16(reader);
	header->section_bytes = reader_u16(reader);
	header->section_count = reader_u16(reader);
	header->names_index = reader_u16(reader);
	return reader_check(reader, err);
}

static struct elf_section read_section(struct reader *reader, bool wide)
{
	struct elf_section section = { .name = TEXT_NONE };

	/* Only an offset until the string table is known: name_sections(). */
	uint32_t name = reader_u32(reader);

	section.type = reader_u32(reader);
	section.flags = read_word(reader, wide);
	section.address = read_word(reader, wide);
	section.offset = read_word(reader, wide);
	section.size = read_word(reader, wide);
	section.link = reader_u32(reader);
	section.info = reader_u32(reader);
	(void)read_word(reader, wide);               /* sh_addralign */
	section.entry_bytes = read_word(reader, wide);
	section.name.size = name;
	return section;
}

/* Counts too big for the header stand in the null section (gABI, "extended numbering"). */
static bool extend_counts(struct elf_file *file, struct header *header)
{
	struct reader reader = file->whole;
	struct elf_section null;

	if (header->sections_at == 0)
		return false;
	reader_seek(&reader, header->sections_at);
	null = read_section(&reader, file->wide);
	if (reader.failed)
		return false;
	if (header->section_count == 0)
		header->section_count = null.size;
	if (header->names_index == SHN_XINDEX)
		header->names_index = null.link;
	if (header->segment_count == PN_XNUM)
		header->segment_count = null.info;
	return true;
}

static void name_sections(struct elf_file *file, uint64_t names_index)
{
	struct text names = TEXT_NONE;

	if (names_index < file->section_count)
		names = elf_section_raw(file, &file->sections[names_index]);
	for (size_t i = 0; i < file->section_count; i++) {
		struct text *name = &file->sections[i].name;
		struct reader reader = reader_over("section names", names.bytes, names.size);

		reader_seek(&reader, name->size);
		*name = reader_string(&reader);
	}
}

static int read_sections(struct elf_file *file, const struct header *header,
			 struct arena *arena, struct err *err)
{
	uint64_t stride = file->wide ? SECTION_BYTES_64 : SECTION_BYTES_32;
	struct reader table;

	if (header->section_count == 0 || header->section_bytes < stride)
		return 0;
	if (header->section_count > LIMIT_SECTIONS)
		return err_set(err, ERR_LIMIT, "%llu section headers, more than %u",
			       (unsigned long long)header->section_count, LIMIT_SECTIONS);
	stride = header->section_bytes;
	table = reader_window(&file->whole, "section headers", header->sections_at,
			      header->section_count * stride);
	if (table.failed)
		return 0;
	file->sections = arena_alloc(arena, (size_t)header->section_count,
				     sizeof(*file->sections));
	if (!file->sections)
		return err_set(err, ERR_NO_MEMORY, "no memory for %llu section headers",
			       (unsigned long long)header->section_count);
	file->section_count = (size_t)header->section_count;
	for (size_t i = 0; i < file->section_count; i++) {
		reader_seek(&table, i * stride);
		file->sections[i] = read_section(&table, file->wide);
	}
	name_sections(file, header->names_index);
	return 0;
}

static struct elf_segment read_segment(struct reader *reader, bool wide)
{
	struct elf_segment segment = { .type = reader_u32(reader) };

	if (wide)
		segment.flags = reader_u32(reader);
	segment.offset = read_word(reader, wide);
	segment.address = read_word(reader, wide);
	(void)read_word(reader, wide);               /* p_paddr */
	segment.file_bytes = read_word(reader, wide);
	segment.memory_bytes = read_word(reader, wide);
	if (!wide)
		segment.flags = reader_u32(reader);
	segment.align = read_word(reader, wide);
	return segment;
}

/*
 * Of the first PT_LOAD, as the base of a mapping is reported; they ascend (gABI, "Program
 * Header").  Where code lies below the first all the same the lowest is the base.  Only code
 * counts: vmlinux has its per-cpu data at 0, below its first (test: load_address_lies_below_all_code).
 */
static void find_load_address(struct elf_file *file)
{
	uint64_t lowest = UINT64_MAX;
	bool is_above_code = false;

	for (size_t i = 0; i < file->segment_count; i++) {
		const struct elf_segment *segment = &file->segments[i];

		if (segment->type != PT_LOAD)
			continue;
		if (!file->has_load_address)
			file->load_address = segment->address;
		file->has_load_address = true;
		if (segment->address < lowest)
			lowest = segment->address;
		if ((segment->flags & PF_X) && segment->address < file->load_address)
			is_above_code = true;
	}
	if (is_above_code)
		file->load_address = lowest;
}

static int read_segments(struct elf_file *file, const struct header *header,
			 struct arena *arena, struct err *err)
{
	uint64_t stride = file->wide ? SEGMENT_BYTES_64 : SEGMENT_BYTES_32;
	struct reader table;

	if (header->segments_at == 0 || header->segment_count == 0 ||
	    header->segment_bytes < stride)
		return 0;
	stride = header->segment_bytes;
	table = reader_window(&file->whole, "program headers", header->segments_at,
			      header->segment_count * stride);
	if (table.failed)
		return 0;
	file->segments = arena_alloc(arena, (size_t)header->segment_count,
				     sizeof(*file->segments));
	if (!file->segments)
		return err_set(err, ERR_NO_MEMORY, "no memory for %llu program headers",
			       (unsigned long long)header->segment_count);
	file->segment_count = (size_t)header->segment_count;
	for (size_t i = 0; i < file->segment_count; i++) {
		reader_seek(&table, i * stride);
		file->segments[i] = read_segment(&table, file->wide);
	}
	find_load_address(file);
	return 0;
}

int elf_file_read(struct elf_file *file, const void *bytes, size_t size, struct arena *arena,
		  struct err *err)
{
	struct header header;

	*file = (struct elf_file){ .whole = reader_over("ELF header", bytes, size) };
	if (read_header(file, &header, err) < 0)
		return err_while(err, "invalid ELF file");
	file->whole.name = "ELF file";
	if (!extend_counts(file, &header))
		header.section_count = 0;
	if (read_segments(file, &header, arena, err) < 0 ||
	    read_sections(file, &header, arena, err) < 0)
		return -1;
	file->build_id = elf_file_find_build_id(file);
	return elf_file_lay_out(file, arena, err);
}
