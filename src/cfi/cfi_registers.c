/* cfi_registers.c -- see cfi_registers.h. */
#include "cfi/cfi_registers.h"

#include "base/arch.h"

#define TEXT_HERE(literal) { (literal), sizeof(literal) - 1 }
#define BIT(column)        (UINT64_C(1) << (column))
#define BITS(first, last)  ((BIT((last) - (first) + 1) - 1) << (first))

/* Mach-O numbers the two pointers the other way round (Darwin's i386 ABI). */
#define X86_NAMES(fourth, fifth) {                                        \
	[0] = TEXT_HERE("$eax"), [1] = TEXT_HERE("$ecx"), [2] = TEXT_HERE("$edx"), \
	[3] = TEXT_HERE("$ebx"), [4] = TEXT_HERE(fourth), [5] = TEXT_HERE(fifth), \
	[6] = TEXT_HERE("$esi"), [7] = TEXT_HERE("$edi"), [8] = TEXT_HERE("$eip"), \
	[9] = TEXT_HERE("$eflags"), [11] = TEXT_HERE("$st0"), [12] = TEXT_HERE("$st1"), \
	[13] = TEXT_HERE("$st2"), [14] = TEXT_HERE("$st3"), [15] = TEXT_HERE("$st4"), \
	[16] = TEXT_HERE("$st5"), [17] = TEXT_HERE("$st6"), [18] = TEXT_HERE("$st7"), \
	[21] = TEXT_HERE("$xmm0"), [22] = TEXT_HERE("$xmm1"), [23] = TEXT_HERE("$xmm2"), \
	[24] = TEXT_HERE("$xmm3"), [25] = TEXT_HERE("$xmm4"), [26] = TEXT_HERE("$xmm5"), \
	[27] = TEXT_HERE("$xmm6"), [28] = TEXT_HERE("$xmm7"), [29] = TEXT_HERE("$mm0"), \
	[30] = TEXT_HERE("$mm1"), [31] = TEXT_HERE("$mm2"), [32] = TEXT_HERE("$mm3"), \
	[33] = TEXT_HERE("$mm4"), [34] = TEXT_HERE("$mm5"), [35] = TEXT_HERE("$mm6"), \
	[36] = TEXT_HERE("$mm7") \
}

static const struct text x86_names[CFI_COLUMNS] = X86_NAMES("$esp", "$ebp");
static const struct text x86_macho_names[CFI_COLUMNS] = X86_NAMES("$ebp", "$esp");

static const struct text x86_64_names[CFI_COLUMNS] = {
	[0] = TEXT_HERE("$rax"), [1] = TEXT_HERE("$rdx"), [2] = TEXT_HERE("$rcx"),
	[3] = TEXT_HERE("$rbx"), [4] = TEXT_HERE("$rsi"), [5] = TEXT_HERE("$rdi"),
	[6] = TEXT_HERE("$rbp"), [7] = TEXT_HERE("$rsp"), [8] = TEXT_HERE("$r8"),
	[9] = TEXT_HERE("$r9"), [10] = TEXT_HERE("$r10"), [11] = TEXT_HERE("$r11"),
	[12] = TEXT_HERE("$r12"), [13] = TEXT_HERE("$r13"), [14] = TEXT_HERE("$r14"),
	[15] = TEXT_HERE("$r15"), [16] = TEXT_HERE("$rip"), [17] = TEXT_HERE("$xmm0"),
	[18] = TEXT_HERE("$xmm1"), [19] = TEXT_HERE("$xmm2"), [20] = TEXT_HERE("$xmm3"),
	[21] = TEXT_HERE("$xmm4"), [22] = TEXT_HERE("$xmm5"), [23] = TEXT_HERE("$xmm6"),
	[24] = TEXT_HERE("$xmm7"), [25] = TEXT_HERE("$xmm8"), [26] = TEXT_HERE("$xmm9"),
	[27] = TEXT_HERE("$xmm10"), [28] = TEXT_HERE("$xmm11"), [29] = TEXT_HERE("$xmm12"),
	[30] = TEXT_HERE("$xmm13"), [31] = TEXT_HERE("$xmm14"), [32] = TEXT_HERE("$xmm15"),
	[33] = TEXT_HERE("$st0"), [34] = TEXT_HERE("$st1"), [35] = TEXT_HERE("$st2"),
	[36] = TEXT_HERE("$st3"), [37] = TEXT_HERE("$st4"), [38] = TEXT_HERE("$st5"),
	[39] = TEXT_HERE("$st6"), [40] = TEXT_HERE("$st7"), [41] = TEXT_HERE("$mm0"),
	[42] = TEXT_HERE("$mm1"), [43] = TEXT_HERE("$mm2"), [44] = TEXT_HERE("$mm3"),
	[45] = TEXT_HERE("$mm4"), [46] = TEXT_HERE("$mm5"), [47] = TEXT_HERE("$mm6"),
	[48] = TEXT_HERE("$mm7"), [49] = TEXT_HERE("$rflags"),
};

