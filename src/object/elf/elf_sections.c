/* elf_sections.c -- finding sections, and their bytes as they were before compression. */
#include "object/elf/elf_file.h"

#include "base/err.h"
#include "base/limits.h"

#define CHDR_BYTES_32 12u
#define CHDR_BYTES_64 24u
#define ZDEBUG_BYTES  12u            /* "ZLIB" and the size, big endian */

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

/* What a section holds once its header is off. */
struct packed {
	enum unpack_kind kind;
	struct text bytes;
	uint64_t size;               /* unpacked */
};

static bool is_named(const struct elf_section *section, const char *name)
{
	struct text have = section->name;

	if (text_is(have, name))
		return true;
	/* ".zdebug_info" for ".debug_info" */
	return have.size > 2 && have.bytes[1] == 'z' && have.bytes[0] == '.' && name[0] == '.' &&
	       strncmp(name, ".debug", 6) == 0 &&
	       text_is((struct text){ have.bytes + 2, have.size - 2 }, name + 1);
}

/* Type units of relocatable files stand in .debug_info sections of their own, in groups:
 * the one outside a group is meant (gcc -gdwarf-5 -fdebug-types-section -c; test_elf.c). */
const struct elf_section *elf_file_section(const struct elf_file *file, const char *name)
{
	const struct elf_section *found = NULL;

	for (size_t i = 0; i < file->section_count; i++) {
		const struct elf_section *section = &file->sections[i];

		if (!elf_section_has_bytes(section) || !is_named(section, name))
			continue;
		if (!(section->flags & SHF_GROUP))
			return section;
		if (!found)
			found = section;
	}
	return found;
}

struct text elf_file_stored(const struct elf_file *file, struct text name)
{
	for (size_t i = 0; i < file->section_count; i++) {
		struct text bytes = TEXT_NONE;

		if (name.size > 0 && text_equal(file->sections[i].name, name))
			bytes = elf_section_raw(file, &file->sections[i]);
		if (bytes.size > 0)
			return bytes;
	}
	return TEXT_NONE;
}

static int read_chdr(const struct elf_file *file, struct reader *reader, struct packed *packed,
		     struct err *err)
{
	uint32_t type = reader_u32(reader);

	if (file->wide)
		(void)reader_u32(reader);            /* ch_reserved */
	packed->size = file->wide ? reader_u64(reader) : reader_u32(reader);
	(void)(file->wide ? reader_u64(reader) : reader_u32(reader));   /* ch_addralign */
	if (type == ELFCOMPRESS_ZLIB)
		packed->kind = UNPACK_ZLIB;
	else if (type == ELFCOMPRESS_ZSTD)
		packed->kind = UNPACK_ZSTD;
	else if (!reader->failed)
		return err_set(err, ERR_UNSUPPORTED, "%s: unknown compression %u",
			       reader->name, type);
	return reader_check(reader, err);
}

static int read_packed(const struct elf_file *file, const struct elf_section *section,
		       const char *name, struct packed *packed, struct err *err)
{
	struct text raw = elf_section_raw(file, section);
	struct reader reader = reader_over(name, raw.bytes, raw.size);

	*packed = (struct packed){ .kind = UNPACK_NONE };
	if (!raw.bytes)
		return err_set(err, ERR_MALFORMED, "%s lies outside the file: %llu bytes at %llu of %zu",
			       name, (unsigned long long)section->size,
			       (unsigned long long)section->offset, file->whole.size);
	reader.big_endian = file->whole.big_endian;
	if (section->flags & SHF_COMPRESSED) {
		if (read_chdr(file, &reader, packed, err) < 0)
			return -1;
	} else if (text_starts_with(section->name, ".z") && text_starts_with(raw, "ZLIB") &&
		   raw.size >= ZDEBUG_BYTES) {
		reader_skip(&reader, 4);
		reader.big_endian = true;
		packed->size = reader_u64(&reader);
		packed->kind = UNPACK_ZLIB;
	} else {
		packed->size = raw.size;
	}
	packed->bytes = (struct text){ (const char *)reader.bytes + reader.pos, reader_left(&reader) };
	return 0;
}

/* zlib cannot pack better than 1:1032; a header that says so lies, and costs no memory. */
#define ZLIB_MOST_RATIO 1040u

