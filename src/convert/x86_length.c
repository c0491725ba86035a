/* x86_length.c -- see x86_length.h; Intel's manual, volume 2, appendix A.2 and table 2-2. */
#include "convert/x86_length.h"

#include <endian.h>
#include <string.h>

/* Which of the prefixes it may have, and what follows the opcode. */
enum {
	PLAIN = 0x01, WITH_66 = 0x02, WITH_F2 = 0x04, WITH_F3 = 0x08,
	MODRM = 0x10, BYTE = 0x20, WORD = 0x40,      /* a number of 1 byte, or of the operand's size up to 4 */
	WIDE = 0x80,                                 /* that number has 8 bytes where the operand has */
	MEMORY = 0x100, FIRST = 0x200,               /* modrm names no register; its reg is 0 */
	CHOICE = 0x400,                              /* modrm.reg chooses the instruction */
	CALL = 0x800,
	INT = PLAIN | WITH_66,
	SSE = PLAIN | WITH_66 | WITH_F2 | WITH_F3,
};
/* So many entries from there on. */
#define SAME_2(at, has) [at] = has, [(at) + 1] = has
#define SAME_4(at, has) SAME_2(at, has), SAME_2((at) + 2, has)
#define SAME_8(at, has) SAME_4(at, has), SAME_4((at) + 4, has)
#define SAME_16(at, has) SAME_8(at, has), SAME_8((at) + 8, has)
#define ALU(at)                                                                                          \
	[at] = INT | MODRM, [(at) + 1] = INT | MODRM, [(at) + 2] = INT | MODRM, [(at) + 3] = INT | MODRM, \
	[(at) + 4] = PLAIN | BYTE, [(at) + 5] = INT | WORD

static const uint16_t opcodes[2][256] = {
{

	ALU(0x00), ALU(0x08), ALU(0x10), ALU(0x18), ALU(0x20), ALU(0x28), ALU(0x30), ALU(0x38),
	SAME_16(0x50, PLAIN), [0x63] = INT | MODRM,
	[0x68] = PLAIN | WORD, [0x69] = INT | MODRM | WORD, [0x6A] = PLAIN | BYTE, [0x6B] = INT | MODRM | BYTE,
	SAME_16(0x70, PLAIN | BYTE),
	[0x80] = PLAIN | MODRM | BYTE, [0x81] = INT | MODRM | WORD, [0x83] = INT | MODRM | BYTE,
	SAME_8(0x84, INT | MODRM), [0x8D] = INT | MODRM | MEMORY,
	[0x90] = INT | WITH_F3, SAME_2(0x98, INT),
	[0xA8] = PLAIN | BYTE, [0xA9] = INT | WORD,
	SAME_8(0xB0, PLAIN | BYTE), SAME_8(0xB8, INT | WORD | WIDE),
	[0xC0] = PLAIN | MODRM | BYTE, [0xC1] = INT | MODRM | BYTE, [0xC3] = PLAIN,
	[0xC6] = PLAIN | MODRM | BYTE | FIRST, [0xC7] = INT | MODRM | WORD | FIRST,
	[0xC9] = PLAIN, [0xCC] = PLAIN, [0xCD] = PLAIN | BYTE | CALL,
	[0xD0] = PLAIN | MODRM, [0xD1] = INT | MODRM, [0xD2] = PLAIN | MODRM, [0xD3] = INT | MODRM,
	[0xE8] = PLAIN | WORD | CALL, [0xE9] = PLAIN | WORD, [0xEB] = PLAIN | BYTE,
	[0xF6] = PLAIN | MODRM | CHOICE, [0xF7] = INT | MODRM | CHOICE,
	[0xFE] = PLAIN | MODRM | CHOICE, [0xFF] = PLAIN | MODRM | CHOICE,
}, {                                          /* behind 0F */
	[0x05] = PLAIN | CALL, [0x0B] = PLAIN,
	SAME_2(0x10, SSE | MODRM), SAME_2(0x14, INT | MODRM),
	[0x1E] = WITH_F3 | MODRM, [0x1F] = INT | MODRM,
	SAME_2(0x28, INT | MODRM), [0x2A] = WITH_F2 | WITH_F3 | MODRM, SAME_2(0x2C, WITH_F2 | WITH_F3 | MODRM),
	SAME_2(0x2E, INT | MODRM), SAME_16(0x40, INT | MODRM),
	[0x51] = SSE | MODRM, SAME_4(0x54, INT | MODRM), SAME_2(0x58, SSE | MODRM),
	[0x5A] = SSE | MODRM, SAME_4(0x5C, SSE | MODRM),
	SAME_8(0x60, WITH_66 | MODRM), SAME_4(0x68, WITH_66 | MODRM), SAME_2(0x6C, WITH_66 | MODRM),
	[0x6E] = INT | MODRM,
	[0x6F] = INT | WITH_F3 | MODRM, [0x70] = WITH_66 | WITH_F2 | WITH_F3 | MODRM | BYTE,
	SAME_2(0x74, WITH_66 | MODRM), [0x76] = WITH_66 | MODRM, SAME_2(0x7E, INT | WITH_F3 | MODRM),
	SAME_16(0x80, PLAIN | WORD), SAME_16(0x90, PLAIN | MODRM), [0xA2] = PLAIN,
	[0xA3] = INT | MODRM, [0xA4] = INT | MODRM | BYTE, [0xA5] = INT | MODRM,
	[0xAB] = INT | MODRM, [0xAC] = INT | MODRM | BYTE, [0xAD] = INT | MODRM, [0xAF] = INT | MODRM,
	SAME_2(0xB0, INT | MODRM), [0xB3] = INT | MODRM, SAME_2(0xB6, INT | MODRM),
	[0xBA] = INT | MODRM | CHOICE, [0xBB] = INT | MODRM, SAME_2(0xBC, INT | WITH_F3 | MODRM),
	SAME_2(0xBE, INT | MODRM), SAME_2(0xC0, INT | MODRM), [0xC6] = INT | MODRM | BYTE,
	SAME_8(0xC8, PLAIN),
	[0xD4] = WITH_66 | MODRM, [0xD6] = WITH_66 | MODRM, [0xDB] = WITH_66 | MODRM, [0xDF] = WITH_66 | MODRM,
	[0xEB] = WITH_66 | MODRM, [0xEF] = WITH_66 | MODRM, SAME_2(0xFA, WITH_66 | MODRM),
	[0xFE] = WITH_66 | MODRM,
} };

