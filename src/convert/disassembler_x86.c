/* disassembler_x86.c -- code of x86, by Zydis. */
#include "convert/disassembler.h"

#include <Zydis/Zydis.h>

#include "base/err.h"
#include "base/mem.h"

struct x86 { ZydisDecoder decoder; ZydisFormatter formatter; };

static bool set(struct x86 *x86, ZydisFormatterProperty property, ZyanUPointer value)
{
	return ZYAN_SUCCESS(ZydisFormatterSetProperty(&x86->formatter, property, value));
}

static bool start(struct x86 *x86, bool is_wide)
{
	return ZYAN_SUCCESS(ZydisDecoderInit(&x86->decoder,
					     is_wide ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
					     is_wide ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32)) &&
	       ZYAN_SUCCESS(ZydisFormatterInit(&x86->formatter, ZYDIS_FORMATTER_STYLE_INTEL)) &&
	       set(x86, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE) &&
	       set(x86, ZYDIS_FORMATTER_PROP_FORCE_RELATIVE_RIPREL, ZYAN_TRUE) &&
	       set(x86, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, ZYDIS_PADDING_DISABLED) &&
	       set(x86, ZYDIS_FORMATTER_PROP_ADDR_PADDING_RELATIVE, ZYDIS_PADDING_DISABLED) &&
	       set(x86, ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED) &&
	       set(x86, ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED);
}

static void *x86_open(const struct disassembler_kind *kind, struct err *err)
{
	struct x86 *x86 = mem_get(sizeof(*x86));

	if (!x86) {
		err_set(err, ERR_NO_MEMORY, "no memory for a disassembler");
	} else if (!start(x86, kind->family == CPU_X86_64)) {
		err_set(err, ERR_INTERNAL, "the disassembler does not start");
		mem_give_back(x86);
		x86 = NULL;
	}
	return x86;
}

static unsigned x86_describe(void *state, struct text code, uint64_t address, char line[DISASSEMBLER_LINE_BYTES])
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction instruction;
	const struct x86 *x86 = state;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&x86->decoder, code.bytes, code.size, &instruction, operands)) ||
	    !ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&x86->formatter, &instruction, operands,
							  instruction.operand_count_visible, line,
							  DISASSEMBLER_LINE_BYTES, address, NULL)))
		return 0;
	return instruction.length;
}

static void x86_close(void *state)
{
	mem_give_back(state);
}

#define X86 .syntax = "Intel", .alignment = 1, .open = x86_open, .describe = x86_describe, .close = x86_close

const struct disassembler_kind disassembler_x86_64 = { .family = CPU_X86_64, .arch = "x86_64", X86 };
const struct disassembler_kind disassembler_x86 = { .family = CPU_X86, .arch = "i686", X86 };
