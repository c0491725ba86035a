/*
 * pdata_arm64.c -- unwind codes of ARM64 images: packed into the record, or full.  Both become the
 * list of what the prologue does, one instruction of four bytes each; a row follows each of them, and
 * in epilogues, which undo them in reverse, each before its instruction.
 */
#include "cfi/pdata.h"

#define CODES_MAX       1024u
#define FIRST_SAVED     19u          /* X19 */
#define FRAME_POINTER   29u
#define LINK_REGISTER   30u
#define FIRST_VECTOR    72u          /* D8, by its DWARF column */
#define VECTORS         8u
#define SAVED           (LINK_REGISTER - FIRST_SAVED + 1 + VECTORS)
#define NO_REGISTER     0xffu
#define FUNCTION_STEPS  8u
#define PACKED_NO_PROLOGUE 2u

enum step_kind {
	STEP_NOTHING,                /* moves no register that counts */
	STEP_ALLOC,                  /* so many bytes */
	STEP_SAVE,                   /* one register or two, at SP + bytes */
	STEP_SAVE_PUSH,              /* the same at SP - bytes, which SP becomes */
	STEP_SAVE_NEXT,              /* the pair after the last */
	STEP_SET_FRAME,              /* X29 is SP + bytes */
	STEP_END,                    /* of the codes */
	STEP_END_CHAINED,            /* of this fragment's; the rest are its parent's */
	STEP_BAD,
};

struct arm64_step {
	uint8_t kind, first, second; /* registers as DWARF columns, or NO_REGISTER */
	uint32_t bytes;
};

/* In the order of the file: the prologue's last instruction first. */
struct arm64_steps {
	struct arm64_step steps[CODES_MAX];
	unsigned count;
	unsigned own;                /* those of this fragment; the rest its parent's */
};

struct arm64_frame {
	int64_t size;                /* from SP to the CFA */
	bool has_frame;              /* the CFA is X29 and so many: */
	int64_t frame_size;
	int64_t saved[SAVED];        /* relative to the CFA; 0: not saved */
	uint8_t last;                /* first register of the last pair, */
	int64_t last_at;             /* and where that is */
};

/* --- Full codes ---------------------------------------------------------------------- */

static struct arm64_step one(enum step_kind kind, unsigned first, unsigned second, unsigned bytes)
{
	return (struct arm64_step){ (uint8_t)kind, (uint8_t)first, (uint8_t)second, bytes };
}

static struct arm64_step plain(enum step_kind kind, unsigned bytes)
{
	return one(kind, NO_REGISTER, NO_REGISTER, bytes);
}

static unsigned general(unsigned x)
{
	return FIRST_SAVED + x;
}

static unsigned vector(unsigned x)
{
	return FIRST_VECTOR + x;
}

/* 110rrrrr: saves told by two bytes, X the register and Z the place. */
static struct arm64_step read_save(unsigned code, unsigned low)
{
	unsigned x = (code & 3) << 2 | low >> 6, z = low & 63;

	switch (code & 0xfc) {
	case 0xc8:                           /* save_regp */
		return one(STEP_SAVE, general(x), general(x) + 1, z * 8);
	case 0xcc:                           /* save_regp_x */
		return one(STEP_SAVE_PUSH, general(x), general(x) + 1, (z + 1) * 8);
	case 0xd0:                           /* save_reg */
		return one(STEP_SAVE, general(x), NO_REGISTER, z * 8);
	default:
		break;
	}
	x = (code & 1) << 2 | low >> 6;
	switch (code & 0xfe) {
	case 0xd4:                           /* save_reg_x */
		return one(STEP_SAVE_PUSH, general((code & 1) << 3 | low >> 5), NO_REGISTER,
			   ((low & 31) + 1) * 8);
	case 0xd6:                           /* save_lrpair */
		return one(STEP_SAVE, general(2 * x), LINK_REGISTER, z * 8);
	case 0xd8:                           /* save_fregp */
		return one(STEP_SAVE, vector(x), vector(x) + 1, z * 8);
	case 0xda:                           /* save_fregp_x */
		return one(STEP_SAVE_PUSH, vector(x), vector(x) + 1, (z + 1) * 8);
	case 0xdc:                           /* save_freg */
		return one(STEP_SAVE, vector(x), NO_REGISTER, z * 8);
	default:                             /* save_freg_x */
		return code == 0xde ? one(STEP_SAVE_PUSH, vector(low >> 5), NO_REGISTER,
					  ((low & 31) + 1) * 8)
				    : plain(STEP_BAD, 0);
	}
}