/* modrm itself, a SIB byte, a displacement. */
#define MODRM_MEMORY(plain, scaled) plain, plain, plain, plain, scaled
#define MODRM_NEAR MODRM_MEMORY(1, 2), 5, 1, 1
#define MODRM_BYTE MODRM_MEMORY(2, 3), 2, 2, 2
#define MODRM_WORD MODRM_MEMORY(5, 6), 5, 5, 5
#define EIGHT(group) group, group, group, group, group, group, group, group
static const uint8_t modrm_bytes[256] = {
	EIGHT(MODRM_NEAR), EIGHT(MODRM_BYTE), EIGHT(MODRM_WORD),
	SAME_16(0xC0, 1), SAME_16(0xD0, 1), SAME_16(0xE0, 1), SAME_16(0xF0, 1),
};

/* Of a group of instructions, and of how many bytes its number is; -1: not known. */
static int choose(bool is_second, uint8_t opcode, uint8_t modrm, unsigned word)
{
	unsigned reg = modrm >> 3 & 7;

	if (is_second)
		return reg >= 4 ? 1 : -1;            /* BA */
	switch (opcode) {
	case 0xF6: return reg == 0 ? 1 : reg > 1 ? 0 : -1;
	case 0xF7: return reg == 0 ? (int)word : reg > 1 ? 0 : -1;
	case 0xFE: return reg < 2 ? 0 : -1;
	default:   return reg < 3 || reg == 4 || reg == 6 ? 0 : -1;  /* FF */
	}
}

static inline unsigned prefix_of(uint8_t byte)
{
	return byte == 0x66 ? WITH_66 : byte == 0xF2 ? WITH_F2 : byte == 0xF3 ? WITH_F3 : PLAIN;
}

/* Prefix, REX, 0F, opcode, modrm and SIB are 6 bytes at most. */
static inline uint64_t first_bytes(const uint8_t *code)
{
	uint64_t bytes;

	memcpy(&bytes, code, sizeof(bytes));
	return le64toh(bytes);
}

/* Without branches where it can be: which instruction comes next is hard to foretell.  0: not known; CALL is
 * added to that of a call. */
static inline __attribute__((always_inline)) unsigned length_at(const uint8_t *code)
{
	unsigned prefix = PLAIN, at = 1, is_wide, has_rex, is_second, word, has, modrm, operand;
	uint64_t rest = first_bytes(code);

	if (__builtin_expect(((rest & 0xFF) == 0x66) | ((rest & 0xFE) == 0xF2), 0)) {
		prefix = prefix_of((uint8_t)rest);
		rest >>= 8;
		at++;
	}
	is_wide = (rest & 0xF8) == 0x48;
	has_rex = (rest & 0xF0) == 0x40;
	rest >>= 8 * has_rex;
	is_second = (rest & 0xFF) == 0x0F;
	rest >>= 8 * is_second;
	at += has_rex + is_second;
	has = opcodes[is_second][rest & 0xFF];
	modrm = rest >> 8 & 0xFF;
	if (((has & prefix) == 0) | (((has & MEMORY) != 0) & (modrm >= 0xC0)) |
	    (((has & FIRST) != 0) & ((modrm & 0x38) != 0)))
		return 0;
	word = 4u - 2u * ((prefix == WITH_66) & !is_wide) + 4u * ((has / WIDE) & is_wide);
	operand = modrm_bytes[modrm] + 4u * ((rest & 0x07C700) == 0x050400);
	if (__builtin_expect(has & CHOICE, 0)) {
		int number = choose(is_second, (uint8_t)rest, (uint8_t)modrm, word);

		if (number < 0)
			return 0;
		if ((rest & 0xFF) == 0xFF && (modrm & 0x38) == 0x10)
			has |= CALL;
		at += (unsigned)number;
	}
	return (at + (operand & (0u - (has / MODRM & 1))) + (has / BYTE & 1) + (word & (0u - (has / WORD & 1)))) |
	       (has & CALL);
}

bool x86_length_may_call(uint8_t byte)
{
	return byte == 0xE8 || byte == 0xFF || byte == 0xCD || byte == 0x05;
}

unsigned x86_length(const uint8_t *code, bool *is_call)
{
	unsigned length = length_at(code);

	*is_call = (length & CALL) != 0;
	return length & ~(unsigned)CALL;
}

size_t x86_length_skip(const uint8_t *code, size_t at, size_t end)
{
	while (at < end) {
		unsigned length = length_at(code + at);

		if (length == 0 || length & CALL)
			break;
		at += length;
	}
	return at;
}
