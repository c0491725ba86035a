/* file_types.c -- what file and object types are called. */
#include "source/source.h"

static const char *const file_types[FILE_TYPES] = {
	[FILE_TYPE_PE] = "pe",                 [FILE_TYPE_PDB] = "pdb",
	[FILE_TYPE_PORTABLEPDB] = "portablepdb",
	[FILE_TYPE_MACH_DEBUG] = "mach_debug", [FILE_TYPE_MACH_CODE] = "mach_code",
	[FILE_TYPE_ELF_DEBUG] = "elf_debug",   [FILE_TYPE_ELF_CODE] = "elf_code",
	[FILE_TYPE_WASM_DEBUG] = "wasm_debug", [FILE_TYPE_WASM_CODE] = "wasm_code",
	[FILE_TYPE_BREAKPAD] = "breakpad",     [FILE_TYPE_SOURCEBUNDLE] = "sourcebundle",
	[FILE_TYPE_UUIDMAP] = "uuidmap",       [FILE_TYPE_BCSYMBOLMAP] = "bcsymbolmap",
	[FILE_TYPE_IL2CPP] = "il2cpp",         [FILE_TYPE_PROGUARD] = "proguard",
	[FILE_TYPE_MINIFIED_SOURCE] = "minified_source",
	[FILE_TYPE_SOURCE_MAP] = "source_map", [FILE_TYPE_SOURCE] = "source",
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
