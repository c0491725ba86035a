/* purpose.c -- which types of files are looked for, by what they are for and what the module is. */
#include "lookup/lookup.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const enum file_type for_macho[] = {
	FILE_TYPE_MACH_CODE, FILE_TYPE_BREAKPAD, FILE_TYPE_MACH_DEBUG, FILE_TYPE_PDB,
	FILE_TYPE_ELF_DEBUG,
};
static const enum file_type for_pe[] = {
	FILE_TYPE_PE, FILE_TYPE_BREAKPAD, FILE_TYPE_MACH_DEBUG, FILE_TYPE_PDB,
	FILE_TYPE_ELF_DEBUG,
};
static const enum file_type for_elf[] = {
	FILE_TYPE_ELF_CODE, FILE_TYPE_BREAKPAD, FILE_TYPE_MACH_DEBUG, FILE_TYPE_PDB,
	FILE_TYPE_ELF_DEBUG,
};
static const enum file_type for_wasm[] = { FILE_TYPE_WASM_CODE, FILE_TYPE_WASM_DEBUG };
static const enum file_type for_unknown[] = {
	FILE_TYPE_PDB, FILE_TYPE_MACH_DEBUG, FILE_TYPE_ELF_DEBUG, FILE_TYPE_PE,
	FILE_TYPE_MACH_CODE, FILE_TYPE_ELF_CODE, FILE_TYPE_WASM_CODE, FILE_TYPE_WASM_DEBUG,
	FILE_TYPE_BREAKPAD, FILE_TYPE_SOURCEBUNDLE, FILE_TYPE_UUIDMAP, FILE_TYPE_BCSYMBOLMAP,
	FILE_TYPE_PORTABLEPDB, FILE_TYPE_PROGUARD,
};
/* Unwind information of a .NET module: its first element alone. */
static const enum file_type for_dotnet[] = { FILE_TYPE_PORTABLEPDB, FILE_TYPE_PDB };
/* The last, which Symbolicator does not look at, has SourceLink for native code too. */
static const enum file_type for_source[] = {
	FILE_TYPE_SOURCEBUNDLE, FILE_TYPE_PORTABLEPDB, FILE_TYPE_ELF_DEBUG, FILE_TYPE_WASM_DEBUG,
	FILE_TYPE_PDB,
};

#define LOOKUP(types) { types, COUNT(types) }

static const struct {
	const enum file_type *types;
	size_t count;
} lookups[OBJECT_TYPES] = {
	[OBJECT_TYPE_UNKNOWN]   = LOOKUP(for_unknown),
	[OBJECT_TYPE_ELF]       = LOOKUP(for_elf),
	[OBJECT_TYPE_MACHO]     = LOOKUP(for_macho),
	[OBJECT_TYPE_PE]        = LOOKUP(for_pe),
	[OBJECT_TYPE_PE_DOTNET] = LOOKUP(for_dotnet),
	[OBJECT_TYPE_WASM]      = LOOKUP(for_wasm),
};

const enum file_type *lookup_file_types(enum lookup_purpose purpose, enum object_type type,
					size_t *count)
{
	if ((unsigned)type >= OBJECT_TYPES)
		type = OBJECT_TYPE_UNKNOWN;
	if (purpose == LOOKUP_SOURCE) {
		*count = COUNT(for_source) - (type != OBJECT_TYPE_PE);
		return for_source;
	}
	*count = lookups[type].count;
	if (purpose == LOOKUP_UNWIND && type == OBJECT_TYPE_PE_DOTNET)
		*count = 1;
	return lookups[type].types;
}