static const struct text arm_names[CFI_COLUMNS] = {
	[0] = TEXT_HERE("r0"), [1] = TEXT_HERE("r1"), [2] = TEXT_HERE("r2"), [3] = TEXT_HERE("r3"),
	[4] = TEXT_HERE("r4"), [5] = TEXT_HERE("r5"), [6] = TEXT_HERE("r6"), [7] = TEXT_HERE("r7"),
	[8] = TEXT_HERE("r8"), [9] = TEXT_HERE("r9"), [10] = TEXT_HERE("r10"),
	[11] = TEXT_HERE("r11"), [12] = TEXT_HERE("r12"), [13] = TEXT_HERE("sp"),
	[14] = TEXT_HERE("lr"), [15] = TEXT_HERE("pc"), [16] = TEXT_HERE("f0"),
	[17] = TEXT_HERE("f1"), [18] = TEXT_HERE("f2"), [19] = TEXT_HERE("f3"),
	[20] = TEXT_HERE("f4"), [21] = TEXT_HERE("f5"), [22] = TEXT_HERE("f6"),
	[23] = TEXT_HERE("f7"), [24] = TEXT_HERE("fps"), [25] = TEXT_HERE("cpsr"),
	[64] = TEXT_HERE("s0"), [65] = TEXT_HERE("s1"), [66] = TEXT_HERE("s2"),
	[67] = TEXT_HERE("s3"), [68] = TEXT_HERE("s4"), [69] = TEXT_HERE("s5"),
	[70] = TEXT_HERE("s6"), [71] = TEXT_HERE("s7"), [72] = TEXT_HERE("s8"),
	[73] = TEXT_HERE("s9"), [74] = TEXT_HERE("s10"), [75] = TEXT_HERE("s11"),
	[76] = TEXT_HERE("s12"), [77] = TEXT_HERE("s13"), [78] = TEXT_HERE("s14"),
	[79] = TEXT_HERE("s15"), [80] = TEXT_HERE("s16"), [81] = TEXT_HERE("s17"),
	[82] = TEXT_HERE("s18"), [83] = TEXT_HERE("s19"), [84] = TEXT_HERE("s20"),
	[85] = TEXT_HERE("s21"), [86] = TEXT_HERE("s22"), [87] = TEXT_HERE("s23"),
	[88] = TEXT_HERE("s24"), [89] = TEXT_HERE("s25"), [90] = TEXT_HERE("s26"),
	[91] = TEXT_HERE("s27"), [92] = TEXT_HERE("s28"), [93] = TEXT_HERE("s29"),
	[94] = TEXT_HERE("s30"), [95] = TEXT_HERE("s31"),
};

