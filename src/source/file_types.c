/* file_types.c -- what file and object types are called, and which are looked for. */
#include "source/source.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const file_types[FILE_TYPES] = {
	[FILE_TYPE_PE] = "pe",                 [FILE_TYPE_PDB] = "pdb",
	[FILE_TYPE_PORTABLEPDB] = "portablepdb",
	[FILE_TYPE_MACH_DEBUG] = "mach_debug", [FILE_TYPE_MACH_CODE] = "mach_code",
	[FILE_TYPE_ELF_DEBUG] = "elf_debug",   [FILE_TYPE_ELF_CODE] = "elf_code",
	[FILE_TYPE_WASM_DEBUG] = "wasm_debug", [FILE_TYPE_WASM_CODE] = "wasm_code",
	[FILE_TYPE_BREAKPAD] = "breakpad",     [FILE_TYPE_SOURCEBUNDLE] = "sourcebundle",
	[FILE_TYPE_UUIDMAP] = "uuidmap",       [FILE_TYPE_BCSYMBOLMAP] = "bcsymbolmap",
	[FILE_TYPE_IL2CPP] = "il2cpp",         [FILE_TYPE_PROGUARD] = "proguard",
};

static const char *const object_types[OBJECT_TYPES] = {
	[OBJECT_TYPE_UNKNOWN] = "unknown", [OBJECT_TYPE_ELF] = "elf",
	[OBJECT_TYPE_MACHO] = "macho",     [OBJECT_TYPE_PE] = "pe",
	[OBJECT_TYPE_PE_DOTNET] = "pe_dotnet", [OBJECT_TYPE_WASM] = "wasm",
};

const char *file_type_name(enum file_type type)
{
	return (unsigned)type < FILE_TYPES ? file_types[type] : "unknown";
}

bool file_type_named(struct text name, enum file_type *type)
{
	for (unsigned i = 0; i < FILE_TYPES; i++) {
		if (text_is(name, file_types[i])) {
			*type = (enum file_type)i;
			return true;
		}
	}
	return false;
}

const char *object_type_name(enum object_type type)
{
	return (unsigned)type < OBJECT_TYPES ? object_types[type] : "unknown";
}

enum object_type object_type_named(struct text name)
{
	for (unsigned i = 0; i < OBJECT_TYPES; i++)
		if (text_is(name, object_types[i]))
			return (enum object_type)i;
	return OBJECT_TYPE_UNKNOWN;
}

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
