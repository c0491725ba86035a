/*
 * pdata_epilog.c -- epilogues of x64 functions, known by their instructions (Microsoft, x64 exception
 * handling, "Epilog code"): one that frees the local stack, pops, and a return or a jump elsewhere.
 *
 * Unwind information of version 1 does not say where they are.  Code is no list of instructions that
 * could be read from its beginning, so each byte is taken for one.  That is sound as what comes of it has to
 * give back exactly what the prologue took, each register from its own place; and nothing stops
 * within an instruction.
 */
#include "cfi/pdata_x64.h"

#define RSP         4u
#define VOLATILES   0x0f07u          /* rax, rcx, rdx, r8 to r11: popped to give back eight bytes */
#define SIZE_ANY    INT64_MIN        /* how much is left, the instruction does not say */

enum {
	REX = 0x40, REX_B = 0x41, REX_W = 0x48,
	POP = 0x58, ALU_IMM32 = 0x81, ALU_IMM8 = 0x83, MOV_TO = 0x89, MOV_FROM = 0x8b, LEA = 0x8d,
	RET_BYTES = 0xc2, RET = 0xc3, JMP_32 = 0xe9, JMP_8 = 0xeb, REPNE = 0xf2, REP = 0xf3, GROUP_5 = 0xff,
};

/* The parts of a ModRM byte. */
static unsigned mod_of(uint8_t modrm)
{
	return modrm >> 6;
}

static unsigned reg_of(uint8_t modrm)
{
	return modrm >> 3 & 7;
}

static unsigned rm_of(uint8_t modrm)
{
	return modrm & 7;
}

static int64_t read_signed(struct reader *code, bool is_byte)
{
	return is_byte ? (int8_t)reader_u8(code) : (int32_t)reader_u32(code);
}

/* --- The first instruction ----------------------------------------------------------- */

/* "lea rsp, [FRAME REGISTER + DISPLACEMENT]" behind its opcode. */
static bool read_lea(const struct x64_frame *frame, struct reader *code, uint8_t rex, int64_t *size)
{
	uint8_t modrm = reader_u8(code);
	unsigned base = rm_of(modrm) | (rex & 1u) << 3;

	if (!frame->has_frame || reg_of(modrm) != RSP || base != frame->frame_register ||
	    mod_of(modrm) < 1 || mod_of(modrm) > 2)
		return false;
	if (rm_of(modrm) == RSP && reader_u8(code) != 0x24)  /* r12: a base, and no index */
		return false;
	*size = frame->frame_size - read_signed(code, mod_of(modrm) == 1);
	return true;
}

/* How large it leaves the frame; false: it is none of those, and nothing is read. */
static bool read_begin(const struct x64_frame *frame, struct reader *code, int64_t *size)
{
	struct reader ahead = *code;
	uint8_t rex = reader_u8(&ahead), op = reader_u8(&ahead);
	int64_t left = SIZE_ANY;
	bool is_one = false;

	if (rex == REX_W && (op == ALU_IMM8 || op == ALU_IMM32)) {
		is_one = reader_u8(&ahead) == 0xc4;          /* add rsp */
		left = frame->size - read_signed(&ahead, op == ALU_IMM8);
	} else if ((rex == REX_W || rex == (REX_W | 1)) && op == LEA) {
		is_one = read_lea(frame, &ahead, rex, &left);
	} else if ((rex == (REX_W | 1) && op == MOV_FROM) || (rex == (REX_W | 4) && op == MOV_TO)) {
		/* MSVC gives back large frames by "mov rsp, r11", which says nothing of how large. */
		is_one = reader_u8(&ahead) == (op == MOV_FROM ? 0xe3 : 0xdc);
	}
	if (!is_one || ahead.failed)
		return false;
	*code = ahead;
	*size = left;
	return true;
}

/* --- Pops ---------------------------------------------------------------------------- */