/* save_any_reg: 0pxrrrrr ffoooooo. */
static struct arm64_step read_save_any(unsigned high, unsigned low)
{
	bool is_pair = high & 0x40, is_push = high & 0x20;
	unsigned number = high & 31, file = low >> 6, place = low & 63;
	unsigned scale = file == 2 || is_pair || is_push ? 16 : 8;
	unsigned first = file == 0 ? number : 64 + number;

	if (high & 0x80 || file == 3)
		return plain(STEP_BAD, 0);
	if (file == 2)                       /* of a vector its whole: nobody asks for it */
		return plain(is_push ? STEP_ALLOC : STEP_NOTHING, (place + 1) * 16);
	return one(is_push ? STEP_SAVE_PUSH : STEP_SAVE, first, is_pair ? first + 1 : NO_REGISTER,
		   is_push ? (place + 1) * scale : place * scale);
}

static struct arm64_step read_long(unsigned code, struct reader *codes)
{
	unsigned high;

	switch (code) {
	case 0xdf:                           /* alloc_z: as large as vectors are there */
		reader_skip(codes, 1);
		return plain(STEP_BAD, 0);
	case 0xe0:                           /* alloc_l */
		high = reader_u8(codes);
		high = high << 8 | reader_u8(codes);
		return plain(STEP_ALLOC, (high << 8 | reader_u8(codes)) * 16);
	case 0xe1:                           /* set_fp */
		return plain(STEP_SET_FRAME, 0);
	case 0xe2:                           /* add_fp */
		return plain(STEP_SET_FRAME, reader_u8(codes) * 8u);
	case 0xe4:
		return plain(STEP_END, 0);
	case 0xe5:
		return plain(STEP_END_CHAINED, 0);
	case 0xe6:
		return plain(STEP_SAVE_NEXT, 0);
	case 0xe7:
		high = reader_u8(codes);
		return read_save_any(high, reader_u8(codes));
	case 0xe3:                           /* nop */
	case 0xfc:                           /* pac_sign_lr */
		return plain(STEP_NOTHING, 0);
	default:
		return plain(STEP_BAD, 0);
	}
}

static struct arm64_step read_step(struct reader *codes)
{
	unsigned code = reader_u8(codes);

	if (code < 0x20)                     /* alloc_s */
		return plain(STEP_ALLOC, code * 16);
	if (code < 0x40)                     /* save_r19r20_x */
		return one(STEP_SAVE_PUSH, FIRST_SAVED, FIRST_SAVED + 1, (code & 31) * 8);
	if (code < 0x80)                     /* save_fplr */
		return one(STEP_SAVE, FRAME_POINTER, LINK_REGISTER, (code & 63) * 8);
	if (code < 0xc0)                     /* save_fplr_x */
		return one(STEP_SAVE_PUSH, FRAME_POINTER, LINK_REGISTER, ((code & 63) + 1) * 8);
	if (code < 0xc8)                     /* alloc_m */
		return plain(STEP_ALLOC, ((code & 7) << 8 | reader_u8(codes)) * 16);
	return code < 0xdf ? read_save(code, reader_u8(codes)) : read_long(code, codes);
}

/* From `from` bytes on, to the end of the codes or of the list. */
static int read_steps(struct reader codes, unsigned from, struct arm64_steps *steps,
		      struct err *err)
{
	bool is_chained = false;

