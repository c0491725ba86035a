/*
 * registers.c -- one table row per architecture.
 *
 * Names are eight bytes each, so that one compares as a number.
 */
#include "unwind/registers.h"

#define BIT(number)       ((uint64_t)1 << (number))
#define BITS(first, last) (BIT((last) + 1) - BIT(first))

static const struct unwind_arch_facts arches[UNWIND_ARCHES] = {
	[UNWIND_X86] = {
		.name = "x86", .word_bytes = 4, .register_count = UNWIND_X86_REGISTERS,
		.pc = UNWIND_X86_EIP, .sp = UNWIND_X86_ESP, .fp = UNWIND_X86_EBP,
		.lr = UNWIND_NO_REGISTER, .call_bytes = 1,
		.saved = BITS(UNWIND_X86_EBP, UNWIND_X86_EDI),
		.names = { "eip", "esp", "ebp", "ebx", "esi", "edi", "eax", "ecx", "edx",
			   "eflags" },
	},
	[UNWIND_X86_64] = {
		.name = "amd64", .word_bytes = 8, .register_count = UNWIND_X86_64_REGISTERS,
		.pc = UNWIND_X86_64_RIP, .sp = UNWIND_X86_64_RSP, .fp = UNWIND_X86_64_RBP,
		.lr = UNWIND_NO_REGISTER, .call_bytes = 1,
		.saved = BIT(UNWIND_X86_64_RBX) | BIT(UNWIND_X86_64_RBP) |
			 BITS(UNWIND_X86_64_R12, UNWIND_X86_64_R12 + 3),
		.names = { "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9",
			   "r10", "r11", "r12", "r13", "r14", "r15", "rip" },
	},
	[UNWIND_ARM] = {
		.name = "arm", .word_bytes = 4, .register_count = UNWIND_ARM_REGISTERS,
		.pc = UNWIND_ARM_PC, .sp = UNWIND_ARM_SP, .fp = UNWIND_ARM_FP,
		.lr = UNWIND_ARM_LR, .call_bytes = 2,
		.saved = BITS(UNWIND_ARM_R4, 10) | BIT(UNWIND_ARM_FP),
		.names = { "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10",
			   "r12", "fp", "sp", "lr", "pc" },
	},
	[UNWIND_ARM64] = {
		.name = "arm64", .word_bytes = 8, .register_count = UNWIND_ARM64_REGISTERS,
		.pc = UNWIND_ARM64_PC, .sp = UNWIND_ARM64_SP, .fp = UNWIND_ARM64_FP,
		.lr = UNWIND_ARM64_LR, .call_bytes = 4,
		.saved = BITS(UNWIND_ARM64_X19, UNWIND_ARM64_FP),
		.names = { "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10",
			   "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19",
			   "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28",
			   "fp", "lr", "sp", "pc" },
	},
#define MIPS_ROW(title, word)                                                                \
	{                                                                                    \
		.name = (title), .word_bytes = (word), .register_count = UNWIND_MIPS_REGISTERS, \
		.pc = UNWIND_MIPS_PC, .sp = UNWIND_MIPS_SP, .fp = UNWIND_MIPS_FP,            \
		.lr = UNWIND_MIPS_RA, .call_bytes = 8,                                       \
		.saved = BITS(UNWIND_MIPS_S0, UNWIND_MIPS_S0 + 7) | BIT(UNWIND_MIPS_GP) |    \
			 BIT(UNWIND_MIPS_SP) | BIT(UNWIND_MIPS_FP),                          \
		.names = { "gp", "sp", "fp", "ra", "pc", "s0", "s1", "s2", "s3", "s4", "s5", \
			   "s6", "s7" },                                                     \
	}
	[UNWIND_MIPS] = MIPS_ROW("mips", 4),
	[UNWIND_MIPS64] = MIPS_ROW("mips64", 8),
#define PPC_GENERAL                                                                          \
	"srr0", "srr1", "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10",   \
	"r11", "r12", "r13", "r14", "r15", "r16", "r17", "r18", "r19", "r20", "r21", "r22",  \
	"r23", "r24", "r25", "r26", "r27", "r28", "r29", "r30", "r31", "cr", "xer", "lr", "ctr"
#define PPC_SAVED BITS(UNWIND_PPC_R0 + 14, UNWIND_PPC_R0 + 31)
	[UNWIND_PPC] = {
		.name = "ppc", .word_bytes = 4, .register_count = UNWIND_PPC_REGISTERS,
		.pc = UNWIND_PPC_SRR0, .sp = UNWIND_PPC_R1, .fp = UNWIND_NO_REGISTER,
		.lr = UNWIND_PPC_LR, .call_bytes = 4, .saved = PPC_SAVED,
		.names = { PPC_GENERAL, "mq", "vrsave" },
	},
	[UNWIND_PPC64] = {
		.name = "ppc64", .word_bytes = 8, .register_count = UNWIND_PPC64_REGISTERS,
		.pc = UNWIND_PPC_SRR0, .sp = UNWIND_PPC_R1, .fp = UNWIND_NO_REGISTER,
		.lr = UNWIND_PPC_LR, .call_bytes = 4, .saved = PPC_SAVED,
		.names = { PPC_GENERAL, "vrsave" },
	},
	[UNWIND_SPARC] = {
		.name = "sparc", .word_bytes = 4, .register_count = UNWIND_SPARC_REGISTERS,
		.pc = UNWIND_SPARC_PC, .sp = UNWIND_SPARC_O6, .fp = UNWIND_SPARC_I6,
		.lr = UNWIND_NO_REGISTER, .call_bytes = 8, .saved = 0,
		.names = { "g_r0", "g_r1", "g_r2", "g_r3", "g_r4", "g_r5", "g_r6", "g_r7",
			   "g_r8", "g_r9", "g_r10", "g_r11", "g_r12", "g_r13", "g_r14",
			   "g_r15", "g_r16", "g_r17", "g_r18", "g_r19", "g_r20", "g_r21",
			   "g_r22", "g_r23", "g_r24", "g_r25", "g_r26", "g_r27", "g_r28",
			   "g_r29", "g_r30", "g_r31", "ccr", "pc", "npc", "y", "asi", "fprs" },
	},
};