static void read_pops(struct reader *code, struct x64_epilog *epilog)
{
	for (epilog->pop_count = 0; epilog->pop_count < X64_REGISTERS; epilog->pop_count++) {
		struct reader ahead = *code;
		uint8_t byte = reader_u8(&ahead), high = 0;

		if (byte == REX_B) {
			high = 8;
			byte = reader_u8(&ahead);
		}
		if ((byte & 0xf8) != POP || ahead.failed)
			return;
		epilog->popped[epilog->pop_count] = (byte & 7) | high;
		*code = ahead;
	}
}

/* Does each come from where it was saved? */
static bool are_restored(const struct x64_frame *frame, const struct x64_epilog *epilog)
{
	int64_t size = X64_RETURN_BYTES + 8 * (int64_t)epilog->pop_count;

	for (unsigned i = 0; i < epilog->pop_count; i++, size -= 8) {
		unsigned number = epilog->popped[i];

		if (frame->saved[number] != -size && !(VOLATILES >> number & 1))
			return false;
	}
	return true;
}

/* --- The last instruction ------------------------------------------------------------ */

/* What follows the ModRM byte of an operand. */
static void skip_operand(struct reader *code, uint8_t modrm)
{
	unsigned mod = mod_of(modrm), base = rm_of(modrm);

	if (mod == 3)
		return;
	if (base == 4)
		base = reader_u8(code) & 7;
	if (mod == 1)
		reader_skip(code, 1);
	else if (mod == 2 || base == 5)
		reader_skip(code, 4);
}

/* Jumps within the function are its own; one to its beginning calls it again. */
static bool leaves(struct reader *code, bool is_short, uint64_t size)
{
	int64_t distance = read_signed(code, is_short);
	int64_t to = (int64_t)code->pos + distance;

	return to <= 0 || to >= (int64_t)size;
}

static bool read_end(struct reader *code, uint64_t size)
{
	uint8_t byte = reader_u8(code), modrm;

	if (byte == REP || byte == REPNE)
		return reader_u8(code) == RET && !code->failed;
	if (byte == RET_BYTES)
		reader_skip(code, 2);
	if (byte == RET || byte == RET_BYTES)
		return !code->failed;
	if (byte == JMP_8 || byte == JMP_32)
		return leaves(code, byte == JMP_8, size) && !code->failed;
	if ((byte & 0xf0) == REX)
		byte = reader_u8(code);
	modrm = reader_u8(code);
	skip_operand(code, modrm);
	return byte == GROUP_5 && reg_of(modrm) == 4 && !code->failed;
}

/* --- All ----------------------------------------------------------------------------- */

/* A return alone: jumps from before the prologue lead to the one at the end of a function. */
static bool read_return(struct reader *code, uint64_t size)
{
	uint8_t byte = reader_u8(code);

	if (byte == REP)
		byte = reader_u8(code);
	return byte == RET && code->pos == size;
}

static bool read_epilog(const struct x64_frame *frame, struct reader *code, uint64_t size,
			struct x64_epilog *epilog)
{
	int64_t left = frame->size;

	epilog->at = code->pos;
	epilog->begin_bytes = read_begin(frame, code, &left) ? (unsigned)(code->pos - epilog->at) : 0;
	read_pops(code, epilog);
	if (epilog->begin_bytes == 0 && epilog->pop_count == 0)
		left = read_return(code, size) ? X64_RETURN_BYTES : 0;
	else if (!are_restored(frame, epilog) || !read_end(code, size))
		return false;
	epilog->end = code->pos;
	return left == SIZE_ANY || left == X64_RETURN_BYTES + 8 * (int64_t)epilog->pop_count;
}

static bool may_begin(uint8_t byte)
{
	return byte == REX_B || byte == REX_W || byte == (REX_W | 1) || byte == (REX_W | 4) ||
	       byte == RET || byte == REP || (byte & 0xf8) == POP;
}

bool x64_epilog_next(const struct x64_frame *frame, struct reader *code, uint64_t before,
		     uint64_t size, struct x64_epilog *epilog)
{
	for (; code->pos < before && !reader_at_end(code); reader_skip(code, 1)) {
		struct reader ahead = *code;

		if (may_begin(code->bytes[code->pos]) && read_epilog(frame, &ahead, size, epilog)) {
			*code = ahead;
			return true;
		}
	}
	return false;
}
