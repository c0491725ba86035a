/*
 * elf_file -- headers, sections and identities of one ELF file.
 *
 * For object/elf, and for readers of other things that begin with ELF headers.  The main file, its debuglink target, dwz file and package are
 * each one `struct elf_file`.  (libelf owns the names elf_*; ours are elf_file_*.)
 *
 * May include: base, unpack, object.
 */
#ifndef OBJECT_ELF_ELF_FILE_H
#define OBJECT_ELF_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/reader.h"
#include "base/text.h"
#include "object/object.h"
#include "unpack/unpack.h"

struct elf_section {
	struct text name;            /* TEXT_NONE when the string table does not hold it */
	uint32_t type, link, info;
	uint64_t flags, address, offset, size, entry_bytes;
	uint64_t laid_at;            /* elf_layout.c; of code, when the file is laid out */
};

/* Code of a relocatable file that is handed out: [start, end) where it was laid. */
struct elf_stretch {
	uint64_t start, end;
	uint64_t shift;              /* taken off: the address in the file */
	uint64_t section_end;        /* where it was laid, too */
};

struct elf_segment {
	uint32_t type, flags;
	uint64_t offset, address, file_bytes, memory_bytes, align;
};

struct elf_file {
	struct reader whole;         /* with the file's byte order */
	bool wide;                   /* 64 bit */
	uint16_t type, machine;
	uint32_t flags;
	struct elf_section *sections;    /* index 0 is the null section */
	size_t section_count;
	struct elf_segment *segments;
	size_t segment_count;
	bool has_load_address;
	uint64_t load_address;
	struct text build_id;        /* raw bytes, or TEXT_NONE */
	bool is_laid_out;            /* its code lies side by side while it is read */
	struct elf_stretch *stretches;   /* ascending */
	size_t stretch_count;
};

/* A run of symbol table entries and the strings they name. */
struct elf_symbols {
	struct text entries;         /* whole entries */
	size_t count;
	struct text strings;
	struct text wide_indexes;    /* SHT_SYMTAB_SHNDX, or TEXT_NONE */
};

/* elf_headers.c.  Only an unreadable file header is an error; tables that lie outside the
 * file are taken as absent, and what was read is used. */
int elf_file_read(struct elf_file *file, const void *bytes, size_t size, struct arena *arena,
		  struct err *err) __attribute__((warn_unused_result));

/* elf_bytes.c.  Sections that hold bytes: NOBITS and offset 0 are as good as none. */
bool elf_section_has_bytes(const struct elf_section *section);
/* As stored; TEXT_NONE when (partly) outside the file. */
struct text elf_section_raw(const struct elf_file *file, const struct elf_section *section);
/* File bytes at a virtual address, to the end of the segment's; TEXT_NONE when unmapped. */
struct text elf_file_at_address(const struct elf_file *file, uint64_t address);

/* elf_sections.c */
/* ".debug_info" finds ".zdebug_info" too; NULL when absent. */
const struct elf_section *elf_file_section(const struct elf_file *file, const char *name);
/* Of the first section of exactly that name that has some, as stored; else TEXT_NONE. */
struct text elf_file_stored(const struct elf_file *file, struct text name);
/* Unpacked, and relocated in a relocatable file.  Absent, or over object_section_max_bytes: TEXT_NONE. */
int elf_file_load(const struct elf_file *file, const char *name, struct unpack_memory *capacity,
		  struct text *bytes, struct err *err) __attribute__((warn_unused_result));
/* The same for one packed by zlib, to be unpacked piece after piece: 1, and how large it is; 0: it
 * is not packed so, or has to be relocated. */
int elf_file_load_gradually(const struct elf_file *file, const char *name, struct arena *arena,
			   struct unpack_incremental **incremental, uint64_t *size,
			   struct err *err) __attribute__((warn_unused_result));
/* The first `capacity` bytes, unpacked; how many there are. */
size_t elf_file_peek(const struct elf_file *file, const char *name, uint8_t *out, size_t capacity);
/* The least address of an executable section, whether its bytes are here or not; 0: unknown. */
uint64_t elf_file_lowest_code(const struct elf_file *file);
/* Of a linked file; the load address is then 0, too. */
bool elf_file_has_code_at_zero(const struct elf_file *file);

/* elf_layout.c.  Addresses read from a file that is laid out are those of the layout. */
int elf_file_lay_out(struct elf_file *file, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));
/* The first stretch that ends behind this (laid out) address, or NULL.  More follow up to
 * the end of file->stretches. */
const struct elf_stretch *elf_file_stretch(const struct elf_file *file, uint64_t address);

/* elf_outlet.c: hands functions on with the addresses of the file. */
struct elf_outlet {
	const struct elf_file *file;
	const struct object_sink *sink;
	struct arena *scratch;
};
int elf_outlet_function(void *outlet, const struct object_file_name *files, size_t file_count,
			const struct object_function *function, struct err *err);

/* elf_relocate.c: applies what points from debug sections to code and other sections. */
bool elf_knows_relocations(const struct elf_file *file);      /* of its machine */
bool elf_file_needs_relocation(const struct elf_file *file, const struct elf_section *section);
void elf_file_relocate(const struct elf_file *file, const struct elf_section *section,
		       uint8_t *bytes, size_t size);

/* elf_identity.c */
enum arch elf_file_arch(const struct elf_file *file);
struct text elf_file_find_build_id(const struct elf_file *file);
void elf_file_identify(const struct elf_file *file, struct object *object);

/* elf_symbols.c */
struct elf_symbols elf_file_symtab(const struct elf_file *file);
struct elf_symbols elf_file_dynsym(const struct elf_file *file);
/* The table in that section; empty when there is none. */
struct elf_symbols elf_file_symbols_in(const struct elf_file *file, uint32_t section);
/* Any symbol's, 0 when it is not there; where its section was laid, if that is code. */
uint64_t elf_symbols_value(const struct elf_file *file, const struct elf_symbols *symbols,
			   uint32_t index);
typedef void elf_symbol_fn(void *payload, uint64_t address, uint64_t size, uint32_t index);
/* Functions, and of what has no type in code the globals and those with a size; addresses relative to the load address, Thumb
 * bits gone. */
void elf_symbols_each(const struct elf_file *file, const struct elf_symbols *symbols,
		      elf_symbol_fn *fn, void *payload);
struct text elf_symbols_name(const struct elf_file *file, const struct elf_symbols *symbols,
			     uint32_t index);

/* The entries of type STT_FILE, ascending: each names the source of the locals behind it. */
int elf_symbols_files(const struct elf_file *file, const struct elf_symbols *symbols,
		      struct arena *arena, const uint32_t **files, size_t *count, struct err *err)
	__attribute__((warn_unused_result));
/* The source file of a local symbol, or TEXT_NONE. */
struct text elf_symbols_file(const struct elf_file *file, const struct elf_symbols *symbols,
			     const uint32_t *files, size_t count, uint32_t index);

/* elf_unwind.c */
int elf_file_each_unwind(const struct elf_file *file, struct unpack_memory *capacity,
			 const struct object_unwind_sink *sink, struct err *err)
	__attribute__((warn_unused_result));

/* elf_dynamic.c: the same without section headers. */
struct elf_symbols elf_file_dynamic_symbols(const struct elf_file *file);

/* elf_links.c */
int elf_file_wants(const struct elf_file *file, struct arena *arena,
		   struct object_want **wants, size_t *count, struct err *err)
	__attribute__((warn_unused_result));

#endif
