/*
 * macho_file -- header, load commands and sections of one thin Mach-O file.
 *
 * Private to object/macho.
 *
 * May include: base, unpack, object.
 */
#ifndef OBJECT_MACHO_MACHO_FILE_H
#define OBJECT_MACHO_MACHO_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/reader.h"
#include "base/text.h"
#include "object/object.h"
#include "unpack/unpack.h"

/* As read little endian. */
#define MACHO_MAGIC_32 0xfeedfaceu
#define MACHO_MAGIC_64 0xfeedfacfu
#define MACHO_CIGAM_32 0xcefaedfeu
#define MACHO_CIGAM_64 0xcffaedfeu

struct macho_section {
	struct text name, segment;   /* cut at the first NUL, at most 16 bytes */
	uint64_t address, size, offset;
	bool has_bytes;
};

struct macho_file {
	struct reader whole;         /* with the file's byte order */
	bool wide;
	uint32_t cpu, cpu_sub, type;
	struct macho_section *sections;
	size_t section_count;
	bool has_text;
	uint64_t load_address;       /* of segment __TEXT */
	uint64_t lowest_code;        /* of sections with instructions; 0: there is none */
	const uint8_t *uuid;         /* 16 bytes, or NULL */
	bool has_symbols;            /* LC_SYMTAB was there */
	struct text symbols, strings;    /* TEXT_NONE when outside the file */
	struct text starts;          /* of functions, as LC_FUNCTION_STARTS packs them */
};

int macho_file_read(struct macho_file *file, const void *bytes, size_t size,
		    struct arena *arena, struct err *err) __attribute__((warn_unused_result));

/* By the ELF name: ".debug_str_offsets" finds "__debug_str_offs" and "__zdebug_str_off"; NULL
 * when absent or empty of bytes. */
const struct macho_section *macho_file_section(const struct macho_file *file, const char *name);
/* Unpacked; TEXT_NONE when absent. */
int macho_file_load(const struct macho_file *file, const char *name, struct unpack_memory *capacity,
		    struct text *bytes, struct err *err) __attribute__((warn_unused_result));

/* macho_unwind.c */
int macho_file_each_unwind(const struct macho_file *file, struct unpack_memory *capacity,
			   const struct object_unwind_sink *sink, struct err *err)
	__attribute__((warn_unused_result));
/* The file's bytes at an address (not relative), to the end of the section's. */
struct text macho_file_at(const struct macho_file *file, uint64_t address);

/* macho_identity.c */
uint32_t macho_arch(uint32_t cpu, uint32_t cpu_sub);
enum object_kind macho_kind(uint32_t type);

/* macho_symbols.c: symbols of code, relative to the load address. */
typedef void macho_symbol_fn(void *payload, uint64_t address, uint32_t index);
void macho_symbols_each(const struct macho_file *file, macho_symbol_fn *fn, void *payload);
/* The section it is defined in; never NULL for what macho_symbols_each() gave. */
const struct macho_section *macho_symbols_section(const struct macho_file *file, uint32_t index);
struct text macho_symbols_name(const struct macho_file *file, uint32_t index);

/* macho_starts.c: ascending, relative to the load address. */
struct macho_starts { uint64_t *addresses; size_t count; };
int macho_starts_read(const struct macho_file *file, struct macho_starts *starts,
		      struct arena *arena, struct err *err) __attribute__((warn_unused_result));

#endif
