/*
 * compact_unwind.c -- __unwind_info of Mach-O files, version 1 (Apple's
 * <mach-o/compact_unwind_encoding.h>): 32 bits for each function, most of which say all.
 */
#include "base/reader.h"
#include "cfi/cfi_writer.h"
#include "cfi/frame_section.h"

#define PAGE_REGULAR    2u
#define PAGE_COMPRESSED 3u
#define INDEX_BYTES     12u
#define ENTRY_STEPS     4u

#define MODE_MASK       0x0f000000u
#define X86_FRAME       0x01000000u          /* on EBP or RBP */
#define X86_IMMEDIATE   0x02000000u          /* frameless, the size stands in the encoding, */
#define X86_INDIRECT    0x03000000u          /* or in the instruction that makes the frame */
#define X86_DWARF       0x04000000u
#define ARM64_FRAMELESS 0x02000000u
#define ARM64_DWARF     0x03000000u
#define ARM64_FRAME     0x04000000u
#define DWARF_OFFSET    0x00ffffffu

#define X86_REGISTERS     6u
#define ARM64_PAIRS       9u
#define ARM64_FRAME_COLUMN 29u

/* --- Collecting ---------------------------------------------------------------------- */

struct compact {
	struct cfi_writer *writer;
	const struct object_unwind *section;
	struct reader reader;        /* over all of it */
	uint32_t source, dwarf;      /* the source __eh_frame is, or CFI_SOURCES_MAX */
	struct reader common;        /* encodings of all pages */
	bool has_last;
	uint32_t last_start, last_encoding;
};

static bool is_dwarf(const struct cfi_writer *writer, uint32_t encoding)
{
	bool is_arm = arch_family(writer->object->arch) == CPU_ARM64 ||
		      arch_family(writer->object->arch) == CPU_ARM64_32;

	return (encoding & MODE_MASK) == (is_arm ? ARM64_DWARF : X86_DWARF);
}

/* The function is told of in __eh_frame: by its own FDE, if there is one. */
static int add_dwarf(struct compact *compact, uint32_t encoding, struct err *err)
{
	struct frame_description description;
	struct frame_section *frames;
	struct err why = ERR_INIT;
	uint64_t next;

	if (compact->dwarf == CFI_SOURCES_MAX)
		return 0;
	frames = compact->writer->sources[compact->dwarf].frames;
	if (frame_section_read(frames, encoding & DWARF_OFFSET, &next, &description, &why) <= 0 ||
	    !frame_section_has_code(frames, &description))
		return 0;
	return cfi_writer_add(compact->writer, description.start - frames->load_address,
			      description.size, compact->dwarf, encoding & DWARF_OFFSET, err);
}

/* A function ends where the next one begins. */
static int add_function(struct compact *compact, uint32_t start, uint32_t encoding, struct err *err)
{
	struct cfi_writer *writer = compact->writer;
	uint32_t size = start - compact->last_start;
	int rc = 0;

	if (work_charge(&writer->work, ENTRY_STEPS, err) < 0)
		return -1;
	if (compact->has_last && start < compact->last_start)
		return err_set(err, ERR_MALFORMED, "the function at 0x%x comes after that at 0x%x",
			       start, compact->last_start);
	if (compact->has_last && size > 0) {
		if (is_dwarf(writer, compact->last_encoding))
			rc = add_dwarf(compact, compact->last_encoding, err);
		else
			rc = cfi_writer_add(writer, compact->last_start, size, compact->source,
					    compact->last_encoding, err);
	}
	compact->has_last = true;
	compact->last_start = start;
	compact->last_encoding = encoding;
	return rc;
}

static int take_regular_page(struct compact *compact, struct reader page, struct err *err)
{
	uint16_t at = reader_u16(&page), count = reader_u16(&page);

	reader_seek(&page, at);
	for (unsigned i = 0; i < count; i++) {
		uint32_t start = reader_u32(&page), encoding = reader_u32(&page);

		if (reader_check(&page, err) < 0 ||
		    add_function(compact, start, encoding, err) < 0)
			return -1;
	}
	return 0;
}

