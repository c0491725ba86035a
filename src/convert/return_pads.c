/* return_pads.c -- see return_pads.h. */
#include "convert/return_pads.h"

#include <string.h>

#include <Zydis/Zydis.h>

#include "base/arch.h"
#include "convert/x86_length.h"

#define ARM64_BYTES 4u
/* Arm Architecture Reference Manual, C6.2: BL, BLR, SVC. */
#define ARM64_BL(code)  (((code) & 0xFC000000u) == 0x94000000u)
#define ARM64_BLR(code) (((code) & 0xFFFFFC1Fu) == 0xD63F0000u)
#define ARM64_SVC(code) (((code) & 0xFFE0001Fu) == 0xD4000001u)
/* Intel's manual, volume 2, opcode maps: CALL rel32, INT imm8, group 5 with /2 and /3, SYSCALL (0F 05). */
#define X86_CALL 0xE8u
#define X86_INT 0xCDu
#define X86_GROUP_5 0xFFu
#define X86_SYSCALL 0x05u

bool return_pads_may(uint32_t arch)
{
	return arch_family(arch) == CPU_X86_64 || arch_family(arch) == CPU_ARM64;
}

static bool is_call(const ZydisDecodedInstruction *instruction)
{
	if (instruction->opcode_map == ZYDIS_OPCODE_MAP_0F)
		return instruction->opcode == X86_SYSCALL;
	if (instruction->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT)
		return false;
	return instruction->opcode == X86_CALL || instruction->opcode == X86_INT ||
	       (instruction->opcode == X86_GROUP_5 &&
		(instruction->raw.modrm.reg == 2 || instruction->raw.modrm.reg == 3));
}

/* Lengths and opcodes are all we want to know. */
static bool open_decoder(ZydisDecoder *decoder)
{
	return ZYAN_SUCCESS(ZydisDecoderInit(decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) &&
	       ZYAN_SUCCESS(ZydisDecoderEnableMode(decoder, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE));
}

/* The disassembler's word, for what the table does not know and near the end.  0: no instruction. */
static unsigned ask_decoder(const ZydisDecoder *decoder, const char *bytes, size_t size, bool *calls)
{
	ZydisDecodedInstruction instruction;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(decoder, NULL, bytes, size, &instruction)))
		return 0;
	*calls = is_call(&instruction);
	return instruction.length;
}

/* Behind it no byte is the opcode of a call. */
static size_t end_of_calls(struct text code)
{
	size_t end = code.size;

	while (end > 0 && !x86_length_may_call((uint8_t)code.bytes[end - 1]))
		end--;
	return end;
}

static int find_x86_64(struct text code, return_pads_fn *fn, void *payload, struct err *err)
{
	const uint8_t *bytes = (const uint8_t *)code.bytes;
	size_t end = end_of_calls(code), certain = code.size < X86_BYTES_MAX ? 0 : code.size - X86_BYTES_MAX;
	ZydisDecoder decoder;
	unsigned length;

	if (end == 0 || !open_decoder(&decoder))
		return 0;
	for (size_t at = x86_length_skip(bytes, 0, certain); at < end; at = x86_length_skip(bytes, at + length, certain)) {
		bool calls = false;

		length = at < certain ? x86_length(bytes + at, &calls) : 0;
		if (length == 0)
			length = ask_decoder(&decoder, code.bytes + at, code.size - at, &calls);
		if (length == 0)
			break;
		if (calls && fn(payload, at, length, err))
			return -1;
	}
	return 0;
}

static int find_arm64(struct text code, return_pads_fn *fn, void *payload, struct err *err)
{
	for (size_t at = 0; code.size - at >= ARM64_BYTES; at += ARM64_BYTES) {
		uint32_t instruction;

		memcpy(&instruction, code.bytes + at, sizeof(instruction));
		if ((ARM64_BL(instruction) || ARM64_BLR(instruction) || ARM64_SVC(instruction)) &&
		    fn(payload, at, ARM64_BYTES, err))
			return -1;
	}
	return 0;
}

int return_pads_find(uint32_t arch, struct text code, return_pads_fn *fn, void *payload, struct err *err)
{
	return arch_family(arch) == CPU_ARM64 ? find_arm64(code, fn, payload, err)
					      : find_x86_64(code, fn, payload, err);
}

unsigned return_pads_first_bytes(uint32_t arch, struct text code)
{
	ZydisDecodedInstruction instruction;
	ZydisDecoder decoder;

	if (arch_family(arch) == CPU_ARM64)
		return code.size >= ARM64_BYTES ? ARM64_BYTES : 0;
	if (!open_decoder(&decoder) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code.bytes, code.size, &instruction)))
		return 0;
	return instruction.length;
}
