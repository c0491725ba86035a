/*
 * pdata_x64.c -- unwind codes of x64 images: one row for each instruction of the prologue that a code
 * tells of, and for those of epilogues, where version 2 says where they are or the code shows it.
 */
#include "cfi/pdata.h"
#include "cfi/pdata_x64.h"

#define CHAIN_CEILING   1024u        /* whatever the options say */
#define FLAG_CHAINED    4u
#define MACHINE_BYTES   40           /* RIP, CS, flags, RSP, SS */
#define FUNCTION_STEPS  8u

enum {
	OP_PUSH = 0, OP_ALLOC_LARGE = 1, OP_ALLOC_SMALL = 2, OP_SET_FRAME = 3, OP_SAVE = 4,
	OP_SAVE_FAR = 5, OP_EPILOG = 6, OP_SPARE = 7, OP_XMM = 8, OP_XMM_FAR = 9,
	OP_MACHINE_FRAME = 10, OPS
};

struct x64_code {
	uint8_t offset, op, info;
	uint32_t bytes;              /* allocated, or where it is saved */
};

/* UNWIND_INFO. */
struct x64_info {
	uint8_t version, flags, frame_register, frame_offset;
	struct x64_code codes[X64_CODES_MAX];
	unsigned count;
	uint32_t parent;             /* of chained information: the parent's */
};

/* In the order unwind codes have registers: as instructions do. */
static const struct text names[X64_REGISTERS] = {
	{ "$rax", 4 }, { "$rcx", 4 }, { "$rdx", 4 }, { "$rbx", 4 }, { "$rsp", 4 }, { "$rbp", 4 },
	{ "$rsi", 4 }, { "$rdi", 4 }, { "$r8", 3 }, { "$r9", 3 }, { "$r10", 4 }, { "$r11", 4 },
	{ "$r12", 4 }, { "$r13", 4 }, { "$r14", 4 }, { "$r15", 4 },
};

/* --- Reading ------------------------------------------------------------------------- */

/* How many slots of two bytes a code takes; 0: there is no such code. */
static unsigned slots_of(const struct x64_info *info, const struct x64_code *code)
{
	static const uint8_t slots[OPS] = { 1, 2, 1, 1, 2, 3, 2, 3, 2, 3, 1 };

	if (code->op >= OPS || ((code->op == OP_ALLOC_LARGE || code->op == OP_MACHINE_FRAME) &&
				code->info > 1))
		return 0;
	if (code->op == OP_ALLOC_LARGE)
		return 2u + code->info;
	if (code->op == OP_EPILOG && info->version == 2)
		return 1;
	return slots[code->op];
}

static bool read_code(const struct x64_info *info, struct reader *codes, struct x64_code *code)
{
	uint8_t byte;
	unsigned slots;

	code->offset = reader_u8(codes);
	byte = reader_u8(codes);
	code->op = byte & 15;
	code->info = byte >> 4;
	code->bytes = 0;
	slots = slots_of(info, code);
	if (slots == 2)
		code->bytes = reader_u16(codes);
	else if (slots == 3)
		code->bytes = reader_u32(codes);
	if (code->op == OP_ALLOC_SMALL)
		code->bytes = code->info * 8u + 8;
	else if ((code->op == OP_ALLOC_LARGE && code->info == 0) || code->op == OP_SAVE)
		code->bytes *= 8;
	return slots > 0 && !codes->failed;
}

static int read_info(const struct cfi_writer *writer, uint32_t address, struct x64_info *info,
		     struct err *err)
{
	struct reader reader = pdata_image_at(writer, address), codes;
	uint8_t head = reader_u8(&reader), count, frame;

	info->version = head & 7;
	info->flags = head >> 3;
	reader_skip(&reader, 1);                     /* size of the prologue */
	count = reader_u8(&reader);
	frame = reader_u8(&reader);
	info->frame_register = frame & 15;
	info->frame_offset = frame >> 4;
	codes = reader_part(&reader, "unwind codes", count * 2u);
	if (reader.failed || info->version < 1 || info->version > 2)
		return err_set(err, ERR_MALFORMED, "no unwind information at 0x%x", address);
	for (info->count = 0; !reader_at_end(&codes); info->count++)
		if (!read_code(info, &codes, &info->codes[info->count]))
			return err_set(err, ERR_MALFORMED, "a bad unwind code at 0x%x", address);
	reader_skip(&reader, count % 2 * 2);
	if (info->flags & FLAG_CHAINED) {
		reader_skip(&reader, 8);
		info->parent = reader_u32(&reader);
		if (reader.failed)
			return err_set(err, ERR_MALFORMED, "nothing is chained at 0x%x", address);
	}
	return 0;
}

