/* frame_section.c -- see frame_section.h: the entries. */
#include "cfi/frame_section.h"

#include "base/load.h"
#include "base/mem.h"

#define WIDE_ESCAPE    0xffffffffu
#define CIE_MARK_32    0xffffffffu
#define CIE_MARK_64    UINT64_MAX
#define ENTRY_STEPS    4u
#define USUAL_BYTES    17u           /* length, CIE, start, size, length of the augmentation */

/* DW_EH_PE_*: how an address is written, and what it is relative to. */
#define PE_FORMAT       0x0fu
#define PE_ABSOLUTE     0x00u
#define PE_ULEB128      0x01u
#define PE_UDATA2       0x02u
#define PE_UDATA4       0x03u
#define PE_UDATA8       0x04u
#define PE_SLEB128      0x09u
#define PE_SDATA2       0x0au
#define PE_SDATA4       0x0bu
#define PE_SDATA8       0x0cu
#define PE_RELATION     0x70u
#define PE_PC_RELATIVE  0x10u
#define PE_TEXT_RELATIVE 0x20u
#define PE_DATA_RELATIVE 0x30u
#define PE_ALIGNED      0x50u
#define PE_INDIRECT     0x80u
#define PE_OMITTED      0xffu

/* The head of an entry. */
struct frame_section_head {
	uint64_t id_at, id, end;
	bool is_wide;
};

int frame_section_new(struct frame_section **frames, const struct object_unwind *section,
		      uint64_t load_address, struct err *err)
{
	*frames = mem_get(sizeof(**frames));
	if (!*frames)
		return err_set(err, ERR_NO_MEMORY, "no memory to read %s", section->name);
	(*frames)->section = section;
	(*frames)->load_address = load_address;
	(*frames)->reader = reader_over(section->name, section->bytes.bytes, section->bytes.size);
	(*frames)->reader.big_endian = section->big_endian;
	return 0;
}

/* --- Addresses ----------------------------------------------------------------------- */

static uint64_t read_format(struct reader *reader, uint8_t encoding, unsigned address_bytes)
{
	switch (encoding & PE_FORMAT) {
	case PE_ABSOLUTE:
		return reader_unsigned(reader, address_bytes);
	case PE_ULEB128:
		return reader_uleb128(reader);
	case PE_UDATA2:
		return reader_u16(reader);
	case PE_UDATA4:
		return reader_u32(reader);
	case PE_UDATA8:
	case PE_SDATA8:
		return reader_u64(reader);
	case PE_SLEB128:
		return (uint64_t)reader_sleb128(reader);
	case PE_SDATA2:
		return (uint64_t)(int64_t)(int16_t)reader_u16(reader);
	case PE_SDATA4:
		return (uint64_t)(int64_t)(int32_t)reader_u32(reader);
	default:
		reader->failed = true;
		return 0;
	}
}

static void align(struct reader *reader, unsigned address_bytes)
{
	size_t over = reader->pos % address_bytes;

	if (over)
		reader_skip(reader, address_bytes - over);
}

/* `reader` is over the whole section. */
static uint64_t read_address(const struct frame_section *frames, struct reader *reader,
			     const struct frame_common *common, uint8_t encoding)
{
	uint64_t base = 0, value;

	switch (encoding & (PE_RELATION | PE_INDIRECT)) {
	case 0:
		break;
	case PE_PC_RELATIVE:
		base = frames->section->address + reader->pos;
		break;
	case PE_TEXT_RELATIVE:
		base = frames->section->text_address;
		break;
	case PE_DATA_RELATIVE:
		base = frames->section->data_address;
		break;
	case PE_ALIGNED:
		align(reader, common->address_bytes);
		break;
	default:
		reader->failed = true;
	}
	value = base + read_format(reader, encoding, common->address_bytes);
	return common->address_bytes == 4 ? (uint32_t)value : value;
}

/* --- Entries ------------------------------------------------------------------------- */

static bool is_eh_frame(const struct frame_section *frames)
{
	return frames->section->kind == OBJECT_UNWIND_EH_FRAME;
}

/* False: the section ends here, or the entry does not fit into it. */
static bool read_head(const struct frame_section *frames, struct reader *reader, struct frame_section_head *head)
{
	uint64_t length = reader_u32(reader);

	head->is_wide = length == WIDE_ESCAPE;
	if (head->is_wide)
		length = reader_u64(reader);
	if (reader->failed || length > reader_left(reader))
		return false;
	head->id_at = reader->pos;
	head->end = reader->pos + length;
	/* Only .debug_frame has wide ids. */
	head->id = length == 0 ? 0
		   : head->is_wide && !is_eh_frame(frames) ? reader_u64(reader)
							   : reader_u32(reader);
	return !reader->failed;
}

