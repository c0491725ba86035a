/* macho_identity.c -- processors and kinds by their numbers in <mach/machine.h> and
 * <mach-o/loader.h>. */
#include "object/macho/macho_file.h"

#define CPU_SUB_MASK  0x00ffffffu    /* the top byte holds capabilities (pointer authentication) */
#define ANY_SUB       UINT32_MAX

enum {
	CPU_TYPE_I386 = 7, CPU_TYPE_X86_64 = 0x01000007, CPU_TYPE_ARM_32 = 12,
	CPU_TYPE_ARM_64 = 0x0100000c, CPU_TYPE_ARM_64_32 = 0x0200000c,
	CPU_TYPE_PPC_32 = 18, CPU_TYPE_PPC_64 = 0x01000012,
};

/* The first that fits; ANY_SUB comes last of its kind. */
static const struct {
	uint32_t cpu, sub;
	enum arch arch;
} archs[] = {
	{ CPU_TYPE_I386,      3,       ARCH_X86 },
	{ CPU_TYPE_I386,      ANY_SUB, ARCH_X86_UNKNOWN },
	{ CPU_TYPE_X86_64,    3,       ARCH_X86_64 },
	{ CPU_TYPE_X86_64,    8,       ARCH_X86_64H },
	{ CPU_TYPE_X86_64,    ANY_SUB, ARCH_X86_64_UNKNOWN },
	{ CPU_TYPE_ARM_64,    0,       ARCH_ARM64 },
	{ CPU_TYPE_ARM_64,    1,       ARCH_ARM64_V8 },
	{ CPU_TYPE_ARM_64,    2,       ARCH_ARM64E },
	{ CPU_TYPE_ARM_64,    ANY_SUB, ARCH_ARM64_UNKNOWN },
	{ CPU_TYPE_ARM_64_32, 0,       ARCH_ARM64_32 },
	{ CPU_TYPE_ARM_64_32, 1,       ARCH_ARM64_32_V8 },
	{ CPU_TYPE_ARM_64_32, ANY_SUB, ARCH_ARM64_32_UNKNOWN },
	{ CPU_TYPE_ARM_32,    0,       ARCH_ARM },
	{ CPU_TYPE_ARM_32,    6,       ARCH_ARMV6 },
	{ CPU_TYPE_ARM_32,    7,       ARCH_ARMV5 },
	{ CPU_TYPE_ARM_32,    9,       ARCH_ARMV7 },
	{ CPU_TYPE_ARM_32,    10,      ARCH_ARMV7F },
	{ CPU_TYPE_ARM_32,    11,      ARCH_ARMV7S },
	{ CPU_TYPE_ARM_32,    12,      ARCH_ARMV7K },
	{ CPU_TYPE_ARM_32,    14,      ARCH_ARMV6M },
	{ CPU_TYPE_ARM_32,    15,      ARCH_ARMV7M },
	{ CPU_TYPE_ARM_32,    16,      ARCH_ARMV7EM },
	{ CPU_TYPE_ARM_32,    ANY_SUB, ARCH_ARM_UNKNOWN },
	{ CPU_TYPE_PPC_32,    ANY_SUB, ARCH_PPC },
	{ CPU_TYPE_PPC_64,    ANY_SUB, ARCH_PPC64 },
};

static const enum object_kind kinds[] = {
	[1] = OBJECT_KIND_RELOCATABLE,       /* MH_OBJECT */
	[2] = OBJECT_KIND_EXECUTABLE,        /* MH_EXECUTE */
	[3] = OBJECT_KIND_LIBRARY,           /* MH_FVMLIB */
	[4] = OBJECT_KIND_DUMP,              /* MH_CORE */
	[5] = OBJECT_KIND_EXECUTABLE,        /* MH_PRELOAD */
	[6] = OBJECT_KIND_LIBRARY,           /* MH_DYLIB */
	[7] = OBJECT_KIND_EXECUTABLE,        /* MH_DYLINKER */
	[8] = OBJECT_KIND_LIBRARY,           /* MH_BUNDLE */
	[9] = OBJECT_KIND_OTHER,             /* MH_DYLIB_STUB */
	[10] = OBJECT_KIND_DEBUG,            /* MH_DSYM */
	[11] = OBJECT_KIND_LIBRARY,          /* MH_KEXT_BUNDLE */
};

uint32_t macho_arch(uint32_t cpu, uint32_t cpu_sub)
{
	for (size_t i = 0; i < sizeof(archs) / sizeof(archs[0]); i++)
		if (archs[i].cpu == cpu && (archs[i].sub == ANY_SUB ||
					    archs[i].sub == (cpu_sub & CPU_SUB_MASK)))
			return archs[i].arch;
	return ARCH_UNKNOWN;
}

enum object_kind macho_kind(uint32_t type)
{
	if (type == 0 || type >= sizeof(kinds) / sizeof(kinds[0]))
		return OBJECT_KIND_OTHER;
	return kinds[type];
}
