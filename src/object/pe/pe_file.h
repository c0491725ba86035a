/*
 * pe_file -- headers, sections and debug directory of one PE image (PE format, "PE/COFF
 * specification").
 *
 * Private to object/pe.
 *
 * May include: base, unpack, object.
 */
#ifndef OBJECT_PE_PE_FILE_H
#define OBJECT_PE_PE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/debugid.h"
#include "base/reader.h"
#include "base/text.h"
#include "object/object.h"
#include "unpack/unpack.h"

struct pe_section {
	struct text name;            /* long ones from the string table */
	uint32_t address, size;      /* in memory, relative to the image */
	uint32_t offset, file_bytes; /* in the file; file_bytes 0: nothing there */
	uint32_t flags;
};

enum pe_directory {
	PE_DIRECTORY_EXPORT = 0, PE_DIRECTORY_EXCEPTION = 3, PE_DIRECTORY_DEBUG = 6,
	PE_DIRECTORIES = 16
};

struct pe_range {
	uint32_t address, size;
};

struct pe_file {
	struct reader whole;
	bool wide;                   /* PE32+ */
	uint16_t machine, characteristics;
	uint32_t stamp, image_bytes, header_bytes;
	uint64_t image_base;
	struct pe_section *sections;
	size_t section_count;
	struct pe_range directories[PE_DIRECTORIES];
	struct text symbols, strings;        /* of COFF; TEXT_NONE: there are none */
	/* of the debug directory */
	struct debugid debug_id;
	struct text debug_file;
	struct text embedded_ppdb;   /* type 17: "MPDB", size, deflate data */
	struct text pdb_checksum;    /* type 19: "SHA256", NUL, digest */
	bool reproducible;           /* type 16: the stamp is no time but a hash */
};

/* Headers and sections; a broken debug directory costs the ids, not the file. */
int pe_file_read(struct pe_file *file, const void *bytes, size_t size, struct arena *arena,
		 struct err *err) __attribute__((warn_unused_result));

/* By name (".debug_info" finds ".zdebug_info" too); NULL when absent or empty of bytes. */
const struct pe_section *pe_file_section(const struct pe_file *file, const char *name);
/* The section at that address of the image, or NULL. */
const struct pe_section *pe_file_section_at(const struct pe_file *file, uint32_t address);
bool pe_section_is_code(const struct pe_section *section);
/* Unpacked; TEXT_NONE when absent. */
int pe_file_load(const struct pe_file *file, const char *name, struct unpack_memory *capacity,
		 struct text *bytes, struct err *err) __attribute__((warn_unused_result));
/* The bytes of the file at an address of the image, up to the end of what is stored of its
 * section; TEXT_NONE when there are none. */
struct text pe_file_at(const struct pe_file *file, uint32_t address);

/* A packed program: its code, and what would describe it, appear only when it runs. */
bool pe_file_is_packed(const struct pe_file *file);
/* Split off with --only-keep-debug: code without bytes. */
bool pe_file_is_debug_only(const struct pe_file *file);

/* pe_unwind.c */
int pe_file_each_unwind(const struct pe_file *file, struct unpack_memory *capacity,
			const struct object_unwind_sink *sink, struct err *err)
	__attribute__((warn_unused_result));

/* pe_identity.c */
uint32_t pe_arch(uint16_t machine);
void pe_read_debug_directory(struct pe_file *file);

/* pe_managed.c: what a Portable PDB inside says; ERR_UNSUPPORTED when there is none. */
int pe_managed_methods(const struct pe_file *file, struct arena *scratch,
		       const struct object_managed_sink *sink,
		       struct object_managed_report *report, struct err *err);
int pe_managed_sources(const struct pe_file *file, struct arena *scratch,
		       const struct object_source_sink *sink, struct err *err);

/* pe_symbols.c: symbols of code, by the address in the image. */
enum pe_symbol_table { PE_TABLE_COFF, PE_TABLE_EXPORT };
typedef void pe_symbol_fn(void *payload, uint32_t address, enum pe_symbol_table table,
			  uint32_t index);
void pe_symbols_each(const struct pe_file *file, pe_symbol_fn *fn, void *payload);
struct text pe_symbols_name(const struct pe_file *file, enum pe_symbol_table table,
			    uint32_t index);
bool pe_symbols_any(const struct pe_file *file);

#endif
