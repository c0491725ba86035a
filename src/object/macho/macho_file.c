/* macho_file.c -- load commands, segments and sections (<mach-o/loader.h>). */
#include "object/macho/macho_file.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"

#define LC_SEGMENT    0x01u
#define LC_SYMTAB     0x02u
#define LC_SEGMENT_64 0x19u
#define LC_UUID       0x1bu
#define LC_FUNCTION_STARTS 0x26u
#define COMMAND_BYTES 8u
#define NAME_BYTES    16u
#define SECTION_BYTES_32 68u
#define SECTION_BYTES_64 80u
#define SECTION_TYPE_MASK 0xffu
#define S_ZEROFILL    0x01u
#define SECTION_HAS_CODE 0x80000400u /* S_ATTR_PURE_INSTRUCTIONS, S_ATTR_SOME_INSTRUCTIONS */
#define NLIST_BYTES_32 12u
#define NLIST_BYTES_64 16u

struct macho_segment {
	struct text name;
	uint64_t address, offset, file_bytes;
	uint32_t section_count;
};

static uint64_t read_word(struct reader *reader, bool wide)
{
	return wide ? reader_u64(reader) : reader_u32(reader);
}

static struct text read_name(struct reader *reader)
{
	const uint8_t *at = reader_take(reader, NAME_BYTES);

	return at ? (struct text){ (const char *)at, strnlen((const char *)at, NAME_BYTES) }
		  : TEXT_NONE;
}

static struct macho_segment read_segment(struct reader *reader, bool wide)
{
	struct macho_segment segment = { .name = read_name(reader) };

	segment.address = read_word(reader, wide);
	(void)read_word(reader, wide);               /* vmsize */
	segment.offset = read_word(reader, wide);
	segment.file_bytes = read_word(reader, wide);
	reader_skip(reader, 8);                      /* maxprot, initprot */
	segment.section_count = reader_u32(reader);
	(void)reader_u32(reader);                    /* flags */
	return segment;
}

/* A section's offset has 32 bits: in files over 4 GiB it is known from its address alone
 * (dSYMs of that size exist). */
static void repair_offset(const struct macho_file *file, const struct macho_segment *segment,
			  struct macho_section *section)
{
	if (file->wide && file->whole.size > UINT32_MAX && segment->file_bytes > 0)
		section->offset = segment->offset + (section->address - segment->address);
}

static struct macho_section read_section(struct macho_file *file, struct reader *reader,
					 const struct macho_segment *segment)
{
	struct macho_section section = { .name = read_name(reader) };
	uint32_t flags;

	section.segment = read_name(reader);
	section.address = read_word(reader, file->wide);
	section.size = read_word(reader, file->wide);
	section.offset = reader_u32(reader);
	reader_skip(reader, 12);                     /* align, reloff, nreloc */
	flags = reader_u32(reader);
	reader_skip(reader, file->wide ? 12 : 8);    /* reserved */
	repair_offset(file, segment, &section);
	section.has_bytes = section.offset != 0 && section.size > 0 &&
			    (flags & SECTION_TYPE_MASK) != S_ZEROFILL;
	if ((flags & SECTION_HAS_CODE) && section.size > 0 &&
	    (file->lowest_code == 0 || section.address < file->lowest_code))
		file->lowest_code = section.address;
	return section;
}

/* Sections are numbered through all segments: the first pass counts them. */
static int read_segment_command(struct macho_file *file, struct reader *command, bool counting,
				struct err *err)
{
	struct macho_segment segment = read_segment(command, file->wide);
	uint64_t bytes = file->wide ? SECTION_BYTES_64 : SECTION_BYTES_32;

	if (reader_check(command, err) < 0)
		return -1;
	if (segment.section_count > reader_left(command) / bytes)
		return err_set(err, ERR_MALFORMED, "segment %.*s has no room for its %u sections",
			       (int)segment.name.size, segment.name.bytes,
			       segment.section_count);
	if (counting) {
		file->section_count += segment.section_count;
		if (text_is(segment.name, "__TEXT") && !file->has_text) {
			file->has_text = true;
			file->load_address = segment.address;
		}
		return 0;
	}
	for (uint32_t i = 0; i < segment.section_count; i++)
		file->sections[file->section_count++] = read_section(file, command, &segment);
	return 0;
}

static struct text window_text(const struct macho_file *file, uint64_t at, uint64_t size)
{
	struct reader window = reader_window(&file->whole, "symbols", at, size);

	return window.failed ? TEXT_NONE
			     : (struct text){ (const char *)window.bytes, window.size };
}

static int read_symtab_command(struct macho_file *file, struct reader *command, struct err *err)
{
	uint64_t at = reader_u32(command);
	uint64_t count = reader_u32(command);
	uint64_t strings_at = reader_u32(command);
	uint64_t strings_size = reader_u32(command);

	if (reader_check(command, err) < 0)
		return -1;
	file->has_symbols = true;
	file->symbols = window_text(file, at,
				    count * (file->wide ? NLIST_BYTES_64 : NLIST_BYTES_32));
	file->strings = window_text(file, strings_at, strings_size);
	return 0;
}