/* --- Chains -------------------------------------------------------------------------- */

struct chain {
	uint32_t infos[CHAIN_CEILING];       /* the function's own first */
	unsigned count;
};

static int refuse_chain(const struct cfi_writer *writer, struct err *err)
{
	return err_set(err, ERR_MALFORMED, "exceeded maximum unwind chain length of %u",
		       writer->chain_max);
}

/* An odd address is that of another function's record, which has the information. */
static int resolve(const struct cfi_writer *writer, uint32_t address, uint32_t *info,
		   struct err *err)
{
	for (unsigned hops = 0; address & 1; hops++) {
		struct reader record = pdata_image_at(writer, address & ~1u);

		if (hops == writer->chain_max || hops == CHAIN_CEILING)
			return refuse_chain(writer, err);
		reader_skip(&record, 8);
		address = reader_u32(&record);
	}
	*info = address;
	return 0;
}

/* -1: the file is at an end; 0: this function is, *why says; 1: there it is. */
static int follow_chain(const struct cfi_writer *writer, uint32_t address, struct chain *chain,
			struct err *why, struct err *err)
{
	struct x64_info info;

	for (chain->count = 0;;) {
		if (chain->count > writer->chain_max || chain->count == CHAIN_CEILING)
			return refuse_chain(writer, err);
		if (resolve(writer, address, &address, err) < 0)
			return -1;
		if (read_info(writer, address, &info, why) < 0)
			return 0;
		chain->infos[chain->count++] = address;
		if (!(info.flags & FLAG_CHAINED))
			return 1;
		address = info.parent;
	}
}

/* --- Frames -------------------------------------------------------------------------- */

static void note_push(struct x64_frame *frame, uint8_t who)
{
	if (frame->push_count < X64_CODES_MAX)
		frame->pushes[frame->push_count++] = who;
}

static void save(struct x64_frame *frame, const struct x64_code *code)
{
	frame->saved[code->info] = (int64_t)code->bytes - frame->saves_size;
}

/* What the instruction of a code does, in the order of the prologue. */
static void apply(struct x64_frame *frame, const struct x64_info *info,
		  const struct x64_code *code)
{
	switch (code->op) {
	case OP_PUSH:
		frame->size += 8;
		frame->saved[code->info] = -frame->size;
		note_push(frame, code->info);
		break;
	case OP_ALLOC_LARGE:
	case OP_ALLOC_SMALL:
		frame->size += code->bytes;
		/* Eight bytes before all else: pushed, and popped into nobody's register. */
		if (code->bytes == 8 && frame->size == X64_RETURN_BYTES + 8)
			note_push(frame, X64_REGISTERS);
		break;
	case OP_SET_FRAME:
		frame->has_frame = true;
		frame->frame_register = info->frame_register;
		frame->saves_size = frame->size;
		frame->frame_size = frame->size - info->frame_offset * 16;
		break;
	case OP_SAVE:
	case OP_SAVE_FAR:
		save(frame, code);
		break;
	case OP_MACHINE_FRAME:
		frame->size += MACHINE_BYTES + (code->info ? 8 : 0);
		frame->is_machine = true;
		break;
	default:
		break;                       /* vector registers, epilogues */
	}
}

/* Saves count from the stack pointer behind all codes, whatever stands between, or from where the
 * frame register was set. */
static void begin_codes(struct x64_frame *frame, const struct x64_info *info)
{
	int64_t size = frame->size;

	if (frame->has_frame)
		return;
	for (unsigned i = info->count; i-- > 0 && info->codes[i].op != OP_SET_FRAME;) {
		const struct x64_code *code = &info->codes[i];

		if (code->op == OP_PUSH)
			size += 8;
		else if (code->op == OP_ALLOC_LARGE || code->op == OP_ALLOC_SMALL)
			size += code->bytes;
		else if (code->op == OP_MACHINE_FRAME)
			size += MACHINE_BYTES + (code->info ? 8 : 0);
	}
	frame->saves_size = size;
}

