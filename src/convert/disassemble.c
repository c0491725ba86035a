/* disassemble.c -- see disassemble.h. */
#include "convert/disassemble.h"

#include <stdio.h>

#include <Zydis/Zydis.h>

#include "base/arch.h"
#include "base/json_writer.h"

#define LINE_BYTES 256u

struct disassembler { ZydisDecoder decoder; ZydisFormatter formatter; };

const char *disassemble_arch(uint32_t arch)
{
	switch (arch_family(arch)) {
	case CPU_X86_64:
		return "x86_64";
	case CPU_X86:
		return "i686";
	default:
		return NULL;
	}
}

static bool set(struct disassembler *disassembler, ZydisFormatterProperty property, ZyanUPointer value)
{
	return ZYAN_SUCCESS(ZydisFormatterSetProperty(&disassembler->formatter, property, value));
}

static bool start(struct disassembler *disassembler, uint32_t arch)
{
	bool is_wide = arch_family(arch) == CPU_X86_64;

	return ZYAN_SUCCESS(ZydisDecoderInit(&disassembler->decoder,
					     is_wide ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
					     is_wide ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32)) &&
	       ZYAN_SUCCESS(ZydisFormatterInit(&disassembler->formatter, ZYDIS_FORMATTER_STYLE_INTEL)) &&
	       set(disassembler, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE) &&
	       set(disassembler, ZYDIS_FORMATTER_PROP_FORCE_RELATIVE_RIPREL, ZYAN_TRUE) &&
	       set(disassembler, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, ZYDIS_PADDING_DISABLED) &&
	       set(disassembler, ZYDIS_FORMATTER_PROP_ADDR_PADDING_RELATIVE, ZYDIS_PADDING_DISABLED) &&
	       set(disassembler, ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED) &&
	       set(disassembler, ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED);
}

/* How long it is; 0: it is none. */
static unsigned describe(const struct disassembler *disassembler, struct text code, uint64_t address, char *line)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction instruction;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&disassembler->decoder, code.bytes, code.size, &instruction, operands)) ||
	    !ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&disassembler->formatter, &instruction, operands,
							  instruction.operand_count_visible, line, LINE_BYTES, address,
							  NULL)))
		return 0;
	return instruction.length;
}

uint64_t disassemble_write(uint32_t arch, struct text code, uint64_t address, uint64_t size, struct json_writer *json)
{
	struct disassembler disassembler;
	uint64_t at = 0;

	if (!start(&disassembler, arch))
		return 0;
	while (at < size && at < code.size) {
		char line[LINE_BYTES];
		unsigned length = describe(&disassembler, text_from(code, (size_t)at), address + at, line);

		if (length == 0) {
			uint8_t byte = (uint8_t)code.bytes[at];

			length = 1;
			snprintf(line, sizeof(line), ".byte 0x%02x # Invalid instruction %02x: nothing begins with it here",
				 byte, byte);
		}
		json_array(json);
		json_u64(json, at);
		json_string(json, line);
		json_array_end(json);
		at += length;
	}
	return at;
}
