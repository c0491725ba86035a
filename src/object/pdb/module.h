/*
 * module -- one module stream while it is read: lines, inlined calls, functions.
 *
 * Private to object/pdb.
 *
 * May include: base, object.
 */
#ifndef OBJECT_PDB_MODULE_H
#define OBJECT_PDB_MODULE_H

#include "base/work_budget.h"
#include "object/object.h"
#include "object/pdb/pdb_file.h"
#include "object/pdb/type_name.h"

struct err;

/* A line's addresses, as debug information has them. */
struct row {
	uint32_t start, end;         /* lines of the module end with the next: their order */
	uint32_t file, line;
	uint32_t site;               /* whose it is: index + 1; 0: the function itself */
	uint32_t call;               /* the call it lies in: index + 1 */
};

struct rows {
	struct row *items;
	size_t capacity, count;
};

/* Lines of one run of code (one function, mostly). */
struct fragment {
	uint32_t start, end;         /* source addresses */
	uint32_t section, offset;
	struct reader blocks;        /* C13: per file */
	bool has_columns;
	const struct row *rows;      /* C11: decoded already */
	size_t row_count;
	bool is_covered;             /* by one function, wholly */
};

/* Where an inlined function begins (DEBUG_S_INLINEELINES). */
struct inlinee_source {
	uint32_t id, file, line;     /* file: place of its checksum */
};

struct module_lines {
	struct fragment *fragments;
	size_t fragment_count;
	struct reader checksums;
	struct object_file_name *files;
	uint32_t *file_at;           /* by place of the checksum / 4: index of the file + 1 */
	size_t file_count, checksum_slots;
	struct inlinee_source *sources;
	size_t source_count;
	struct reader imports;       /* DEBUG_S_CROSSSCOPEIMPORTS */
};

/* An inlined call as the symbols tell it: a tree, parents first. */
struct site {
	uint32_t parent;             /* index + 1; 0: the function */
	uint32_t depth;              /* from 1 */
	uint32_t id;                 /* in the IPI stream */
	uint32_t last_call;          /* index + 1 of the call made of it last */
};

/* A site as it is told: with one place of its call. */
struct call {
	uint32_t site, parent;       /* parent: index + 1 of a call */
	uint32_t file, line;
	uint32_t before;             /* of the same site: index + 1 */
	uint32_t first_range, last_range;        /* index + 1 */
	uint32_t range_count;
};

struct call_range {
	uint32_t start, end;
	uint32_t next;               /* of the same call: index + 1 */
};

struct inline_builder {                    /* the memory is used again for the next function */
	struct site *sites;
	size_t site_capacity, site_count;
	struct rows site_rows;       /* of all sites */
	struct rows far_rows;        /* in parts put elsewhere: from the part's start; `call`: which */
	uint32_t function_at;        /* the function's symbol: its parts are those that name it */
	uint32_t part;               /* which of them is painted; 0: the function itself */
	struct rows cells, claimed;  /* of this level, of the next */
	struct rows level;           /* site rows of one level, sorted */
	struct call *calls;
	size_t call_capacity, call_count;
	struct call_range *ranges;
	size_t range_capacity, range_count;
};

/* A place in code that has no function (assembler). */
struct label {
	uint32_t start;              /* source address */
	struct text name;
};

/* What a module takes from one other. */
struct import_list {
	uint32_t name;               /* place in "/names" */
	uint32_t owner;              /* module */
	struct reader numbers, exports;
};

struct module_reading {
	const struct pdb *pdb;
	const struct object_sink *sink;
	struct arena *scratch;
	uint32_t module;
	const char *stream_name;
	bool in_place;               /* its bytes outlive the unit */
	struct reader symbols;
	struct module_lines lines;
	struct import_list *imports;
	size_t import_count;
	struct rows rows;            /* of the function being read */
	struct inline_builder builder;
	struct label *labels;
	size_t label_capacity, label_count;
	struct namer namer;
	struct work_allowance work;
};

/* module.c */
int module_read(const struct pdb *pdb, uint32_t module, struct arena *scratch,
		const struct object_sink *sink, struct err *err)
	__attribute__((warn_unused_result));

/* lines.c */
int module_lines_open(struct module_reading *reading, struct reader c11, struct reader c13,
		      struct err *err) __attribute__((warn_unused_result));
/* Rows of source addresses [start, end) into reading->rows: ascending, each until the next,
 * the first at start, with gaps as rows without a file. */
int module_lines_between(struct module_reading *reading, uint32_t start, uint32_t end,
			 struct err *err)
	__attribute__((warn_unused_result));
/* Index of the file whose checksum stands there, or OBJECT_NO_FILE. */
uint32_t module_file(struct module_reading *reading, uint32_t place);
/* By start, then end. */
void rows_sort(struct rows *rows);
int rows_add(struct rows *rows, struct row row, struct err *err)
	__attribute__((warn_unused_result));

/* inline_sites.c */
/* For the function whose symbol stands there. */
void inline_builder_begin(struct inline_builder *builder, uint32_t at);
/* For a part of that function which begins at that source address: its calls are those the
 * function's own sites have there, and what its own symbols add. */
int inline_builder_go_on(struct inline_builder *builder, uint32_t at, uint32_t start, struct err *err)
	__attribute__((warn_unused_result));
void inline_builder_release(struct inline_builder *builder);
/* A S_INLINESITE record behind its kind, below the site `parent` (index + 1), in a function
 * at that source address; its number (index + 1). */
int module_add_site(struct module_reading *reading, struct reader record, bool has_count,
		    uint32_t parent, uint32_t start, uint32_t *number, struct err *err)
	__attribute__((warn_unused_result));
/* Lays the sites over reading->rows, which end at `end`: afterwards each row is of the
 * innermost call there. */
int module_paint(struct module_reading *reading, uint32_t end, struct err *err)
	__attribute__((warn_unused_result));

/* imports.c */
int module_imports_open(struct module_reading *reading, struct err *err)
	__attribute__((warn_unused_result));
/* The PDB's index for one of another module's; 0 when that cannot be found. */
uint32_t module_resolve(const struct module_reading *reading, uint32_t index);

#endif
