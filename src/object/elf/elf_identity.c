/* elf_identity.c -- build id, debug id, code id, processor and kind. */
#include "object/elf/elf_file.h"

#include "base/arena.h"

#define NOTE_HEADER_BYTES   12u
#define BUILD_ID_MOST_BYTES 256u         /* linkers write 8 to 32; a longer one is garbage */
#define SONY_DYNLIB_DATA    0x61000000u  /* PT_SCE_DYNLIBDATA: begins with a fingerprint */
#define SONY_ID_BYTES       20u
#define SONY_EXECUTABLE     0xfe10u
#define SONY_LIBRARY        0xfe18u
#define TEXT_HASH_BYTES     4096u
#define MIPS_WIDE_ABI       0x6000u      /* O64 or EABI64 in e_flags */

/* The description of the first NT_GNU_BUILD_ID.  With `gnu_only` its owner must be "GNU":
 * FreeBSD's and SystemTap's notes use type 3 as well. */
static struct text find_note(const struct elf_file *file, struct text notes, uint64_t align,
			     bool gnu_only)
{
	struct reader reader = reader_over("notes", notes.bytes, notes.size);
	uint64_t mask = align == 8 ? 7 : 3;

	reader.big_endian = file->whole.big_endian;
	while (reader_left(&reader) >= NOTE_HEADER_BYTES && !reader.failed) {
		uint32_t name_size = reader_u32(&reader);
		uint32_t size = reader_u32(&reader);
		uint32_t type = reader_u32(&reader);
		const uint8_t *name = reader_take(&reader, name_size);
		const uint8_t *description;

		reader_seek(&reader, (reader.pos + mask) & ~mask);
		description = reader_take(&reader, size);
		if (!name || !description)
			break;
		if (type == NT_GNU_BUILD_ID &&
		    (!gnu_only || (name_size == 4 && memcmp(name, "GNU", 4) == 0)))
			return (struct text){ (const char *)description, size };
		if (((reader.pos + mask) & ~mask) > reader.size)
			break;
		reader_seek(&reader, (reader.pos + mask) & ~mask);
	}
	return TEXT_NONE;
}

static struct text segment_bytes(const struct elf_file *file, const struct elf_segment *segment)
{
	struct reader window = reader_window(&file->whole, "segment", segment->offset,
					     segment->file_bytes);

	return window.failed ? TEXT_NONE :
	       (struct text){ (const char *)window.bytes, window.size };
}

static struct text find_in_segments(const struct elf_file *file, bool gnu_only)
{
	for (size_t i = 0; i < file->segment_count; i++) {
		const struct elf_segment *segment = &file->segments[i];
		struct text found;

		if (segment->type != PT_NOTE)
			continue;
		found = find_note(file, segment_bytes(file, segment), segment->align, gnu_only);
		if (found.bytes)
			return found;
	}
	return TEXT_NONE;
}

static struct text find_in_section(const struct elf_file *file)
{
	const struct elf_section *section = elf_file_section(file, ".note.gnu.build-id");

	return section ? find_note(file, elf_section_raw(file, section), 4, false) : TEXT_NONE;
}

static struct text find_sony_id(const struct elf_file *file)
{
	for (size_t i = 0; i < file->segment_count; i++) {
		struct text bytes;

		if (file->segments[i].type != SONY_DYNLIB_DATA)
			continue;
		bytes = segment_bytes(file, &file->segments[i]);
		if (bytes.size >= SONY_ID_BYTES)
			return (struct text){ bytes.bytes, SONY_ID_BYTES };
	}
	return TEXT_NONE;
}

struct text elf_file_find_build_id(const struct elf_file *file)
{
	struct text found = find_in_segments(file, true);

	/* A core file's NT_PRPSINFO is type 3 too. */
	if (!found.bytes && file->type != ET_CORE)
		found = find_in_segments(file, false);
	if (!found.bytes)
		found = find_in_section(file);
	if (!found.bytes)
		found = find_sony_id(file);
	return found.size > 0 && found.size <= BUILD_ID_MOST_BYTES ? found : TEXT_NONE;
}

static struct debugid text_hash(const struct elf_file *file)
{
	const struct elf_section *section = elf_file_section(file, ".text");
	struct text text = section ? elf_section_raw(file, section) : TEXT_NONE;
	uint8_t folded[DEBUGID_UUID_BYTES] = { 0 };

	if (!text.bytes)
		return (struct debugid){ .kind = DEBUGID_NIL };
	for (size_t i = 0; i < text.size && i < TEXT_HASH_BYTES; i++)
		folded[i % DEBUGID_UUID_BYTES] ^= (uint8_t)text.bytes[i];
	return debugid_from_build_id(folded, sizeof(folded), !file->whole.big_endian);
}

enum arch elf_file_arch(const struct elf_file *file)
{
	switch (file->machine) {
	case EM_386:     return ARCH_X86;
	case EM_X86_64:  return ARCH_X86_64;
	case EM_AARCH64: return ARCH_ARM64;
	case EM_ARM:     return ARCH_ARM;
	case EM_PPC:     return ARCH_PPC;
	case EM_PPC64:   return ARCH_PPC64;
	case EM_MIPS:
	case EM_MIPS_RS3_LE:
		return file->flags & MIPS_WIDE_ABI ? ARCH_MIPS64 : ARCH_MIPS;
	default:         return ARCH_UNKNOWN;
	}
}

static bool has_interpreter(const struct elf_file *file)
{
	for (size_t i = 0; i < file->segment_count; i++)
		if (file->segments[i].type == PT_INTERP && file->segments[i].file_bytes > 0)
			return true;
	return false;
}

/* Separate debug files keep the type of what they were split from; what they lost tells. */
static enum object_kind kind_of(const struct elf_file *file)
{
	switch (file->type) {
	case ET_NONE:
		return OBJECT_KIND_NONE;
	case ET_REL:
		return OBJECT_KIND_RELOCATABLE;
	case ET_EXEC:
	case SONY_EXECUTABLE:
		return has_interpreter(file) ? OBJECT_KIND_EXECUTABLE : OBJECT_KIND_DEBUG;
	case ET_DYN:
	case SONY_LIBRARY:
		return elf_file_section(file, ".text") ? OBJECT_KIND_LIBRARY : OBJECT_KIND_DEBUG;
	case ET_CORE:
		return OBJECT_KIND_DUMP;
	default:
		return OBJECT_KIND_OTHER;
	}
}

static unsigned offers_of(const struct elf_file *file)
{
	unsigned offers = 0;

	if (elf_file_symtab(file).count > 0 || elf_file_dynsym(file).count > 0 ||
	    elf_file_section(file, ".gnu_debugdata"))
		offers |= OBJECT_OFFERS_SYMBOLS;
	if (elf_file_section(file, ".debug_info"))
		offers |= OBJECT_OFFERS_DEBUG;
	if (elf_file_section(file, ".eh_frame") || elf_file_section(file, ".debug_frame"))
		offers |= OBJECT_OFFERS_UNWIND;
	return offers;
}

void elf_file_identify(const struct elf_file *file, struct object *object)
{
	object->arch = elf_file_arch(file);
	object->kind = kind_of(file);
	object->offers = offers_of(file);
	object->load_address = file->load_address;
	if (file->build_id.bytes)
		object->debug_id = debugid_from_build_id((const uint8_t *)file->build_id.bytes,
							 file->build_id.size,
							 !file->whole.big_endian);
	else
		object->debug_id = text_hash(file);
}