static void apply_all(struct x64_frame *frame, const struct x64_info *info)
{
	begin_codes(frame, info);
	for (unsigned i = info->count; i-- > 0;)
		apply(frame, info, &info->codes[i]);
}

/* --- Printing ------------------------------------------------------------------------ */

static bool is_same_cfa(const struct x64_frame *a, const struct x64_frame *b)
{
	if (a->has_frame != b->has_frame)
		return false;
	return a->has_frame ? a->frame_register == b->frame_register &&
			      a->frame_size == b->frame_size
			    : a->size == b->size;
}

/* What differs from the row before; `before` is NULL for the first. */
static void print_rules(struct cfi_out *out, const struct x64_frame *frame,
			const struct x64_frame *before)
{
	if (!before || !is_same_cfa(frame, before))
		cfi_out_frame(out, frame->has_frame ? names[frame->frame_register] : TEXT("$rsp"),
			      frame->has_frame ? frame->frame_size : frame->size);
	if (!before || frame->is_machine != before->is_machine) {
		cfi_out_saved(out, TEXT(".ra"), frame->is_machine ? -48 : -8);
		if (frame->is_machine)
			cfi_out_saved(out, names[4], -24);
	}
	for (unsigned i = 0; i < X64_REGISTERS; i++) {
		if (frame->saved[i] == (before ? before->saved[i] : X64_NOT_SAVED))
			continue;
		if (frame->saved[i] != X64_NOT_SAVED) {
			cfi_out_saved(out, names[i], frame->saved[i]);
			continue;
		}
		CFI_OUT_LITERAL(out, " ");
		cfi_out_text(out, names[i]);
		CFI_OUT_LITERAL(out, ": ");
		cfi_out_text(out, names[i]);
	}
}

struct x64_rows {
	struct cfi_writer *writer;
	const struct cfi_entry *entry;
	struct x64_frame printed;
	bool has_init;
	uint64_t last;               /* address of the last row, in the function */
	struct reader code;          /* where epilogues are looked for, or empty */
};

/* Rows that do not come after the last one, or in the function, are none. */
static void print_row(struct x64_rows *rows, uint64_t at, const struct x64_frame *frame)
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
	print_rules(out, frame, rows->has_init ? &rows->printed : NULL);
	if (out->used > begun)
		cfi_out_end_line(out);
	else
		out->used = before;
	rows->has_init = true;
	rows->last = at;
	rows->printed = *frame;
}

/* What is below the stack pointer has been restored, and anybody may write there. */
static void forget_below(struct x64_frame *frame)
{
	for (unsigned i = 0; i < X64_REGISTERS; i++)
		if (frame->saved[i] != X64_NOT_SAVED && frame->saved[i] < -frame->size)
			frame->saved[i] = X64_NOT_SAVED;
}

/* Behind the instructions that give back all but what was pushed: pops, up to `end`. */
static void print_pops(struct x64_rows *rows, const struct x64_frame *body, uint64_t at,
		       uint64_t end, const uint8_t *popped, unsigned count)
{
	struct x64_frame frame = *body;

	frame.has_frame = false;
	frame.size = X64_RETURN_BYTES + (int64_t)count * 8;
	for (unsigned i = 0; i < count && at < end; i++) {
		forget_below(&frame);
		print_row(rows, at, &frame);
		at += x64_pop_bytes(popped[i]);
		frame.size -= 8;
	}
	if (at < end) {
		forget_below(&frame);
		print_row(rows, at, &frame);
	}
	print_row(rows, end, body);
}

/* What holds in a part of the function, and its epilogues there. */
static void print_part(struct x64_rows *rows, const struct x64_frame *frame, uint64_t from,
		       uint64_t to)
{
	struct reader *code = &rows->code;
	struct x64_epilog epilog;

	print_row(rows, from, frame);
	if (frame->is_machine || (frame->size == X64_RETURN_BYTES && !frame->has_frame))
		return;
	if (code->pos < from)
		reader_seek(code, from);
	while (x64_epilog_next(frame, code, to, rows->entry->size, &epilog))
		print_pops(rows, frame, epilog.at + epilog.begin_bytes, epilog.end, epilog.popped,
			   epilog.pop_count);
}