static const struct text arm64_names[CFI_COLUMNS] = {
	[0] = TEXT_HERE("x0"), [1] = TEXT_HERE("x1"), [2] = TEXT_HERE("x2"), [3] = TEXT_HERE("x3"),
	[4] = TEXT_HERE("x4"), [5] = TEXT_HERE("x5"), [6] = TEXT_HERE("x6"), [7] = TEXT_HERE("x7"),
	[8] = TEXT_HERE("x8"), [9] = TEXT_HERE("x9"), [10] = TEXT_HERE("x10"),
	[11] = TEXT_HERE("x11"), [12] = TEXT_HERE("x12"), [13] = TEXT_HERE("x13"),
	[14] = TEXT_HERE("x14"), [15] = TEXT_HERE("x15"), [16] = TEXT_HERE("x16"),
	[17] = TEXT_HERE("x17"), [18] = TEXT_HERE("x18"), [19] = TEXT_HERE("x19"),
	[20] = TEXT_HERE("x20"), [21] = TEXT_HERE("x21"), [22] = TEXT_HERE("x22"),
	[23] = TEXT_HERE("x23"), [24] = TEXT_HERE("x24"), [25] = TEXT_HERE("x25"),
	[26] = TEXT_HERE("x26"), [27] = TEXT_HERE("x27"), [28] = TEXT_HERE("x28"),
	[29] = TEXT_HERE("x29"), [30] = TEXT_HERE("x30"), [31] = TEXT_HERE("sp"),
	[64] = TEXT_HERE("v0"), [65] = TEXT_HERE("v1"), [66] = TEXT_HERE("v2"),
	[67] = TEXT_HERE("v3"), [68] = TEXT_HERE("v4"), [69] = TEXT_HERE("v5"),
	[70] = TEXT_HERE("v6"), [71] = TEXT_HERE("v7"), [72] = TEXT_HERE("v8"),
	[73] = TEXT_HERE("v9"), [74] = TEXT_HERE("v10"), [75] = TEXT_HERE("v11"),
	[76] = TEXT_HERE("v12"), [77] = TEXT_HERE("v13"), [78] = TEXT_HERE("v14"),
	[79] = TEXT_HERE("v15"), [80] = TEXT_HERE("v16"), [81] = TEXT_HERE("v17"),
	[82] = TEXT_HERE("v18"), [83] = TEXT_HERE("v19"), [84] = TEXT_HERE("v20"),
	[85] = TEXT_HERE("v21"), [86] = TEXT_HERE("v22"), [87] = TEXT_HERE("v23"),
	[88] = TEXT_HERE("v24"), [89] = TEXT_HERE("v25"), [90] = TEXT_HERE("v26"),
	[91] = TEXT_HERE("v27"), [92] = TEXT_HERE("v28"), [93] = TEXT_HERE("v29"),
	[94] = TEXT_HERE("v30"), [95] = TEXT_HERE("v31"),
};

static const struct text ppc_names[CFI_COLUMNS] = {
	[0] = TEXT_HERE("r0"), [1] = TEXT_HERE("r1"), [2] = TEXT_HERE("r2"), [3] = TEXT_HERE("r3"),
	[4] = TEXT_HERE("r4"), [5] = TEXT_HERE("r5"), [6] = TEXT_HERE("r6"), [7] = TEXT_HERE("r7"),
	[8] = TEXT_HERE("r8"), [9] = TEXT_HERE("r9"), [10] = TEXT_HERE("r10"),
	[11] = TEXT_HERE("r11"), [12] = TEXT_HERE("r12"), [13] = TEXT_HERE("r13"),
	[14] = TEXT_HERE("r14"), [15] = TEXT_HERE("r15"), [16] = TEXT_HERE("r16"),
	[17] = TEXT_HERE("r17"), [18] = TEXT_HERE("r18"), [19] = TEXT_HERE("r19"),
	[20] = TEXT_HERE("r20"), [21] = TEXT_HERE("r21"), [22] = TEXT_HERE("r22"),
	[23] = TEXT_HERE("r23"), [24] = TEXT_HERE("r24"), [25] = TEXT_HERE("r25"),
	[26] = TEXT_HERE("r26"), [27] = TEXT_HERE("r27"), [28] = TEXT_HERE("r28"),
	[29] = TEXT_HERE("r29"), [30] = TEXT_HERE("r30"), [31] = TEXT_HERE("r31"),
	[32] = TEXT_HERE("f0"), [33] = TEXT_HERE("f1"), [34] = TEXT_HERE("f2"),
	[35] = TEXT_HERE("f3"), [36] = TEXT_HERE("f4"), [37] = TEXT_HERE("f5"),
	[38] = TEXT_HERE("f6"), [39] = TEXT_HERE("f7"), [40] = TEXT_HERE("f8"),
	[41] = TEXT_HERE("f9"), [42] = TEXT_HERE("f10"), [43] = TEXT_HERE("f11"),
	[44] = TEXT_HERE("f12"), [45] = TEXT_HERE("f13"), [46] = TEXT_HERE("f14"),
	[47] = TEXT_HERE("f15"), [48] = TEXT_HERE("f16"), [49] = TEXT_HERE("f17"),
	[50] = TEXT_HERE("f18"), [51] = TEXT_HERE("f19"), [52] = TEXT_HERE("f20"),
	[53] = TEXT_HERE("f21"), [54] = TEXT_HERE("f22"), [55] = TEXT_HERE("f23"),
	[56] = TEXT_HERE("f24"), [57] = TEXT_HERE("f25"), [58] = TEXT_HERE("f26"),
	[59] = TEXT_HERE("f27"), [60] = TEXT_HERE("f28"), [61] = TEXT_HERE("f29"),
	[62] = TEXT_HERE("f30"), [63] = TEXT_HERE("f31"), [65] = TEXT_HERE("lr"),
	[66] = TEXT_HERE("ctr"),
};