static int check_promise(const struct packed *packed, const char *name, struct err *err)
{
	if (packed->kind == UNPACK_ZLIB &&
	    packed->size / ZLIB_MOST_RATIO > packed->bytes.size)
		return err_set(err, ERR_MALFORMED, "%s: %zu packed bytes cannot hold %llu",
			       name, packed->bytes.size, (unsigned long long)packed->size);
	return 0;
}

int elf_file_load(const struct elf_file *file, const char *name, struct unpack_memory *capacity,
		  struct text *bytes, struct err *err)
{
	const struct elf_section *section = elf_file_section(file, name);
	struct packed packed;
	bool relocate;
	void *out;

	*bytes = TEXT_NONE;
	if (!section)
		return 0;
	if (read_packed(file, section, name, &packed, err) < 0)
		return -1;
	if (packed.size > object_section_max_bytes && packed.kind != UNPACK_NONE)
		return 0;
	relocate = elf_file_needs_relocation(file, section);
	if (packed.kind == UNPACK_NONE && !relocate) {
		*bytes = packed.bytes;
		return 0;
	}
	if (check_promise(&packed, name, err) < 0 ||
	    unpack_memory_get(capacity, packed.size, &out, err) < 0)
		return -1;
	if (packed.kind == UNPACK_NONE)
		memcpy(out, packed.bytes.bytes, packed.bytes.size);
	else if (unpack_memory(packed.kind, name, packed.bytes, out, (size_t)packed.size, err) < 0)
		return -1;
	if (relocate)
		elf_file_relocate(file, section, out, (size_t)packed.size);
	*bytes = (struct text){ out, (size_t)packed.size };
	return 0;
}

int elf_file_load_gradually(const struct elf_file *file, const char *name, struct arena *arena,
			    struct unpack_incremental **incremental, uint64_t *size,
			    struct err *err)
{
	const struct elf_section *section = elf_file_section(file, name);
	struct packed packed;

	if (!section || elf_file_needs_relocation(file, section))
		return 0;
	if (read_packed(file, section, name, &packed, err) < 0)
		return -1;
	if (packed.kind != UNPACK_ZLIB || packed.size > object_section_max_bytes)
		return 0;
	if (check_promise(&packed, name, err) < 0 ||
	    unpack_incremental_open(incremental, name, packed.bytes, packed.size, arena, err) < 0)
		return -1;
	*size = packed.size;
	return 1;
}

size_t elf_file_peek(const struct elf_file *file, const char *name, uint8_t *out, size_t capacity)
{
	const struct elf_section *section = elf_file_section(file, name);
	struct err ignored = ERR_INIT;
	struct packed packed;

	if (!section || read_packed(file, section, name, &packed, &ignored) < 0)
		return 0;
	if (packed.size < capacity)
		capacity = (size_t)packed.size;
	if (packed.kind == UNPACK_NONE)
		memcpy(out, packed.bytes.bytes, capacity);
	else if (unpack_head(packed.kind, name, packed.bytes, out, capacity, &ignored) < 0)
		return 0;
	return capacity;
}

static bool is_in_executable_segment(const struct elf_file *file, uint64_t address)
{
	bool has_any = false;

	for (size_t i = 0; i < file->segment_count; i++) {
		const struct elf_segment *segment = &file->segments[i];

		if (segment->type != PT_LOAD)
			continue;
		has_any = true;
		if ((segment->flags & PF_X) && address - segment->address < segment->memory_bytes)
			return true;
	}
	return !has_any;
}

bool elf_file_has_code_at_zero(const struct elf_file *file)
{
	if (file->type == ET_REL || file->load_address != 0 || !is_in_executable_segment(file, 0))
		return false;
	for (size_t i = 0; i < file->section_count; i++) {
		const struct elf_section *section = &file->sections[i];

		if ((section->flags & SHF_ALLOC) && (section->flags & SHF_EXECINSTR) &&
		    section->size > 0 && section->address == 0)
			return true;
	}
	return false;
}

uint64_t elf_file_lowest_code(const struct elf_file *file)
{
	uint64_t lowest = UINT64_MAX;

	if (file->is_laid_out)
		return file->stretches[0].start;
	for (size_t i = 0; i < file->section_count; i++) {
		const struct elf_section *section = &file->sections[i];

		if ((section->flags & SHF_ALLOC) && (section->flags & SHF_EXECINSTR) &&
		    section->size > 0 && section->address < lowest)
			lowest = section->address;
	}
	return lowest == UINT64_MAX ? 0 : lowest;
}