/* Each code's instruction ends at its offset: from there on it holds. */
static void print_codes(struct x64_rows *rows, struct x64_frame *frame,
			const struct x64_info *info)
{
	unsigned at = 0;

	begin_codes(frame, info);
	for (unsigned i = info->count; i-- > 0;) {
		const struct x64_code *code = &info->codes[i];

		if (code->op == OP_EPILOG && info->version == 2)
			continue;
		if (code->offset > at) {
			print_part(rows, frame, at, code->offset);
			at = code->offset;
		}
		apply(frame, info, code);
	}
	print_part(rows, frame, at, rows->entry->size);
}

/* Version 2: the first epilogue code has the size of them all, and whether one ends the function;
 * the others have how far before the end each begins.  The farthest come last. */
static void print_epilogues(struct x64_rows *rows, const struct x64_frame *body,
			    const struct x64_info *info)
{
	uint64_t size = rows->entry->size, bytes = 0, places[X64_CODES_MAX];
	uint8_t popped[X64_CODES_MAX];
	unsigned count = 0;

	for (unsigned i = 0; i < body->push_count; i++)
		popped[i] = body->pushes[body->push_count - 1 - i];
	for (unsigned i = 0; i < info->count; i++) {
		const struct x64_code *code = &info->codes[i];
		uint64_t before_end = code->offset + code->info * 256u;

		if (code->op != OP_EPILOG)
			break;
		if (i == 0) {
			bytes = code->offset;
			before_end = code->info & 1 ? bytes : 0;
		}
		if (before_end > 0 && before_end <= size && before_end >= bytes)
			places[count++] = size - before_end;
	}
	while (count-- > 0 && bytes > 0)
		print_pops(rows, body, places[count], places[count] + bytes, popped,
			   body->push_count);
}

/* --- The exception directory ----------------------------------------------------------- */

int pdata_x64_collect(struct cfi_writer *writer, uint32_t source, struct err *err)
{
	const struct object_unwind *section = &writer->sources[source].section;
	struct reader reader = reader_over(section->name, section->bytes.bytes,
					   section->bytes.size);

	while (reader_left(&reader) >= PDATA_X64_BYTES) {
		uint32_t begin = reader_u32(&reader), end = reader_u32(&reader);
		uint32_t info = reader_u32(&reader);

		if (end > begin &&
		    cfi_writer_add(writer, begin, end - begin, source, info, err) < 0)
			return -1;
	}
	return 0;
}

/* Version 1 does not say where epilogues are. */
static int open_code(struct x64_rows *rows, struct err *err)
{
	struct reader image = pdata_image_at(rows->writer, rows->entry->start);
	uint64_t size = (uint64_t)rows->entry->size + X64_EPILOG_AHEAD;

	rows->code = reader_part(&image, "code", size < image.size ? size : image.size);
	return work_charge(&rows->writer->work, rows->code.size / WORK_BYTES_PER_STEP, err);
}

int pdata_x64_print(struct cfi_writer *writer, const struct cfi_entry *entry, struct err *err)
{
	struct x64_rows rows = { .writer = writer, .entry = entry };
	struct x64_frame frame = { .size = X64_RETURN_BYTES };
	struct err why = ERR_INIT;
	struct x64_info info;
	struct chain chain;
	int rc = follow_chain(writer, (uint32_t)entry->reference, &chain, &why, err);

	if (rc < 0 || work_charge(&writer->work, FUNCTION_STEPS + chain.count * 2u, err) < 0)
		return -1;
	for (unsigned i = 0; i < X64_REGISTERS; i++)
		frame.saved[i] = X64_NOT_SAVED;
	for (unsigned i = chain.count; rc > 0 && i-- > 0;) {
		if (read_info(writer, chain.infos[i], &info, &why) < 0)
			rc = 0;
		else if (work_charge(&writer->work, info.count * 2u, err) < 0)
			return -1;
		else if (i > 0)
			apply_all(&frame, &info);
	}
	if (rc == 0) {
		cfi_writer_blame(writer, &why);
		return 0;
	}
	if (info.version == 1 && open_code(&rows, err) < 0)
		return -1;
	print_codes(&rows, &frame, &info);
	if (info.version == 2 && !frame.is_machine)
		print_epilogues(&rows, &frame, &info);
	return 0;
}
