/*
 * registers -- the registers of one frame, whatever the processor: values, and which are known.
 *
 * A register is an index into its architecture's table; the tables stand in the order in which
 * reports list registers, with the names minidump tools and the HTTP answer use (eip, rip, x0,
 * fp, g_r14).  Values of 32-bit processors are kept in the low half, the high half is 0.
 * Plain memory; nothing here allocates.
 */
#ifndef UNWIND_REGISTERS_H
#define UNWIND_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum unwind_arch {
	UNWIND_X86, UNWIND_X86_64, UNWIND_ARM, UNWIND_ARM64, UNWIND_MIPS, UNWIND_MIPS64,
	UNWIND_PPC, UNWIND_PPC64, UNWIND_SPARC,
	UNWIND_ARCHES                /* count */
};

#define UNWIND_REGISTERS_MAX 40u
#define UNWIND_NO_REGISTER   0xffu

enum unwind_x86_register {
	UNWIND_X86_EIP, UNWIND_X86_ESP, UNWIND_X86_EBP, UNWIND_X86_EBX, UNWIND_X86_ESI,
	UNWIND_X86_EDI, UNWIND_X86_EAX, UNWIND_X86_ECX, UNWIND_X86_EDX, UNWIND_X86_EFLAGS,
	UNWIND_X86_REGISTERS
};

enum unwind_x86_64_register {
	UNWIND_X86_64_RAX, UNWIND_X86_64_RDX, UNWIND_X86_64_RCX, UNWIND_X86_64_RBX,
	UNWIND_X86_64_RSI, UNWIND_X86_64_RDI, UNWIND_X86_64_RBP, UNWIND_X86_64_RSP,
	UNWIND_X86_64_R8,            /* r9 to r15 follow */
	UNWIND_X86_64_R12 = UNWIND_X86_64_R8 + 4,
	UNWIND_X86_64_RIP = UNWIND_X86_64_R8 + 8,
	UNWIND_X86_64_REGISTERS
};

enum unwind_arm_register {
	UNWIND_ARM_R0,               /* r1 to r10 follow */
	UNWIND_ARM_R4 = 4,
	UNWIND_ARM_R7 = 7,
	UNWIND_ARM_R12 = 11,
	UNWIND_ARM_FP,               /* r11 */
	UNWIND_ARM_SP, UNWIND_ARM_LR, UNWIND_ARM_PC,
	UNWIND_ARM_REGISTERS
};

enum unwind_arm64_register {
	UNWIND_ARM64_X0,             /* x1 to x28 follow */
	UNWIND_ARM64_X19 = 19,
	UNWIND_ARM64_FP = 29,        /* x29 */
	UNWIND_ARM64_LR,             /* x30 */
	UNWIND_ARM64_SP, UNWIND_ARM64_PC,
	UNWIND_ARM64_REGISTERS
};

/* Of mips and mips64. */
enum unwind_mips_register {
	UNWIND_MIPS_GP, UNWIND_MIPS_SP, UNWIND_MIPS_FP, UNWIND_MIPS_RA, UNWIND_MIPS_PC,
	UNWIND_MIPS_S0,              /* s1 to s7 follow */
	UNWIND_MIPS_REGISTERS = UNWIND_MIPS_S0 + 8
};

/* Of ppc and ppc64, which has no mq. */
enum unwind_ppc_register {
	UNWIND_PPC_SRR0,             /* the program counter */
	UNWIND_PPC_SRR1,
	UNWIND_PPC_R0,               /* r1, the stack pointer, to r31 follow */
	UNWIND_PPC_R1,
	UNWIND_PPC_CR = UNWIND_PPC_R0 + 32,
	UNWIND_PPC_XER, UNWIND_PPC_LR, UNWIND_PPC_CTR,
	UNWIND_PPC_MQ,
	UNWIND_PPC_VRSAVE,
	UNWIND_PPC_REGISTERS,
	UNWIND_PPC64_VRSAVE = UNWIND_PPC_MQ,
	UNWIND_PPC64_REGISTERS
};

enum unwind_sparc_register {
	UNWIND_SPARC_G0,             /* g_r1 to g_r31 follow: globals, outs, locals, ins */
	UNWIND_SPARC_O6 = 14,        /* the stack pointer */
	UNWIND_SPARC_I6 = 30,        /* the frame pointer: the caller's stack pointer */
	UNWIND_SPARC_I7,             /* where the call stands that led here */
	UNWIND_SPARC_CCR, UNWIND_SPARC_PC, UNWIND_SPARC_NPC, UNWIND_SPARC_Y,
	UNWIND_SPARC_ASI, UNWIND_SPARC_FPRS,
	UNWIND_SPARC_REGISTERS
};

/* What is known of an architecture beforehand. */
struct unwind_arch_facts {
	const char *name;            /* as minidumps are said to be of: "x86", "amd64", "arm" */
	uint8_t word_bytes;
	uint8_t register_count;
	uint8_t pc, sp;              /* roles, as indexes */
	uint8_t fp, lr;              /* UNWIND_NO_REGISTER: has none */
	uint8_t call_bytes;          /* from a return address back into its call instruction */
	uint64_t saved;              /* registers a called function hands back as they were, as bits */
	char names[UNWIND_REGISTERS_MAX][8];     /* NUL-ended */
};

struct unwind_registers {
	enum unwind_arch arch;
	uint64_t valid;              /* bit n: register n is known */
	uint64_t values[UNWIND_REGISTERS_MAX];   /* 0 where not known */
};

/* Never NULL for an arch below UNWIND_ARCHES. */
const struct unwind_arch_facts *unwind_arch_facts(enum unwind_arch arch);

/* Which register a name means: with or without what stands before and including a '$', and by
 * its aliases (r11, x29, s8).  UNWIND_NO_REGISTER: none of this architecture. */
unsigned unwind_register_named(enum unwind_arch arch, struct text name);

/* Empty: nothing is known. */
void unwind_registers_init(struct unwind_registers *registers, enum unwind_arch arch);

static inline bool unwind_registers_has(const struct unwind_registers *registers, unsigned number)
{
	return number < UNWIND_REGISTERS_MAX && (registers->valid >> number & 1);
}

/* Cut to the width of the architecture's words. */
void unwind_registers_set(struct unwind_registers *registers, unsigned number, uint64_t value);

void unwind_registers_forget(struct unwind_registers *registers, unsigned number);

#endif