	steps->count = steps->own = 0;
	reader_seek(&codes, from);
	while (!reader_at_end(&codes) && steps->count < CODES_MAX) {
		struct arm64_step step = read_step(&codes);

		if (step.kind == STEP_END)
			break;
		if (step.kind == STEP_BAD || codes.failed)
			return err_set(err, ERR_UNSUPPORTED, "an unwind code we cannot say");
		if (step.kind == STEP_END_CHAINED) {
			is_chained = true;
			continue;
		}
		steps->steps[steps->count++] = step;
		steps->own += !is_chained;
	}
	return codes.failed ? err_set(err, ERR_MALFORMED, "unwind codes end early") : 0;
}

/* --- Packed codes -------------------------------------------------------------------- */

struct pdata_packed {
	unsigned flag, vectors, generals, homes, chained, frame_bytes;
};

static struct pdata_packed unpack(uint32_t word)
{
	return (struct pdata_packed){
		.flag = word & 3, .vectors = word >> 13 & 7, .generals = word >> 16 & 15,
		.homes = word >> 20 & 1, .chained = word >> 21 & 3,
		.frame_bytes = (word >> 23) * 16,
	};
}

static void put(struct arm64_steps *steps, struct arm64_step step)
{
	steps->steps[steps->count++] = step;
}

/* The first of all saves makes the room. */
static struct arm64_step saving(unsigned first, unsigned second, unsigned at, unsigned room)
{
	return at == 0 ? one(STEP_SAVE_PUSH, first, second, room)
		       : one(STEP_SAVE, first, second, at);
}

static void put_generals(struct arm64_steps *steps, const struct pdata_packed *packed, unsigned room,
			 unsigned *at)
{
	bool has_link = packed->chained == 1;

	for (unsigned i = 0; i + 1 < packed->generals; i += 2, *at += 16)
		put(steps, saving(general(i), general(i) + 1, *at, room));
	if (packed->generals % 2) {
		put(steps, saving(general(packed->generals - 1),
				  has_link ? LINK_REGISTER : NO_REGISTER, *at, room));
		*at += has_link ? 16 : 8;
	} else if (has_link) {
		put(steps, saving(LINK_REGISTER, NO_REGISTER, *at, room));
		*at += 8;
	}
}

static void put_vectors(struct arm64_steps *steps, const struct pdata_packed *packed, unsigned room,
			unsigned *at)
{
	unsigned count = packed->vectors ? packed->vectors + 1 : 0;

	for (unsigned i = 0; i < count; i += 2) {
		bool is_pair = i + 1 < count;

		put(steps, saving(vector(i), is_pair ? vector(i) + 1 : NO_REGISTER, *at, room));
		*at += is_pair ? 16 : 8;
	}
}

static void put_alloc(struct arm64_steps *steps, unsigned bytes)
{
	if (bytes > 4080) {
		put(steps, plain(STEP_ALLOC, 4080));
		bytes -= 4080;
	}
	if (bytes > 0)
		put(steps, plain(STEP_ALLOC, bytes));
}

static void put_locals(struct arm64_steps *steps, const struct pdata_packed *packed, unsigned bytes)
{
	if (packed->chained < 2) {
		put_alloc(steps, bytes);
	} else {
		if (bytes > 512) {
			put_alloc(steps, bytes);
			put(steps, one(STEP_SAVE, FRAME_POINTER, LINK_REGISTER, 0));
		} else {
			put(steps, one(STEP_SAVE_PUSH, FRAME_POINTER, LINK_REGISTER, bytes));
		}
		put(steps, plain(STEP_SET_FRAME, 0));
	}
}

/* The canonical prologue, first in the order of its instructions. */
static int expand(const struct pdata_packed *packed, struct arm64_steps *steps, struct err *err)
{
	unsigned generals = packed->generals * 8 + (packed->chained == 1 ? 8 : 0);
	unsigned vectors = packed->vectors ? packed->vectors * 8 + 8 : 0;
	unsigned room = (generals + vectors + packed->homes * 64 + 15) & ~15u, at = 0;

	if (packed->generals > 10 || room > packed->frame_bytes)
		return err_set(err, ERR_MALFORMED, "packed unwind data that contradicts itself");
	steps->count = 0;
	if (packed->chained == 2)
		put(steps, plain(STEP_NOTHING, 0));  /* pacibsp */
	put_generals(steps, packed, room, &at);
	put_vectors(steps, packed, room, &at);
	for (unsigned i = 0; i < packed->homes * 4; i++, at += 16)
		put(steps, at == 0 ? plain(STEP_ALLOC, room) : plain(STEP_NOTHING, 0));
	put_locals(steps, packed, packed->frame_bytes - room);
	steps->own = steps->count;
	for (unsigned i = 0; i < steps->count / 2; i++) {
		struct arm64_step step = steps->steps[i];

		steps->steps[i] = steps->steps[steps->count - 1 - i];
		steps->steps[steps->count - 1 - i] = step;
	}
	return 0;
}

