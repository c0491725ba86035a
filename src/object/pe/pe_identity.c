/* pe_identity.c -- processor, and what the debug directory says. */
#include "object/pe/pe_file.h"

#define DEBUG_ENTRY_BYTES 28u
#define CODEVIEW_RSDS     0x53445352u        /* PDB 7.0 */
#define CODEVIEW_NB10     0x3031424eu        /* PDB 2.0 */
#define MINOR_PORTABLE    0x504du            /* "PM": a Portable PDB's entry */

enum {                                       /* IMAGE_DEBUG_TYPE_* */
	DEBUG_CODEVIEW = 2, DEBUG_REPRO = 16, DEBUG_EMBEDDED_PPDB = 17, DEBUG_PDB_CHECKSUM = 19
};

struct debug_entry {
	uint32_t stamp, type, size, address, offset;
	uint16_t minor;
};

uint32_t pe_arch(uint16_t machine)
{
	static const struct {
		uint16_t machine;
		enum arch arch;
	} known[] = {
		{ 0x014c, ARCH_X86 }, { 0x8664, ARCH_X86_64 }, { 0x01c0, ARCH_ARM },
		{ 0x01c2, ARCH_ARM }, { 0x01c4, ARCH_ARM }, { 0xaa64, ARCH_ARM64 },
		{ 0xa641, ARCH_ARM64 }, { 0xa64e, ARCH_ARM64 },      /* ARM64EC, ARM64X */
		{ 0x01f0, ARCH_PPC }, { 0x01f1, ARCH_PPC },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].machine == machine)
			return known[i].arch;
	return ARCH_UNKNOWN;
}

/* Up to the NUL, or to the end where there is none. */
static struct text rest_as_name(struct reader *reader)
{
	size_t left = reader_left(reader);
	const char *bytes = (const char *)reader_take(reader, left);

	return bytes ? (struct text){ bytes, strnlen(bytes, left) } : TEXT_NONE;
}

/* A deterministic build of .NET has no age to give; its stamp takes that place. */
static void read_codeview(struct pe_file *file, const struct debug_entry *entry, struct text record)
{
	struct reader reader = reader_over("CodeView record", record.bytes, record.size);
	uint32_t magic = reader_u32(&reader);
	struct debugid id = { .kind = DEBUGID_NIL };

	if (magic == CODEVIEW_RSDS) {
		const uint8_t *guid = reader_take(&reader, DEBUGID_UUID_BYTES);
		uint32_t age = reader_u32(&reader);

		if (!guid || reader.failed)
			return;
		id = debugid_from_guid(guid, entry->minor == MINOR_PORTABLE ? entry->stamp : age);
	} else if (magic == CODEVIEW_NB10) {
		uint32_t stamp;

		reader_skip(&reader, 4);             /* offset */
		stamp = __builtin_bswap32(reader_u32(&reader));
		id.kind = DEBUGID_PDB20;
		memcpy(id.uuid, &stamp, sizeof(stamp));
		id.age = reader_u32(&reader);
	}
	if (reader.failed || id.kind == DEBUGID_NIL || file->debug_id.kind != DEBUGID_NIL)
		return;
	file->debug_id = id;
	file->debug_file = rest_as_name(&reader);
}

/* What the entry points to: by its place in the file, else by its address. */
static struct text entry_bytes(const struct pe_file *file, const struct debug_entry *entry)
{
	struct reader window = reader_window(&file->whole, "debug entry", entry->offset,
					     entry->size);
	struct text bytes;

	if (entry->offset != 0 && !window.failed)
		return (struct text){ (const char *)window.bytes, window.size };
	bytes = pe_file_at(file, entry->address);
	if (entry->address == 0 || bytes.size < entry->size)
		return TEXT_NONE;
	return (struct text){ bytes.bytes, entry->size };
}

static void take_entry(struct pe_file *file, const struct debug_entry *entry)
{
	struct text bytes = entry_bytes(file, entry);

	switch (entry->type) {
	case DEBUG_CODEVIEW:
		read_codeview(file, entry, bytes);
		break;
	case DEBUG_REPRO:
		file->reproducible = true;
		break;
	case DEBUG_EMBEDDED_PPDB:
		if (text_starts_with(bytes, "MPDB"))
			file->embedded_ppdb = bytes;
		break;
	case DEBUG_PDB_CHECKSUM:
		file->pdb_checksum = bytes;
		break;
	default:
		break;
	}
}

void pe_read_debug_directory(struct pe_file *file)
{
	struct pe_range range = file->directories[PE_DIRECTORY_DEBUG];
	struct text bytes = pe_file_at(file, range.address);
	struct reader reader;

	if (range.address == 0)
		return;
	reader = reader_over("debug directory", bytes.bytes,
			     bytes.size < range.size ? bytes.size : range.size);
	while (reader_left(&reader) >= DEBUG_ENTRY_BYTES) {
		struct debug_entry entry;

		reader_skip(&reader, 4);             /* characteristics */
		entry.stamp = reader_u32(&reader);
		reader_skip(&reader, 2);             /* major version */
		entry.minor = reader_u16(&reader);
		entry.type = reader_u32(&reader);
		entry.size = reader_u32(&reader);
		entry.address = reader_u32(&reader);
		entry.offset = reader_u32(&reader);
		take_entry(file, &entry);
	}
}