static bool is_common(const struct frame_section *frames, const struct frame_section_head *head)
{
	if (is_eh_frame(frames))
		return head->id == 0;
	return head->id == (head->is_wide ? CIE_MARK_64 : CIE_MARK_32);
}

/* "zPLR": in its order, the data of each letter. */
static void read_augmentation(const struct frame_section *frames, struct reader *reader,
			      struct text letters, struct frame_common *common)
{
	uint64_t size = reader_uleb128(reader);
	uint64_t end = reader->pos + size;

	if (size > reader_left(reader)) {
		reader->failed = true;
		return;
	}
	common->has_data = true;
	for (size_t i = 1; i < letters.size; i++) {
		uint8_t encoding;

		if (letters.bytes[i] == 'R') {
			common->encoding = reader_u8(reader);
		} else if (letters.bytes[i] == 'L') {
			reader_skip(reader, 1);
		} else if (letters.bytes[i] == 'P') {
			encoding = reader_u8(reader);
			(void)read_address(frames, reader, common,
					   encoding & (uint8_t)~PE_INDIRECT);
		} else if (letters.bytes[i] != 'S' && letters.bytes[i] != 'B' &&
			   letters.bytes[i] != 'G') {
			break;
		}
	}
	if (reader->pos > end)
		reader->failed = true;
	reader_seek(reader, end);
}

/* Segments nobody has any more. */
static void read_sizes(struct reader *reader, struct frame_common *common)
{
	common->address_bytes = reader_u8(reader);
	if (reader_u8(reader) != 0 || (common->address_bytes != 4 && common->address_bytes != 8))
		reader->failed = true;
}

static int read_common(const struct frame_section *frames, struct reader *reader,
		       const struct frame_section_head *head, struct frame_common *common, struct err *err)
{
	uint8_t version = reader_u8(reader);
	struct text letters = reader_string(reader);

	if (!reader->failed && version != 1 && version != 3 && version != 4)
		return err_set(err, ERR_UNSUPPORTED, "a CIE of version %u", version);
	common->address_bytes = frames->section->address_bytes;
	if (version == 4)
		read_sizes(reader, common);
	if (text_is(letters, "eh"))
		reader_skip(reader, common->address_bytes);
	common->code_factor = reader_uleb128(reader);
	common->data_factor = reader_sleb128(reader);
	common->return_column = version == 1 ? reader_u8(reader)
					     : (uint32_t)reader_uleb128(reader);
	if (text_starts_with(letters, "z"))
		read_augmentation(frames, reader, letters, common);
	else if (letters.size > 0 && !text_is(letters, "eh"))
		return err_set(err, ERR_UNSUPPORTED, "a CIE with the augmentation \"%.*s\"",
			       (int)(letters.size < 16 ? letters.size : 16), letters.bytes);
	common->instructions_at = reader->pos;
	common->instructions_end = head->end;
	if (reader->failed || reader->pos > head->end)
		return err_set(err, ERR_MALFORMED, "a CIE ends early");
	return 0;
}

static int find_common(struct frame_section *frames, uint64_t offset,
		       const struct frame_common **found, struct err *err)
{
	struct frame_common *common = &frames->commons[offset / 4 % FRAME_COMMONS];
	struct reader reader = frames->reader;
	struct frame_section_head head;

	*found = common;
	if (common->is_known && common->offset == offset)
		return 0;
	*common = (struct frame_common){ .offset = offset, .encoding = PE_ABSOLUTE };
	reader_seek(&reader, offset);
	if (!read_head(frames, &reader, &head) || !is_common(frames, &head) ||
	    head.end == head.id_at)
		return err_set(err, ERR_MALFORMED, "no CIE at 0x%llx",
			       (unsigned long long)offset);
	if (read_common(frames, &reader, &head, common, err) < 0)
		return err_while(err, "at 0x%llx", (unsigned long long)offset);
	common->is_known = true;
	common->is_usual = common->has_data && common->address_bytes == 8 &&
			   common->encoding == (PE_PC_RELATIVE | PE_SDATA4);
	return 0;
}

static int read_description(struct frame_section *frames, struct reader *reader,
			    const struct frame_section_head *head, struct frame_description *description,
			    struct err *err)
{
	uint64_t common_at = is_eh_frame(frames) ? head->id_at - head->id : head->id;
	const struct frame_common *common;