/* --- Frames -------------------------------------------------------------------------- */

static void save(struct arm64_frame *frame, unsigned column, int64_t at)
{
	if (column >= FIRST_SAVED && column <= LINK_REGISTER)
		frame->saved[column - FIRST_SAVED] = at;
	else if (column >= FIRST_VECTOR && column < FIRST_VECTOR + VECTORS)
		frame->saved[LINK_REGISTER - FIRST_SAVED + 1 + column - FIRST_VECTOR] = at;
}

static void save_step(struct arm64_frame *frame, unsigned first, unsigned second, int64_t at)
{
	save(frame, first, at);
	save(frame, second, at + 8);
	frame->last = (uint8_t)first;
	frame->last_at = at;
}

static void apply(struct arm64_frame *frame, const struct arm64_step *step)
{
	switch (step->kind) {
	case STEP_ALLOC:
		frame->size += step->bytes;
		break;
	case STEP_SAVE:
		save_step(frame, step->first, step->second, (int64_t)step->bytes - frame->size);
		break;
	case STEP_SAVE_PUSH:
		frame->size += step->bytes;
		save_step(frame, step->first, step->second, -frame->size);
		break;
	case STEP_SAVE_NEXT:
		save_step(frame, frame->last + 2u, frame->last + 3u, frame->last_at + 16);
		break;
	case STEP_SET_FRAME:
		frame->has_frame = true;
		frame->frame_size = frame->size - step->bytes;
		break;
	default:
		break;
	}
}

/* The frame while all of the list but its first `undone` are in force. */
static struct arm64_frame frame_of(const struct arm64_steps *steps, unsigned undone)
{
	struct arm64_frame frame = { .size = 0 };

	for (unsigned i = steps->count; i-- > undone;)
		apply(&frame, &steps->steps[i]);
	return frame;
}

/* --- Printing ------------------------------------------------------------------------ */

struct arm64_rows {
	struct cfi_writer *writer;
	const struct cfi_entry *entry;
	struct arm64_frame printed;
	bool has_init;
	uint64_t last;
};

static struct text name_of(const struct arm64_rows *rows, unsigned index)
{
	unsigned generals = LINK_REGISTER - FIRST_SAVED + 1;

	if (index == generals - 1)
		return TEXT(".ra");
	return rows->writer->registers->names[index < generals ? FIRST_SAVED + index
							       : FIRST_VECTOR + index - generals];
}

static void print_cfa(struct arm64_rows *rows, const struct arm64_frame *frame)
{
	const struct arm64_frame *before = &rows->printed;

	if (rows->has_init && frame->has_frame == before->has_frame &&
	    (frame->has_frame ? frame->frame_size == before->frame_size
			      : frame->size == before->size))
		return;
	cfi_out_frame(&rows->writer->out, frame->has_frame ? TEXT("x29") : TEXT("sp"),
		      frame->has_frame ? frame->frame_size : frame->size);
}

static void print_saved(struct arm64_rows *rows, const struct arm64_frame *frame, unsigned index)
{
	struct cfi_out *out = &rows->writer->out;
	struct text name = name_of(rows, index);
	bool is_link = text_is(name, ".ra");

	if (rows->has_init ? frame->saved[index] == rows->printed.saved[index]
			   : frame->saved[index] == 0 && !is_link)
		return;
	if (frame->saved[index]) {
		cfi_out_saved(out, name, frame->saved[index]);
		return;
	}
	CFI_OUT_LITERAL(out, " ");
	cfi_out_text(out, name);
	CFI_OUT_LITERAL(out, ": ");
	cfi_out_text(out, is_link ? TEXT("x30") : name);
}

