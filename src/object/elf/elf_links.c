/* elf_links.c -- the other files a file points to. */
#include "object/elf/elf_file.h"

#include "base/arena.h"
#include "base/err.h"

#define WANTS_MOST       4u
#define UNIT_HEAD_BYTES  20u         /* the longest v5 unit header up to the dwo id */
#define UNIT_SKELETON    4u          /* DW_UT_skeleton, DWARF5 §7.5.1 */
#define DWARF64_ESCAPE   0xffffffffu
#define LINK_BYTES_MOST  ((uint64_t)64 * 1024)   /* a name and an id, however packed */

struct want_list {
	struct arena *arena;
	struct object_want wants[WANTS_MOST];
	size_t count;
	bool failed;
};

static struct object_want *add(struct want_list *list, enum object_role role, struct text id)
{
	struct object_want *want = &list->wants[list->count++];
	char *hex;

	*want = (struct object_want){ .role = role, .id = TEXT_NONE, .name = TEXT_NONE };
	if (id.size == 0)
		return want;
	hex = arena_alloc(list->arena, 2 * id.size + 1, 1);
	if (!hex) {
		list->failed = true;
		return want;
	}
	hex_format((const uint8_t *)id.bytes, id.size, hex);
	want->id = (struct text){ hex, 2 * id.size };
	return want;
}

/* objcopy packs these sections too when it is told to pack all (elf_with_compressed_debuglink
 * of Symbolicator's fixtures; test_elf.c).  One that does not unpack is absent. */
static struct reader link_reader(const struct elf_file *file, struct want_list *list,
				 const char *name)
{
	struct err err = ERR_INIT;
	struct unpack_memory capacity;
	struct reader reader;
	struct text bytes;

	unpack_memory_init(&capacity, list->arena, LINK_BYTES_MOST);
	if (elf_file_load(file, name, &capacity, &bytes, &err) < 0) {
		bytes = TEXT_NONE;
		list->failed |= err.kind == ERR_NO_MEMORY;
	}
	reader = reader_over(name, bytes.bytes, bytes.size);
	reader.big_endian = file->whole.big_endian;
	return reader;
}

/* .gnu_debuglink: a name, zeros up to a multiple of 4, and the target's CRC. */
static void add_debuglink(const struct elf_file *file, struct want_list *list)
{
	struct reader reader = link_reader(file, list, ".gnu_debuglink");
	struct text name = reader_string(&reader);
	struct object_want *want;
	uint32_t crc;

	reader_seek(&reader, (reader.pos + 3) & ~(size_t)3);
	crc = reader_u32(&reader);
	if (reader.failed || name.size == 0)
		return;
	want = add(list, OBJECT_ROLE_DEBUGLINK, file->build_id);
	want->name = name;
	want->crc = crc;
}

/* .gnu_debugaltlink: a name and a build id. */
static bool add_altlink(const struct elf_file *file, struct want_list *list)
{
	struct reader reader = link_reader(file, list, ".gnu_debugaltlink");
	struct text name = reader_string(&reader);

	if (reader.failed || reader_left(&reader) == 0)
		return false;
	add(list, OBJECT_ROLE_DWZ, (struct text){ (const char *)reader.bytes + reader.pos,
						  reader_left(&reader) })->name = name;
	return true;
}

/* .debug_sup, DWARF5 §7.3.6: version, is_supplementary, name, length and bytes of the id. */
static void add_supplementary(const struct elf_file *file, struct want_list *list)
{
	struct reader reader = link_reader(file, list, ".debug_sup");
	uint16_t version = reader_u16(&reader);
	bool is_supplementary = reader_u8(&reader);
	struct text name = reader_string(&reader);
	uint64_t size = reader_uleb128(&reader);
	const uint8_t *id = reader_take(&reader, size);

	if (reader.failed || version < 5 || is_supplementary || size == 0)
		return;
	add(list, OBJECT_ROLE_DWZ, (struct text){ (const char *)id, (size_t)size })->name = name;
}

/* Reads one unit header; the position moves to the next unit. */
static bool is_skeleton(struct reader *reader, uint16_t *version)
{
	uint64_t length = reader_u32(reader), end;
	uint8_t type;

	if (length == DWARF64_ESCAPE)
		length = reader_u64(reader);
	end = reader->pos + length;
	*version = reader_u16(reader);
	type = *version >= 5 ? reader_u8(reader) : 0;
	if (end < reader->pos)
		reader->failed = true;
	reader_seek(reader, end);
	return type == UNIT_SKELETON;
}

/* Do units stand elsewhere?  Version 5 says so in the unit headers; before, .debug_addr
 * existed for nothing else.  Of a compressed section only the first header is looked at. */
static bool has_skeletons(const struct elf_file *file)
{
	const struct elf_section *section = elf_file_section(file, ".debug_info");
	uint8_t head[UNIT_HEAD_BYTES];
	struct reader reader;
	uint16_t version = 0;
	struct text raw;

	if (!section || !elf_file_section(file, ".debug_addr") ||
	    elf_file_section(file, ".debug_info.dwo"))
		return false;
	if (section->flags & SHF_COMPRESSED || text_starts_with(section->name, ".z")) {
		size_t got = elf_file_peek(file, ".debug_info", head, sizeof(head));

		reader = reader_over(".debug_info", head, got);
		reader.big_endian = file->whole.big_endian;
		return is_skeleton(&reader, &version) || version == 4;
	}
	raw = elf_section_raw(file, section);
	reader = reader_over(".debug_info", raw.bytes, raw.size);
	reader.big_endian = file->whole.big_endian;
	while (!reader_at_end(&reader))
		if (is_skeleton(&reader, &version) || (version == 4 && !reader.failed))
			return true;
	return false;
}

int elf_file_wants(const struct elf_file *file, struct arena *arena,
		   struct object_want **wants, size_t *count, struct err *err)
{
	struct want_list list = { .arena = arena };

	if (!add_altlink(file, &list))
		add_supplementary(file, &list);
	if (has_skeletons(file))
		add(&list, OBJECT_ROLE_DWP, file->build_id);
	add_debuglink(file, &list);
	*count = list.count;
	*wants = NULL;
	if (list.count == 0 && !list.failed)
		return 0;
	*wants = list.failed ? NULL : arena_alloc(arena, list.count, sizeof(**wants));
	if (!*wants)
		return err_set(err, ERR_NO_MEMORY, "no memory for the files it points to");
	memcpy(*wants, list.wants, list.count * sizeof(**wants));
	return 0;
}
