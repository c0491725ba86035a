/*
 * compile.c -- what compilers say of themselves: S_COMPILE, S_COMPILE2, S_COMPILE3.
 *
 * The processor is taken from there when the DBI stream has none, as old linkers left it.
 * The language is not taken: S_COMPILE says what the module's main file is in, which inlined
 * functions and whole libraries of link-time code generation are not.
 */
#include "base/arch.h"
#include "base/arena.h"
#include "base/err.h"
#include "object/pdb/codeview.h"
#include "object/pdb/pdb_file.h"

#define MODULES_LOOKED_AT 16u        /* one compiler made them all */
#define HEAD_BYTES        1024u      /* of a module; the record is one of the first */

/* CV_CPU_TYPE_e */
static uint32_t arch_of_cpu(uint32_t cpu)
{
	if (cpu <= 0x07)
		return ARCH_X86;
	if (cpu >= 0x40 && cpu <= 0x48)
		return ARCH_PPC;
	if ((cpu >= 0x60 && cpu <= 0x68) || cpu == 0xf4)
		return ARCH_ARM;
	if (cpu == 0xd0)
		return ARCH_X86_64;
	return cpu == 0xf6 || cpu == 0xf8 || cpu == 0xf9 ? ARCH_ARM64 : ARCH_UNKNOWN;
}

static uint32_t arch_of_symbols(struct reader symbols)
{
	reader_skip(&symbols, 4);                    /* signature */
	while (reader_left(&symbols) >= 4) {
		struct reader record = reader_part(&symbols, "symbol", reader_u16(&symbols));
		uint16_t kind = reader_u16(&record);
		uint32_t cpu;

		if (symbols.failed)
			break;
		if (kind == S_COMPILE) {
			cpu = reader_u8(&record);
		} else if (kind == S_COMPILE2 || kind == S_COMPILE2_ST || kind == S_COMPILE3) {
			reader_skip(&record, 4);     /* language, flags */
			cpu = reader_u16(&record);
		} else {
			continue;
		}
		return record.failed ? ARCH_UNKNOWN : arch_of_cpu(cpu);
	}
	return ARCH_UNKNOWN;
}

uint32_t pdb_compiled_arch(const struct pdb *pdb)
{
	for (uint32_t i = 0; i < pdb->unit_count && i < MODULES_LOOKED_AT; i++) {
		const struct pdb_module *module = &pdb->modules[pdb->units[i]];
		uint32_t size = module->symbol_bytes < HEAD_BYTES ? module->symbol_bytes : HEAD_BYTES;
		struct err ignored = ERR_INIT;
		struct msf_stream stream;
		uint8_t head[HEAD_BYTES];
		uint32_t arch;

		if (msf_stream_open(&pdb->msf, module->stream, "module", &stream, &ignored) < 0 ||
		    !msf_stream_copy(&stream, 0, size, head))
			continue;
		arch = arch_of_symbols(reader_over("symbols", head, size));
		if (arch != ARCH_UNKNOWN)
			return arch;
	}
	return ARCH_UNKNOWN;
}