/* Rows that do not come after the last one, or in the function, are none. */
static void print_row(struct arm64_rows *rows, uint64_t at, const struct arm64_frame *frame)
{
	struct cfi_out *out = &rows->writer->out;
	size_t before, begun;

	if (rows->has_init && (at < rows->last || at >= rows->entry->size))
		return;
	cfi_out_make_room(out);
	before = out->used;
	if (rows->has_init)
		cfi_out_row(out, rows->entry->start + at);
	else
		cfi_out_init(out, rows->entry->start, rows->entry->size);
	begun = out->used;
	print_cfa(rows, frame);
	for (unsigned i = 0; i < SAVED; i++)
		print_saved(rows, frame, i);
	if (out->used > begun)
		cfi_out_end_line(out);
	else
		out->used = before;
	rows->has_init = true;
	rows->last = at;
	rows->printed = *frame;
}

/* Row i holds before instruction i: a fragment without a prologue begins with all in force. */
static void print_prologue(struct arm64_rows *rows, const struct arm64_steps *steps, bool has_own)
{
	for (unsigned undone = has_own ? steps->own : 0;; undone--) {
		struct arm64_frame frame = frame_of(steps, undone);

		print_row(rows, (steps->own - undone) * (has_own ? 4u : 0u), &frame);
		if (undone == 0)
			break;
	}
}

/* `end`: behind the last of its instructions, where the body goes on. */
static int print_epilogue(struct arm64_rows *rows, const struct arm64_steps *steps, uint64_t at,
			  const struct arm64_frame *body, struct err *err)
{
	if (work_charge(&rows->writer->work, ((uint64_t)steps->own + 1) * steps->count, err) < 0)
		return -1;
	for (unsigned done = 0; done <= steps->own; done++, at += 4) {
		struct arm64_frame frame = frame_of(steps, done);

		print_row(rows, at, &frame);
	}
	print_row(rows, at, body);
	return 0;
}

/* --- Records ------------------------------------------------------------------------- */

/* A full record (.xdata). */
struct arm64_record {
	uint64_t function_bytes;
	bool has_one_epilogue;       /* at the end; its codes begin at `first_code` */
	unsigned first_code;
	struct reader epilogues;     /* a word each */
	struct reader codes;
};

static int read_record(const struct cfi_writer *writer, uint32_t address,
		       struct arm64_record *record, struct err *err)
{
	struct reader reader = pdata_image_at(writer, address);
	uint32_t word = reader_u32(&reader), epilogues = word >> 22 & 31, words = word >> 27;

	record->function_bytes = (word & 0x3ffff) * (uint64_t)4;
	record->has_one_epilogue = word >> 21 & 1;
	if (epilogues == 0 && words == 0) {
		uint32_t more = reader_u32(&reader);

		epilogues = more & 0xffff;
		words = more >> 16 & 0xff;
	}
	record->first_code = epilogues;
	record->epilogues = reader_part(&reader, "epilogues", record->has_one_epilogue
								      ? 0 : epilogues * (uint64_t)4);
	record->codes = reader_part(&reader, "unwind codes", words * (uint64_t)4);
	if (!reader.failed && (word >> 18 & 3) != 0)
		return err_set(err, ERR_UNSUPPORTED, "unwind information of version %u at 0x%x",
			       word >> 18 & 3, address);
	return reader.failed ? err_set(err, ERR_MALFORMED, "no unwind information at 0x%x", address)
			     : 0;
}

static int print_record_epilogues(struct arm64_rows *rows, struct arm64_record *record,
				  struct arm64_steps *steps, const struct arm64_frame *body,
				  struct err *err)
{
	struct err why = ERR_INIT;
	uint64_t last = 0;