static const struct {
	enum unwind_arch arch;
	char name[8];
	uint8_t number;
} aliases[] = {
	{ UNWIND_ARM, "r11", UNWIND_ARM_FP },    { UNWIND_ARM, "r13", UNWIND_ARM_SP },
	{ UNWIND_ARM, "r14", UNWIND_ARM_LR },    { UNWIND_ARM, "r15", UNWIND_ARM_PC },
	{ UNWIND_ARM64, "x29", UNWIND_ARM64_FP }, { UNWIND_ARM64, "x30", UNWIND_ARM64_LR },
	{ UNWIND_MIPS, "s8", UNWIND_MIPS_FP },   { UNWIND_MIPS64, "s8", UNWIND_MIPS_FP },
};

const struct unwind_arch_facts *unwind_arch_facts(enum unwind_arch arch)
{
	return &arches[arch];
}

static uint64_t name_as_number(const char bytes[8])
{
	uint64_t number;

	memcpy(&number, bytes, sizeof(number));
	return number;
}

unsigned unwind_register_named(enum unwind_arch arch, struct text name)
{
	const struct unwind_arch_facts *facts = &arches[arch];
	const char *dollar = name.size ? memchr(name.bytes, '$', name.size) : NULL;
	char spelled[8] = { 0 };
	uint64_t wanted;

	if (dollar) {
		name.size -= (size_t)(dollar + 1 - name.bytes);
		name.bytes = dollar + 1;
	}
	if (name.size == 0 || name.size >= sizeof(spelled))
		return UNWIND_NO_REGISTER;
	memcpy(spelled, name.bytes, name.size);
	wanted = name_as_number(spelled);
	for (unsigned i = 0; i < facts->register_count; i++)
		if (name_as_number(facts->names[i]) == wanted)
			return i;
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (aliases[i].arch == arch && name_as_number(aliases[i].name) == wanted)
			return aliases[i].number;
	return UNWIND_NO_REGISTER;
}

void unwind_registers_init(struct unwind_registers *registers, enum unwind_arch arch)
{
	*registers = (struct unwind_registers){ .arch = arch };
}

void unwind_registers_set(struct unwind_registers *registers, unsigned number, uint64_t value)
{
	const struct unwind_arch_facts *facts = &arches[registers->arch];

	if (number >= facts->register_count)
		return;
	registers->values[number] = facts->word_bytes == 4 ? (uint32_t)value : value;
	registers->valid |= BIT(number);
}

void unwind_registers_forget(struct unwind_registers *registers, unsigned number)
{
	if (number >= UNWIND_REGISTERS_MAX)
		return;
	registers->values[number] = 0;
	registers->valid &= ~BIT(number);
}
