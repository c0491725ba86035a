/*
 * arch -- processors and languages, by the codes SymCache files carry
 * (formats of the published SYMC layout) and the names JSON carries.
 */
#ifndef BASE_ARCH_H
#define BASE_ARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum arch {
	ARCH_UNKNOWN = 0,
	ARCH_X86 = 101, ARCH_X86_UNKNOWN = 199,
	ARCH_X86_64 = 201, ARCH_X86_64H = 202, ARCH_X86_64_UNKNOWN = 299,
	ARCH_ARM = 301, ARCH_ARMV5 = 302, ARCH_ARMV6 = 303, ARCH_ARMV6M = 304,
	ARCH_ARMV7 = 305, ARCH_ARMV7F = 306, ARCH_ARMV7S = 307, ARCH_ARMV7K = 308,
	ARCH_ARMV7M = 309, ARCH_ARMV7EM = 310, ARCH_ARM_UNKNOWN = 399,
	ARCH_ARM64 = 401, ARCH_ARM64_V8 = 402, ARCH_ARM64E = 403, ARCH_ARM64_UNKNOWN = 499,
	ARCH_PPC = 501, ARCH_PPC64 = 601, ARCH_MIPS = 701, ARCH_MIPS64 = 801,
	ARCH_ARM64_32 = 901, ARCH_ARM64_32_V8 = 902, ARCH_ARM64_32_UNKNOWN = 999,
	ARCH_WASM32 = 1001
};

enum cpu_family {
	CPU_UNKNOWN, CPU_X86, CPU_X86_64, CPU_ARM, CPU_ARM64, CPU_PPC, CPU_PPC64,
	CPU_MIPS, CPU_MIPS64, CPU_ARM64_32, CPU_WASM32
};

enum language {
	LANGUAGE_UNKNOWN = 0, LANGUAGE_C, LANGUAGE_CPP, LANGUAGE_D, LANGUAGE_GO,
	LANGUAGE_OBJC, LANGUAGE_OBJCPP, LANGUAGE_RUST, LANGUAGE_SWIFT,
	LANGUAGE_CSHARP, LANGUAGE_VISUALBASIC, LANGUAGE_FSHARP,
	LANGUAGES
};

/* "x86_64"; "unknown" for a code we do not know. */
const char *arch_name(uint32_t arch);
/* Case-insensitive, with the aliases i386, amd64, x86-64, arm-64; false when unknown. */
bool arch_named(struct text name, enum arch *arch);
/* Legacy codes 1..18 (in the order of the list above) become today's. */
uint32_t arch_modern_code(uint32_t code);
enum cpu_family arch_family(uint32_t arch);
/* Instruction alignment in bytes: 1, 2, 4 or 8. */
unsigned arch_alignment(uint32_t arch);

/* "cpp", "objc", ...; "unknown" for 0 and for codes we do not know. */
const char *language_name(uint32_t language);
bool language_named(struct text name, enum language *language);

#endif