/* The first are common to all pages. */
static uint32_t encoding_at(const struct compact *compact, struct reader page, uint32_t index)
{
	uint32_t common_count = (uint32_t)(compact->common.size / 4);
	struct reader encodings = index < common_count ? compact->common : page;

	reader_seek(&encodings, (uint64_t)(index < common_count ? index : index - common_count) * 4);
	return reader_u32(&encodings);
}

static int take_compressed_page(struct compact *compact, struct reader page, uint32_t base,
				struct err *err)
{
	uint16_t at = reader_u16(&page), count = reader_u16(&page);
	uint16_t encodings_at = reader_u16(&page), encoding_count = reader_u16(&page);
	struct reader encodings = reader_window(&page, "encodings", encodings_at,
						(uint64_t)encoding_count * 4);

	reader_seek(&page, at);
	for (unsigned i = 0; i < count; i++) {
		uint32_t entry = reader_u32(&page);

		if (reader_check(&page, err) < 0 ||
		    add_function(compact, base + (entry & 0xffffff),
				 encoding_at(compact, encodings, entry >> 24), err) < 0)
			return -1;
	}
	return 0;
}

static int take_page(struct compact *compact, uint32_t at, uint32_t base, struct err *err)
{
	struct reader page = compact->reader;
	uint32_t kind;

	reader_seek(&page, at);
	page = reader_part(&page, "page of __unwind_info", reader_left(&page));
	kind = reader_u32(&page);
	if (reader_check(&page, err) < 0)
		return -1;
	if (kind == PAGE_REGULAR)
		return take_regular_page(compact, page, err);
	if (kind == PAGE_COMPRESSED)
		return take_compressed_page(compact, page, base, err);
	return err_set(err, ERR_MALFORMED, "a page of unknown kind %u at %u", kind, at);
}

/* The last entry of the index has no page, but the end. */
static int take_index(struct compact *compact, uint32_t index_at, uint32_t count, struct err *err)
{
	struct reader index = reader_window(&compact->reader, "index of __unwind_info", index_at,
					    (uint64_t)count * INDEX_BYTES);

	while (!reader_at_end(&index)) {
		uint32_t start = reader_u32(&index), page = reader_u32(&index);

		reader_skip(&index, 4);              /* where its LSDAs are */
		if (page != 0 ? take_page(compact, page, start, err) < 0
			      : add_function(compact, start, 0, err) < 0)
			return -1;
	}
	return reader_check(&index, err);
}

static uint32_t find_dwarf(const struct cfi_writer *writer)
{
	for (uint32_t i = 0; i < writer->source_count; i++)
		if (writer->sources[i].section.kind == OBJECT_UNWIND_EH_FRAME)
			return i;
	return CFI_SOURCES_MAX;
}

int compact_unwind_collect(struct cfi_writer *writer, uint32_t source, struct err *err)
{
	const struct object_unwind *section = &writer->sources[source].section;
	struct compact compact = { .writer = writer, .section = section, .source = source,
				   .dwarf = find_dwarf(writer) };
	uint32_t version, common_at, common_count, index_at, index_count;

	compact.reader = reader_over("__unwind_info", section->bytes.bytes, section->bytes.size);
	compact.reader.big_endian = section->big_endian;
	version = reader_u32(&compact.reader);
	common_at = reader_u32(&compact.reader);
	common_count = reader_u32(&compact.reader);
	reader_skip(&compact.reader, 8);             /* personality functions */
	index_at = reader_u32(&compact.reader);
	index_count = reader_u32(&compact.reader);
	if (reader_check(&compact.reader, err) < 0)
		return -1;
	if (version != 1)
		return err_set(err, ERR_UNSUPPORTED, "__unwind_info of version %u", version);
	compact.common = reader_window(&compact.reader, "encodings", common_at,
				       (uint64_t)common_count * 4);
	if (reader_check(&compact.common, err) < 0)
		return -1;
	return take_index(&compact, index_at, index_count, err);
}