	if (record->has_one_epilogue) {
		uint64_t bytes;

		if (read_steps(record->codes, record->first_code, steps, &why) < 0)
			return 0;
		bytes = (steps->own + 1) * (uint64_t)4;
		return bytes > rows->entry->size
			       ? 0 : print_epilogue(rows, steps, rows->entry->size - bytes, body, err);
	}
	while (!reader_at_end(&record->epilogues)) {
		uint32_t word = reader_u32(&record->epilogues);
		uint64_t at = (word & 0x3ffff) * (uint64_t)4;

		if (at < last || read_steps(record->codes, word >> 22, steps, &why) < 0)
			continue;
		last = at;
		if (print_epilogue(rows, steps, at, body, err) < 0)
			return -1;
	}
	return 0;
}

static int print_full(struct arm64_rows *rows, struct arm64_steps *steps, struct err *err)
{
	struct cfi_writer *writer = rows->writer;
	struct arm64_record record;
	struct arm64_frame body;
	struct err why = ERR_INIT;

	if (read_record(writer, (uint32_t)rows->entry->reference, &record, &why) < 0 ||
	    read_steps(record.codes, 0, steps, &why) < 0) {
		cfi_writer_blame(writer, &why);
		return 0;
	}
	if (work_charge(&writer->work, FUNCTION_STEPS + ((uint64_t)steps->own + 1) * steps->count,
			err) < 0)
		return -1;
	print_prologue(rows, steps, true);
	body = frame_of(steps, 0);
	return print_record_epilogues(rows, &record, steps, &body, err);
}

/* Epilogues of packed functions take the frame pointer's move and the homes for nothing. */
static void drop_moves(struct arm64_steps *steps, const struct pdata_packed *packed)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < steps->count; i++) {
		bool is_sign = packed->chained == 2 && i == steps->count - 1;

		if (steps->steps[i].kind == STEP_SET_FRAME ||
		    (steps->steps[i].kind == STEP_NOTHING && !is_sign))
			continue;
		steps->steps[kept++] = steps->steps[i];
	}
	steps->count = steps->own = kept;
}

static int print_packed(struct arm64_rows *rows, struct arm64_steps *steps, struct err *err)
{
	struct pdata_packed packed = unpack((uint32_t)rows->entry->reference);
	struct arm64_frame body;
	struct err why = ERR_INIT;
	uint64_t bytes;

	if (expand(&packed, steps, &why) < 0) {
		cfi_writer_blame(rows->writer, &why);
		return 0;
	}
	if (work_charge(&rows->writer->work, FUNCTION_STEPS + steps->count * 2u, err) < 0)
		return -1;
	print_prologue(rows, steps, packed.flag != PACKED_NO_PROLOGUE);
	body = frame_of(steps, 0);
	drop_moves(steps, &packed);
	bytes = (steps->count + 1) * (uint64_t)4;
	return bytes > rows->entry->size
		       ? 0 : print_epilogue(rows, steps, rows->entry->size - bytes, &body, err);
}

int pdata_arm64_print(struct cfi_writer *writer, const struct cfi_entry *entry, struct err *err)
{
	struct arm64_rows rows = { .writer = writer, .entry = entry };
	struct arm64_steps steps;

	return entry->reference & 3 ? print_packed(&rows, &steps, err)
				    : print_full(&rows, &steps, err);
}

int pdata_arm64_collect(struct cfi_writer *writer, uint32_t source, struct err *err)
{
	const struct object_unwind *section = &writer->sources[source].section;
	struct reader reader = reader_over(section->name, section->bytes.bytes,
					   section->bytes.size);

	while (reader_left(&reader) >= PDATA_ARM64_BYTES) {
		uint32_t begin = reader_u32(&reader), word = reader_u32(&reader);
		uint64_t size = (word >> 2 & 0x7ff) * (uint64_t)4;
		struct arm64_record record;
		struct err why = ERR_INIT;

		if (begin == 0 || (word & 3) == 3)
			continue;
		if ((word & 3) == 0) {
			if (read_record(writer, word, &record, &why) < 0) {
				cfi_writer_blame(writer, &why);
				continue;
			}
			size = record.function_bytes;
		}
		if (cfi_writer_add(writer, begin, size, source, word, err) < 0)
			return -1;
	}
	return 0;
}