static const struct text mips_names[CFI_COLUMNS] = {
	[0] = TEXT_HERE("$zero"), [1] = TEXT_HERE("$at"), [2] = TEXT_HERE("$v0"),
	[3] = TEXT_HERE("$v1"), [4] = TEXT_HERE("$a0"), [5] = TEXT_HERE("$a1"),
	[6] = TEXT_HERE("$a2"), [7] = TEXT_HERE("$a3"), [8] = TEXT_HERE("$t0"),
	[9] = TEXT_HERE("$t1"), [10] = TEXT_HERE("$t2"), [11] = TEXT_HERE("$t3"),
	[12] = TEXT_HERE("$t4"), [13] = TEXT_HERE("$t5"), [14] = TEXT_HERE("$t6"),
	[15] = TEXT_HERE("$t7"), [16] = TEXT_HERE("$s0"), [17] = TEXT_HERE("$s1"),
	[18] = TEXT_HERE("$s2"), [19] = TEXT_HERE("$s3"), [20] = TEXT_HERE("$s4"),
	[21] = TEXT_HERE("$s5"), [22] = TEXT_HERE("$s6"), [23] = TEXT_HERE("$s7"),
	[24] = TEXT_HERE("$t8"), [25] = TEXT_HERE("$t9"), [26] = TEXT_HERE("$k0"),
	[27] = TEXT_HERE("$k1"), [28] = TEXT_HERE("$gp"), [29] = TEXT_HERE("$sp"),
	[30] = TEXT_HERE("$fp"), [31] = TEXT_HERE("$ra"), [32] = TEXT_HERE("$lo"),
	[33] = TEXT_HERE("$hi"), [34] = TEXT_HERE("$pc"),
};

static const struct cfi_registers
	x86 = { x86_names, 4, CFI_NO_COLUMN, BIT(3) | BITS(5, 7) },
	x86_macho = { x86_macho_names, 5, CFI_NO_COLUMN, BIT(3) | BIT(4) | BITS(6, 7) },
	x86_64 = { x86_64_names, 7, CFI_NO_COLUMN, BIT(3) | BIT(6) | BITS(12, 15) },
	arm = { arm_names, 13, 14, BITS(4, 11) },
	arm64 = { arm64_names, 31, 30, BITS(19, 29) },
	ppc = { ppc_names, 1, 65, BITS(14, 31) },
	mips = { mips_names, 29, 31, BITS(16, 23) | BIT(28) | BIT(30) };

const struct cfi_registers *cfi_registers_of(uint32_t arch)
{
	switch (arch_family(arch)) {
	case CPU_X86:
		return &x86;
	case CPU_X86_64:
		return &x86_64;
	case CPU_ARM:
		return &arm;
	case CPU_ARM64:
	case CPU_ARM64_32:
		return &arm64;
	case CPU_PPC:
	case CPU_PPC64:
		return &ppc;
	case CPU_MIPS:
	case CPU_MIPS64:
		return &mips;
	default:
		return NULL;
	}
}

const struct cfi_registers *cfi_registers_of_macho(uint32_t arch)
{
	return arch_family(arch) == CPU_X86 ? &x86_macho : cfi_registers_of(arch);
}