/* --- x86 and x86-64 ------------------------------------------------------------------ */

struct x86_names {
	unsigned pointer_bytes;
	struct text stack, frame;
	struct text saved[X86_REGISTERS + 2];        /* by code; 0 and 7: none */
};

static const struct x86_names x86_names = {
	4, { "$esp", 4 }, { "$ebp", 4 },
	{ { NULL, 0 }, { "$ebx", 4 }, { "$ecx", 4 }, { "$edx", 4 }, { "$edi", 4 }, { "$esi", 4 },
	  { "$ebp", 4 }, { NULL, 0 } }
}, x86_64_names = {
	8, { "$rsp", 4 }, { "$rbp", 4 },
	{ { NULL, 0 }, { "$rbx", 4 }, { "$r12", 4 }, { "$r13", 4 }, { "$r14", 4 }, { "$r15", 4 },
	  { "$rbp", 4 }, { NULL, 0 } }
};

static void print_x86_frame(struct cfi_out *out, const struct x86_names *names, uint32_t encoding)
{
	int64_t bytes = names->pointer_bytes, slot = encoding >> 16 & 0xff;

	cfi_out_frame(out, names->frame, 2 * bytes);
	cfi_out_saved(out, names->frame, -2 * bytes);
	cfi_out_saved(out, TEXT(".ra"), -bytes);
	for (unsigned i = 0; i < 5; i++) {
		struct text name = names->saved[encoding >> 3 * i & 7];

		if (name.bytes)
			cfi_out_saved(out, name, -(slot + 2 - (int64_t)i) * bytes);
	}
}

/* Which registers, as a number: their order in mixed radix, each digit the place among those
 * not yet used. */
static unsigned unpack_permutation(unsigned count, unsigned number, uint8_t codes[X86_REGISTERS])
{
	static const uint8_t radixes[X86_REGISTERS + 1][X86_REGISTERS] = {
		{ 0 }, { 1 }, { 5, 1 }, { 20, 4, 1 }, { 60, 12, 3, 1 }, { 120, 24, 6, 2, 1 },
		{ 120, 24, 6, 2, 1, 0 },
	};
	bool used[X86_REGISTERS + 1] = { false };

	if (count > X86_REGISTERS)
		count = X86_REGISTERS;
	for (unsigned i = 0; i < count; i++) {
		unsigned radix = radixes[count][i], left = radix ? number / radix : 0, code = 1;

		number -= left * radix;
		while (code <= X86_REGISTERS && (used[code] || left > 0))
			left -= !used[code++];
		if (code > X86_REGISTERS)
			return i;
		used[code] = true;
		codes[i] = (uint8_t)code;
	}
	return count;
}

static void print_x86_frameless(struct cfi_out *out, const struct x86_names *names,
				uint32_t encoding, uint64_t size)
{
	int64_t bytes = names->pointer_bytes;
	uint8_t codes[X86_REGISTERS];
	unsigned count = unpack_permutation(encoding >> 10 & 7, encoding & 0x3ff, codes);

	cfi_out_frame(out, names->stack, (int64_t)size);
	cfi_out_saved(out, TEXT(".ra"), -bytes);
	for (unsigned i = 0; i < count; i++)
		cfi_out_saved(out, names->saved[codes[count - 1 - i]], -(2 + (int64_t)i) * bytes);
}

/* "sub $SIZE, %rsp" in the function: SIZE stands so far behind its beginning, and so many
 * pointers more were pushed. */
static bool read_indirect_size(const struct cfi_writer *writer, const struct cfi_entry *entry,
			       unsigned pointer_bytes, uint64_t *size)
{
	uint32_t encoding = (uint32_t)entry->reference, into = encoding >> 16 & 0xff;
	struct text code = object_image_at(writer->object, entry->start + into);
	struct reader reader = reader_over("code", code.bytes, code.size);

	*size = reader_u32(&reader) + (uint64_t)(encoding >> 13 & 7) * pointer_bytes;
	return !reader.failed;
}