static int read_starts_command(struct macho_file *file, struct reader *command, struct err *err)
{
	uint64_t at = reader_u32(command);
	uint64_t size = reader_u32(command);

	file->starts = window_text(file, at, size);
	return reader_check(command, err);
}

static int read_command(struct macho_file *file, uint32_t kind, struct reader *command,
			bool counting, struct err *err)
{
	if (kind == (file->wide ? LC_SEGMENT_64 : LC_SEGMENT))
		return read_segment_command(file, command, counting, err);
	if (!counting)
		return 0;
	if (kind == LC_SYMTAB)
		return read_symtab_command(file, command, err);
	if (kind == LC_FUNCTION_STARTS)
		return read_starts_command(file, command, err);
	if (kind == LC_UUID) {
		file->uuid = reader_take(command, DEBUGID_UUID_BYTES);
		return reader_check(command, err);
	}
	return 0;
}

static int read_commands(struct macho_file *file, struct reader commands, uint32_t count,
			 bool counting, struct err *err)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t kind = reader_u32(&commands);
		uint32_t size = reader_u32(&commands);
		struct reader command;

		if (size < COMMAND_BYTES)
			commands.failed = true;
		command = reader_part(&commands, "load command", (uint64_t)size - COMMAND_BYTES);
		if (reader_check(&commands, err) < 0 ||
		    read_command(file, kind, &command, counting, err) < 0)
			return err_while(err, "load command %u of %u", i + 1, count);
	}
	return 0;
}

static int read_magic(struct macho_file *file, struct err *err)
{
	uint32_t magic = reader_u32(&file->whole);

	file->wide = magic == MACHO_MAGIC_64 || magic == MACHO_CIGAM_64;
	file->whole.big_endian = magic == MACHO_CIGAM_32 || magic == MACHO_CIGAM_64;
	if (!file->wide && magic != MACHO_MAGIC_32 && magic != MACHO_CIGAM_32)
		return err_set(err, ERR_MALFORMED, "no Mach-O magic");
	return 0;
}

static int read_tables(struct macho_file *file, struct arena *arena, struct err *err)
{
	uint32_t command_count, command_bytes;
	struct reader commands;
	size_t counted;

	if (read_magic(file, err) < 0)
		return -1;
	file->cpu = reader_u32(&file->whole);
	file->cpu_sub = reader_u32(&file->whole);
	file->type = reader_u32(&file->whole);
	command_count = reader_u32(&file->whole);
	command_bytes = reader_u32(&file->whole);
	reader_skip(&file->whole, file->wide ? 8 : 4);      /* flags, reserved */
	commands = reader_part(&file->whole, "load commands", command_bytes);
	if (reader_check(&file->whole, err) < 0 ||
	    read_commands(file, commands, command_count, true, err) < 0)
		return -1;
	counted = file->section_count;
	if (counted > LIMIT_SECTIONS)
		return err_set(err, ERR_LIMIT, "%zu sections, more than %u", counted,
			       LIMIT_SECTIONS);
	file->sections = arena_alloc(arena, counted + 1, sizeof(*file->sections));
	if (!file->sections)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu sections", counted);
	file->section_count = 0;
	return read_commands(file, commands, command_count, false, err);
}

int macho_file_read(struct macho_file *file, const void *bytes, size_t size,
		    struct arena *arena, struct err *err)
{
	*file = (struct macho_file){ .whole = reader_over("Mach-O header", bytes, size) };
	if (read_tables(file, arena, err) < 0)
		return err_while(err, "invalid Mach-O file");
	file->whole.name = "Mach-O file";
	return 0;
}

/* `name` with its dot replaced by `prefix`, both cut to what fits a section name. */
static bool is_named(struct text have, const char *prefix, const char *name)
{
	size_t skip = strlen(prefix), size = skip + strlen(name + 1);

	if (size > NAME_BYTES)
		size = NAME_BYTES;
	return have.size == size && memcmp(have.bytes, prefix, skip) == 0 &&
	       memcmp(have.bytes + skip, name + 1, size - skip) == 0;
}

const struct macho_section *macho_file_section(const struct macho_file *file, const char *name)
{
	for (size_t i = 0; i < file->section_count; i++) {
		const struct macho_section *section = &file->sections[i];

		if (section->has_bytes && (is_named(section->name, "__", name) ||
					   (text_starts_with(section->name, "__z") &&
					    is_named(section->name, "__z", name))))
			return section;
	}
	return NULL;
}

int macho_file_load(const struct macho_file *file, const char *name, struct unpack_memory *capacity,
		    struct text *bytes, struct err *err)
{
	const struct macho_section *section = macho_file_section(file, name);
	struct reader window;
	struct text raw;

	*bytes = TEXT_NONE;
	if (!section)
		return 0;
	window = reader_window(&file->whole, name, section->offset, section->size);
	if (window.failed)
		return err_set(err, ERR_MALFORMED, "%.*s lies outside the file: %llu bytes at %llu of %zu",
			       (int)section->name.size, section->name.bytes,
			       (unsigned long long)section->size,
			       (unsigned long long)section->offset, file->whole.size);
	raw = (struct text){ (const char *)window.bytes, window.size };
	if (text_starts_with(section->name, "__z"))
		return unpack_gnu_section(capacity, raw, name, object_section_max_bytes, bytes, err);
	*bytes = raw;
	return 0;
}
