/*
 * pdb_file -- what a PDB says as a whole: its identity, modules, sections, types and public
 * symbols.  Read once; the units then only read it, from several threads.
 *
 * Private to object/pdb.
 *
 * May include: base, unpack, object.
 */
#ifndef OBJECT_PDB_PDB_FILE_H
#define OBJECT_PDB_PDB_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/debugid.h"
#include "base/reader.h"
#include "base/text.h"
#include "object/pdb/msf.h"
#include "object/pdb/pdb_names.h"
#include "object/symbols.h"
#include "unpack/unpack.h"

struct object;
struct work_budget;
struct object_source_sink;
struct object_unwind_sink;

#define PDB_NO_ADDRESS UINT32_MAX
#define PDB_NO_MODULE  UINT32_MAX
#define PDB_LINK_STREAMS_MAX 64u     /* linkers write one, or one for each library */

struct pdb_section {
	uint32_t address, size, flags;
};

struct pdb_module {
	struct text name;            /* of the object file, or of a library's member */
	uint32_t stream;             /* MSF_NO_STREAM: it has no debug information */
	uint32_t symbol_bytes, c11_bytes, c13_bytes;
};

/* Types or ids: records numbered from `begin` on. */
struct pdb_types {
	struct msf_stream stream;
	uint32_t begin, count;
	uint32_t *marks;             /* where every fourth record stands */
};

struct pdb {
	struct msf msf;
	struct unpack_memory capacity;
	struct pdb_names *names;
	struct work_budget *work;    /* the object's */
	bool prepared;
	/* info stream */
	uint32_t info_age;
	uint32_t names_stream, srcsrv_stream;    /* MSF_NO_STREAM: absent */
	uint32_t link_streams[PDB_LINK_STREAMS_MAX], link_stream_count;  /* SourceLink */
	/* DBI stream */
	struct msf_stream dbi_stream;
	bool has_dbi;
	uint32_t dbi_age;
	uint16_t machine;
	uint32_t module_bytes, contribution_bytes, section_map_bytes;    /* parts of the stream */
	uint32_t debug_header_at, debug_header_bytes;
	uint32_t symbol_stream;
	uint32_t omap_stream, omap_back_stream;
	uint32_t section_stream, fpo_stream, frame_data_stream;
	/* from prepare on */
	bool has_modules;
	struct pdb_module *modules;
	uint32_t *units;             /* numbers of those with a stream */
	uint32_t module_count, unit_count;
	struct reader contributions;
	uint32_t contribution_width; /* 0: not to be used */
	struct pdb_section *sections;
	size_t section_count;
	struct reader omap;          /* from the addresses debug information has, to the image's */
	struct reader strings;       /* "/names" */
	struct pdb_types types, ids;
	/* Names of inlined functions, by their id; made when first asked for.
	 * NULL: no longer remembered. */
	_Atomic(struct pdb_name *) *id_names;
	struct pdb_definitions *definitions;     /* of classes */
	struct msf_stream symbol_records;
	struct symbols publics;
};

/* info.c: identity.  A file without DBI stream has types only. */
int pdb_read_identity(struct pdb *pdb, struct debugid *id, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));
uint32_t pdb_arch(uint16_t machine);

/* pdb_sources.c: paths and where they are.  An empty reader: there is no such stream, or it cannot
 * be read. */
int pdb_srcsrv_stream(const struct pdb *pdb, struct arena *arena, struct reader *reader,
		      struct err *err) __attribute__((warn_unused_result));
/* ERR_UNSUPPORTED: it has no such streams. */
int pdb_each_source(const struct object *object, struct arena *scratch,
		    const struct object_source_sink *sink, struct err *err)
	__attribute__((warn_unused_result));
/* Does it tell any? */
int pdb_find_sources(const struct object *object, bool *found, struct err *err)
	__attribute__((warn_unused_result));

/* dbi.c: modules, sections, contributions; once. */
int pdb_read_dbi(struct pdb *pdb, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));
/* The module whose code stands there, as the linker said; PDB_NO_MODULE: not known. */
uint32_t pdb_owner(const struct pdb *pdb, uint32_t section, uint32_t offset);

/* compile.c: of the modules, once they are known. */
uint32_t pdb_compiled_arch(const struct pdb *pdb);

/* pdb_address.c */
/* As debug information has it, before an optimiser moved it; PDB_NO_ADDRESS: in no section. */
uint32_t pdb_source_address(const struct pdb *pdb, uint32_t section, uint32_t offset);
bool pdb_is_code(const struct pdb *pdb, uint32_t section);

/* Addresses of [start, end) that moved together: those from `start` on for `size` bytes are
 * now at `image`. */
struct pdb_stretch {
	uint32_t start, size;
	uint32_t image;              /* PDB_NO_ADDRESS: removed */
};
struct pdb_stretch pdb_stretch_at(const struct pdb *pdb, uint32_t start, uint32_t end);
int pdb_read_omap(struct pdb *pdb, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));

/* types.c */
int pdb_types_open(struct pdb_types *types, const struct msf *msf, uint32_t stream,
		   const char *name, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));
static inline bool pdb_has_type(const struct pdb_types *types, uint32_t index)
{
	return index >= types->begin && index - types->begin < types->count;
}

/* The record behind its kind.  Put together in `scratch` if it has to be; false: no such, or no
 * memory. */
bool pdb_type_record(const struct pdb_types *types, uint32_t index, struct arena *scratch,
		     uint16_t *kind, struct reader *record);

/* type_size.c; NULL: no memory.  Of NULL nothing is freed. */
struct pdb_definitions *pdb_definitions_new(void) __attribute__((warn_unused_result));
void pdb_definitions_free(struct pdb_definitions *definitions);

/* stack_frames.c: of x86, once sections and strings are read; in the order of the file. */
int pdb_each_stack_frame(struct pdb *pdb, const struct object_unwind_sink *sink, struct err *err)
	__attribute__((warn_unused_result));

/* publics.c */
int pdb_read_publics(struct pdb *pdb, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));
int pdb_public_name(const struct pdb *pdb, const struct symbol_record *record, struct text *name,
		    struct err *err) __attribute__((warn_unused_result));

#endif