static bool print_x86(struct cfi_writer *writer, const struct cfi_entry *entry,
		      const struct x86_names *names)
{
	uint32_t encoding = (uint32_t)entry->reference;
	uint64_t size;

	switch (encoding & MODE_MASK) {
	case X86_FRAME:
		print_x86_frame(&writer->out, names, encoding);
		return true;
	case X86_IMMEDIATE:
		print_x86_frameless(&writer->out, names, encoding,
				    (uint64_t)(encoding >> 16 & 0xff) * names->pointer_bytes);
		return true;
	case X86_INDIRECT:
		if (!read_indirect_size(writer, entry, names->pointer_bytes, &size))
			return false;
		print_x86_frameless(&writer->out, names, encoding, size);
		return true;
	default:
		/* Nothing is said: a function without a frame. */
		if (names->pointer_bytes != 8)
			return false;
		CFI_OUT_LITERAL(&writer->out, " .cfa: $rsp 8 + .ra: .cfa -8 + ^");
		return true;
	}
}

/* --- arm64 --------------------------------------------------------------------------- */

/* Pairs are stored downwards, each with its first register above the second. */
static void print_arm64_pairs(struct cfi_writer *writer, uint32_t encoding, int64_t from)
{
	static const struct {
		uint32_t bit;
		uint8_t first;               /* DWARF column: X19 is 19, V8 is 72 */
	} pairs[ARM64_PAIRS] = {
		{ 0x001, 19 }, { 0x002, 21 }, { 0x004, 23 }, { 0x008, 25 }, { 0x010, 27 },
		{ 0x100, 72 }, { 0x200, 74 }, { 0x400, 76 }, { 0x800, 78 },
	};

	for (unsigned i = 0; i < ARM64_PAIRS; i++) {
		if (!(encoding & pairs[i].bit))
			continue;
		cfi_out_saved(&writer->out, writer->registers->names[pairs[i].first], from);
		cfi_out_saved(&writer->out, writer->registers->names[pairs[i].first + 1], from - 8);
		from -= 16;
	}
}

static void print_arm64(struct cfi_writer *writer, uint32_t encoding)
{
	struct cfi_out *out = &writer->out;

	switch (encoding & MODE_MASK) {
	case ARM64_FRAMELESS:
		cfi_out_frame(out, TEXT("sp"), (int64_t)(encoding >> 12 & 0xfff) * 16);
		CFI_OUT_LITERAL(out, " .ra: x30");
		print_arm64_pairs(writer, encoding, -8);
		break;
	case ARM64_FRAME:
		cfi_out_frame(out, writer->registers->names[ARM64_FRAME_COLUMN], 16);
		cfi_out_saved(out, writer->registers->names[ARM64_FRAME_COLUMN], -16);
		cfi_out_saved(out, TEXT(".ra"), -8);
		print_arm64_pairs(writer, encoding, -24);
		break;
	default:
		CFI_OUT_LITERAL(out, " .cfa: sp .ra: x30");
	}
}

int compact_unwind_print(struct cfi_writer *writer, const struct cfi_entry *entry,
			 struct err *err)
{
	struct cfi_out *out = &writer->out;
	bool is_known = true;
	size_t before;

	(void)err;
	cfi_out_make_room(out);
	before = out->used;
	cfi_out_init(out, entry->start, entry->size);
	switch (arch_family(writer->object->arch)) {
	case CPU_X86_64:
		is_known = print_x86(writer, entry, &x86_64_names);
		break;
	case CPU_X86:
		is_known = print_x86(writer, entry, &x86_names);
		break;
	case CPU_ARM64:
		print_arm64(writer, (uint32_t)entry->reference);
		break;
	case CPU_ARM64_32:
		/* A function without a frame cannot be told from one nothing is said of. */
		is_known = (entry->reference & MODE_MASK) != 0;
		print_arm64(writer, (uint32_t)entry->reference);
		break;
	default:
		is_known = false;
	}
	if (is_known)
		cfi_out_end_line(out);
	else
		out->used = before;
	return 0;
}
