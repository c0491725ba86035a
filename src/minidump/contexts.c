/*
 * contexts.c -- the registers of a thread, by processor: minidump_context().
 *
 * Where registers stand comes from CONTEXT in winnt.h and from Breakpad's
 * minidump_cpu_*.h.  The flags that say which groups of registers were saved are not asked: writers set
 * them wrongly, and a group that was not saved is zero.
 */
#include "minidump/minidump_parts.h"

#define CONTEXT_CPUS (MD_CONTEXT_X86 | MD_CONTEXT_ALPHA | MD_CONTEXT_MIPS | MD_CONTEXT_MIPS64 | \
		      MD_CONTEXT_AMD64 | MD_CONTEXT_ARM64 | MD_CONTEXT_PPC64 | \
		      MD_CONTEXT_SPARC | MD_CONTEXT_PPC | MD_CONTEXT_ARM | \
		      MD_CONTEXT_ARM64_OLD)

/* `count` registers from `first` on, one after the other in the file. */
struct minidump_register_run { uint16_t offset; uint8_t first, count; };
#define RUNS_MAX 10u

struct minidump_context_layout {
	uint16_t architecture;
	uint32_t cpu;                /* of the flags */
	uint32_t size;               /* at least so much is there */
	uint8_t flags_at, flag_bytes, word_bytes;
	struct minidump_register_run runs[RUNS_MAX];     /* count 0: the end */
};

static const struct minidump_context_layout layouts[] = {
	{ MD_CPU_ARCHITECTURE_X86, MD_CONTEXT_X86, 716, 0, 4, 4,
	  { { 156, UNWIND_X86_EDI, 1 }, { 160, UNWIND_X86_ESI, 1 }, { 164, UNWIND_X86_EBX, 1 },
	    { 168, UNWIND_X86_EDX, 1 }, { 172, UNWIND_X86_ECX, 1 }, { 176, UNWIND_X86_EAX, 1 },
	    { 180, UNWIND_X86_EBP, 1 }, { 184, UNWIND_X86_EIP, 1 },
	    { 192, UNWIND_X86_EFLAGS, 1 }, { 196, UNWIND_X86_ESP, 1 } } },
	{ MD_CPU_ARCHITECTURE_AMD64, MD_CONTEXT_AMD64, 1232, 0x30, 4, 8,
	  { { 0x78, UNWIND_X86_64_RAX, 1 }, { 0x80, UNWIND_X86_64_RCX, 1 },
	    { 0x88, UNWIND_X86_64_RDX, 1 }, { 0x90, UNWIND_X86_64_RBX, 1 },
	    { 0x98, UNWIND_X86_64_RSP, 1 }, { 0xa0, UNWIND_X86_64_RBP, 1 },
	    { 0xa8, UNWIND_X86_64_RSI, 2 }, { 0xb8, UNWIND_X86_64_R8, 9 } } },
	{ MD_CPU_ARCHITECTURE_ARM, MD_CONTEXT_ARM, 368, 0, 4, 4,
	  { { 4, UNWIND_ARM_R0, 11 }, { 48, UNWIND_ARM_FP, 1 }, { 52, UNWIND_ARM_R12, 1 },
	    { 56, UNWIND_ARM_SP, 3 } } },
	{ MD_CPU_ARCHITECTURE_ARM64, MD_CONTEXT_ARM64, 912, 0, 4, 8,
	  { { 8, UNWIND_ARM64_X0, 33 } } },
	{ MD_CPU_ARCHITECTURE_ARM64_OLD, MD_CONTEXT_ARM64_OLD, 796, 0, 8, 8,
	  { { 8, UNWIND_ARM64_X0, 33 } } },
	{ MD_CPU_ARCHITECTURE_MIPS, MD_CONTEXT_MIPS, 600, 0, 4, 8,
	  { { 8 + 8 * 16, UNWIND_MIPS_S0, 8 }, { 8 + 8 * 28, UNWIND_MIPS_GP, 4 },
	    { 312, UNWIND_MIPS_PC, 1 } } },
	{ MD_CPU_ARCHITECTURE_MIPS64, MD_CONTEXT_MIPS64, 600, 0, 4, 8,
	  { { 8 + 8 * 16, UNWIND_MIPS_S0, 8 }, { 8 + 8 * 28, UNWIND_MIPS_GP, 4 },
	    { 312, UNWIND_MIPS_PC, 1 } } },
	{ MD_CPU_ARCHITECTURE_PPC, MD_CONTEXT_PPC, 4 + 40 * 4, 0, 4, 4,
	  { { 4, UNWIND_PPC_SRR0, UNWIND_PPC_REGISTERS } } },
	{ MD_CPU_ARCHITECTURE_PPC64, MD_CONTEXT_PPC64, 8 + 39 * 8, 0, 8, 8,
	  { { 8, UNWIND_PPC_SRR0, UNWIND_PPC64_REGISTERS } } },
	{ MD_CPU_ARCHITECTURE_SPARC, MD_CONTEXT_SPARC, 8 + 38 * 8, 0, 4, 8,
	  { { 8, UNWIND_SPARC_G0, UNWIND_SPARC_REGISTERS } } },
};

_Static_assert(UNWIND_MIPS_SP == UNWIND_MIPS_GP + 1 && UNWIND_MIPS_FP == UNWIND_MIPS_GP + 2 &&
	       UNWIND_MIPS_RA == UNWIND_MIPS_GP + 3, "a context has them in this order");
_Static_assert(UNWIND_X86_64_RDI == UNWIND_X86_64_RSI + 1 &&
	       UNWIND_X86_64_RIP == UNWIND_X86_64_R8 + 8, "a context has them in this order");
_Static_assert(UNWIND_ARM_LR == UNWIND_ARM_SP + 1 && UNWIND_ARM_PC == UNWIND_ARM_SP + 2,
	       "a context has them in this order");
_Static_assert(UNWIND_ARM64_FP == 29 && UNWIND_ARM64_PC == 32, "a context has them in this order");

static const struct minidump_context_layout *layout_of(uint16_t architecture)
{
	if (architecture == MD_CPU_ARCHITECTURE_X86_WIN64)
		architecture = MD_CPU_ARCHITECTURE_X86;
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].architecture == architecture)
			return &layouts[i];
	return NULL;
}

static void take_run(struct reader *context, const struct minidump_context_layout *layout,
		     const struct minidump_register_run *run, struct unwind_registers *registers)
{
	reader_seek(context, run->offset);
	for (unsigned i = 0; i < run->count; i++)
		unwind_registers_set(registers, run->first + i,
				     reader_unsigned(context, layout->word_bytes));
}

bool minidump_context(const struct minidump *dump, struct minidump_location at,
		      struct unwind_registers *registers)
{
	const struct minidump_context_layout *layout = layout_of(dump->system.architecture);
	struct reader context = minidump_part(dump, "context", at.rva, at.size);
	uint32_t flags;

	if (!layout || context.failed || context.size < layout->size)
		return false;
	reader_seek(&context, layout->flags_at);
	flags = (uint32_t)reader_unsigned(&context, layout->flag_bytes);
	if ((flags & CONTEXT_CPUS) != layout->cpu)
		return false;
	unwind_registers_init(registers, dump->system.unwind_arch);
	for (size_t i = 0; i < RUNS_MAX && layout->runs[i].count; i++)
		take_run(&context, layout, &layout->runs[i], registers);
	return !context.failed;
}
