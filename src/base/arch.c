/* arch.c -- see arch.h. */
#include "base/arch.h"

static const struct {
	enum arch arch;
	enum cpu_family family;
	const char *name;
} arches[] = {
	{ ARCH_UNKNOWN,          CPU_UNKNOWN,  "unknown" },
	{ ARCH_X86,              CPU_X86,      "x86" },
	{ ARCH_X86_UNKNOWN,      CPU_X86,      "x86_unknown" },
	{ ARCH_X86_64,           CPU_X86_64,   "x86_64" },
	{ ARCH_X86_64H,          CPU_X86_64,   "x86_64h" },
	{ ARCH_X86_64_UNKNOWN,   CPU_X86_64,   "x86_64_unknown" },
	{ ARCH_ARM,              CPU_ARM,      "arm" },
	{ ARCH_ARMV5,            CPU_ARM,      "armv5" },
	{ ARCH_ARMV6,            CPU_ARM,      "armv6" },
	{ ARCH_ARMV6M,           CPU_ARM,      "armv6m" },
	{ ARCH_ARMV7,            CPU_ARM,      "armv7" },
	{ ARCH_ARMV7F,           CPU_ARM,      "armv7f" },
	{ ARCH_ARMV7S,           CPU_ARM,      "armv7s" },
	{ ARCH_ARMV7K,           CPU_ARM,      "armv7k" },
	{ ARCH_ARMV7M,           CPU_ARM,      "armv7m" },
	{ ARCH_ARMV7EM,          CPU_ARM,      "armv7em" },
	{ ARCH_ARM_UNKNOWN,      CPU_ARM,      "arm_unknown" },
	{ ARCH_ARM64,            CPU_ARM64,    "arm64" },
	{ ARCH_ARM64_V8,         CPU_ARM64,    "arm64v8" },
	{ ARCH_ARM64E,           CPU_ARM64,    "arm64e" },
	{ ARCH_ARM64_UNKNOWN,    CPU_ARM64,    "arm64_unknown" },
	{ ARCH_PPC,              CPU_PPC,      "ppc" },
	{ ARCH_PPC64,            CPU_PPC64,    "ppc64" },
	{ ARCH_MIPS,             CPU_MIPS,     "mips" },
	{ ARCH_MIPS64,           CPU_MIPS64,   "mips64" },
	{ ARCH_ARM64_32,         CPU_ARM64_32, "arm64_32" },
	{ ARCH_ARM64_32_V8,      CPU_ARM64_32, "arm64_32_v8" },
	{ ARCH_ARM64_32_UNKNOWN, CPU_ARM64_32, "arm64_32_unknown" },
	{ ARCH_WASM32,           CPU_WASM32,   "wasm32" },
};

static const struct {
	const char *alias;
	enum arch arch;
} aliases[] = {
	{ "i386",   ARCH_X86 },
	{ "amd64",  ARCH_X86_64 },
	{ "x86-64", ARCH_X86_64 },
	{ "arm-64", ARCH_ARM64 },
};

/* Old files counted 1, 2, 3, ...; what they did not have yet has no old code. */
static const enum arch legacy[] = {
	ARCH_UNKNOWN, ARCH_X86, ARCH_X86_64, ARCH_X86_64H, ARCH_ARM, ARCH_ARMV5, ARCH_ARMV6,
	ARCH_ARMV6M, ARCH_ARMV7, ARCH_ARMV7F, ARCH_ARMV7S, ARCH_ARMV7K, ARCH_ARMV7M,
	ARCH_ARMV7EM, ARCH_ARM64, ARCH_ARM64_V8, ARCH_ARM64E, ARCH_PPC, ARCH_PPC64,
};

static const char *const languages[LANGUAGES] = {
	[LANGUAGE_UNKNOWN]     = "unknown",
	[LANGUAGE_C]           = "c",
	[LANGUAGE_CPP]         = "cpp",
	[LANGUAGE_D]           = "d",
	[LANGUAGE_GO]          = "go",
	[LANGUAGE_OBJC]        = "objc",
	[LANGUAGE_OBJCPP]      = "objcpp",
	[LANGUAGE_RUST]        = "rust",
	[LANGUAGE_SWIFT]       = "swift",
	[LANGUAGE_CSHARP]      = "csharp",
	[LANGUAGE_VISUALBASIC] = "visualbasic",
	[LANGUAGE_FSHARP]      = "fsharp",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *arch_name(uint32_t arch)
{
	for (size_t i = 0; i < COUNT(arches); i++)
		if (arches[i].arch == arch)
			return arches[i].name;
	return "unknown";
}

bool arch_named(struct text name, enum arch *arch)
{
	for (size_t i = 0; i < COUNT(arches); i++) {
		if (text_equal_ignoring_case(name, text_of(arches[i].name))) {
			*arch = arches[i].arch;
			return true;
		}
	}
	for (size_t i = 0; i < COUNT(aliases); i++) {
		if (text_equal_ignoring_case(name, text_of(aliases[i].alias))) {
			*arch = aliases[i].arch;
			return true;
		}
	}
	return false;
}

uint32_t arch_modern_code(uint32_t code)
{
	return code < COUNT(legacy) ? legacy[code] : code;
}

enum cpu_family arch_family(uint32_t arch)
{
	for (size_t i = 0; i < COUNT(arches); i++)
		if (arches[i].arch == arch)
			return arches[i].family;
	return CPU_UNKNOWN;
}

unsigned arch_alignment(uint32_t arch)
{
	switch (arch_family(arch)) {
	case CPU_ARM:
		return 2;
	case CPU_ARM64:
	case CPU_ARM64_32:
	case CPU_PPC:
	case CPU_MIPS:
	case CPU_MIPS64:
	case CPU_WASM32:
		return 4;
	case CPU_PPC64:
		return 8;
	default:
		return 1;
	}
}

const char *language_name(uint32_t language)
{
	return language < LANGUAGES ? languages[language] : "unknown";
}

bool language_named(struct text name, enum language *language)
{
	for (unsigned i = 0; i < LANGUAGES; i++) {
		if (text_is(name, languages[i])) {
			*language = (enum language)i;
			return true;
		}
	}
	return false;
}