	if (find_common(frames, common_at, &common, err) < 0)
		return -1;
	description->common = common;
	description->start = read_address(frames, reader, common, common->encoding);
	description->size = read_format(reader, common->encoding & PE_FORMAT,
					common->address_bytes);
	if (common->has_data)
		reader_skip(reader, reader_uleb128(reader));
	description->instructions_at = reader->pos;
	description->instructions_end = head->end;
	if (reader->failed || reader->pos > head->end)
		return err_set(err, ERR_MALFORMED, "an FDE ends early");
	return 1;
}

/* The FDE almost all are like: of x86-64 and arm64, behind a CIE that was read, its address a
 * difference of 32 bits.  False: it is another one, or a bad one. */
static inline bool read_usual(const struct frame_section *frames, uint64_t offset, uint64_t *next,
			      struct frame_description *description)
{
	struct reader reader = frames->reader;
	const struct frame_common *common;
	const uint8_t *entry;
	uint64_t common_at;
	uint32_t length;

	reader_seek(&reader, offset);
	entry = reader_take(&reader, USUAL_BYTES);
	if (!entry || reader.big_endian || !is_eh_frame(frames))
		return false;
	length = load_u32(entry);
	common_at = offset + 4 - load_u32(entry + 4);
	common = &frames->commons[common_at / 4 % FRAME_COMMONS];
	if (length < USUAL_BYTES - 4 || length > reader.size - offset - 4 || common_at > offset ||
	    !common->is_known || common->offset != common_at || !common->is_usual ||
	    entry[USUAL_BYTES - 1] >= 0x80 || entry[USUAL_BYTES - 1] > length - (USUAL_BYTES - 4))
		return false;
	*next = offset + 4 + length;
	*description = (struct frame_description){
		.common = common,
		.start = frames->section->address + offset + 8 +
			 (uint64_t)(int64_t)(int32_t)load_u32(entry + 8),
		.size = (uint64_t)(int64_t)(int32_t)load_u32(entry + 12),
		.instructions_at = offset + USUAL_BYTES + entry[USUAL_BYTES - 1],
		.instructions_end = *next,
	};
	return true;
}

int frame_section_read(struct frame_section *frames, uint64_t offset, uint64_t *next,
		       struct frame_description *description, struct err *err)
{
	struct reader reader = frames->reader;
	struct frame_section_head head;
	int rc = 0;

	if (read_usual(frames, offset, next, description))
		return 1;
	*next = 0;
	reader_seek(&reader, offset);
	if (!read_head(frames, &reader, &head))
		return err_set(err, ERR_MALFORMED, "%s+0x%llx: an entry that does not fit into it",
			       frames->section->name, (unsigned long long)offset);
	*next = head.end;
	if (head.end > head.id_at && !is_common(frames, &head))
		rc = read_description(frames, &reader, &head, description, err);
	return rc < 0 ? err_while(err, "%s+0x%llx", frames->section->name,
				  (unsigned long long)offset) : rc;
}

/* Of a discarded function linkers leave an address such as 0, 1 or -1. */
bool frame_section_has_code(const struct frame_section *frames,
			    const struct frame_description *description)
{
	uint64_t most = description->common->address_bytes == 4 ? UINT32_MAX : UINT64_MAX;

	return description->start >= frames->load_address &&
	       description->start >= frames->section->lowest_code &&
	       description->start < most - 1 && description->size <= most - description->start;
}

int frame_section_collect(struct cfi_writer *writer, uint32_t source, struct err *err)
{
	struct frame_section *frames = writer->sources[source].frames;
	uint64_t next;

	for (uint64_t at = 0; at < frames->reader.size; at = next) {
		struct frame_description description;
		struct err why = ERR_INIT;
		int rc = frame_section_read(frames, at, &next, &description, &why);

		if (work_charge(&writer->work, ENTRY_STEPS, err) < 0)
			return -1;
		if (rc < 0)
			cfi_writer_blame(writer, &why);
		if (next == 0)
			break;
		if (rc > 0 && frame_section_has_code(frames, &description) &&
		    cfi_writer_add(writer, description.start - frames->load_address,
				   description.size, source, at, err) < 0)
			return -1;
	}
	return 0;
}

int frame_section_print(struct cfi_writer *writer, const struct cfi_entry *entry, struct err *err)
{
	struct frame_section *frames = writer->sources[entry->source].frames;
	struct frame_description description;
	uint64_t next;

	if (frame_section_read(frames, entry->reference, &next, &description, err) <= 0)
		return err_set(err, ERR_INTERNAL, "an FDE that was there is none");
	return frame_rows_print(writer, frames, &description, err);
}
