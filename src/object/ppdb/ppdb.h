/*
 * ppdb -- the inside of the Portable PDB format: metadata as ECMA-335 §II.24 lays it out,
 * with the debug tables of the Portable PDB specification.  Private to this folder.
 *
 * Only the debug tables (0x30 to 0x37) are read; a file with others in it is metadata of a
 * program, not its debug information.
 */
#ifndef OBJECT_PPDB_PPDB_H
#define OBJECT_PPDB_PPDB_H

#include "base/reader.h"
#include "object/object.h"

#define PPDB_TABLES 64u
#define PPDB_FIRST_TABLE 0x30u
#define PPDB_OWN_TABLES 8u
#define PPDB_ID_BYTES 20u            /* GUID and stamp */

enum ppdb_table {
	PPDB_MODULE = 0x00, PPDB_METHOD_DEF = 0x06,
	PPDB_DOCUMENT = 0x30, PPDB_METHOD_DEBUG = 0x31, PPDB_LOCAL_SCOPE = 0x32,
	PPDB_LOCAL_VARIABLE = 0x33, PPDB_LOCAL_CONSTANT = 0x34, PPDB_IMPORT_SCOPE = 0x35,
	PPDB_STATE_MACHINE = 0x36, PPDB_CUSTOM = 0x37,
};

/* The blob or GUID a custom record is about, by the tag of its parent. */
enum ppdb_parent { PPDB_PARENT_MODULE = 7, PPDB_PARENT_DOCUMENT = 22 };

struct ppdb_heap {
	struct text bytes;
	unsigned width;              /* of an index into it: 2 or 4 */
};

struct ppdb {
	struct ppdb_heap strings, guids, blobs;
	struct text tables, debug;   /* the streams #~ and #Pdb */
	uint32_t rows[PPDB_TABLES];
	struct text rows_of[PPDB_OWN_TABLES];    /* of table PPDB_FIRST_TABLE + i */
	unsigned row_bytes[PPDB_OWN_TABLES];
	struct text links;           /* the SourceLink JSON, or TEXT_NONE */
	size_t embedded;             /* sources inside */
};

struct ppdb_document { uint32_t name, language; /* blob, GUID */ };

struct ppdb_custom {
	unsigned parent;             /* tag; */
	uint32_t row;                /* of what, from 1 */
	uint32_t kind, value;        /* GUID, blob */
};

/* metadata.c: streams and tables of the bytes. */
int ppdb_read_metadata(struct ppdb *ppdb, const void *bytes, size_t size, struct err *err)
	__attribute__((warn_unused_result));

/* One row (from 1) of a debug table; nothing when there is none. */
struct reader ppdb_row(const struct ppdb *ppdb, enum ppdb_table table, uint32_t row);
unsigned ppdb_row_index_width(const struct ppdb *ppdb, enum ppdb_table table);
unsigned ppdb_parent_width(const struct ppdb *ppdb);

/* ERR_MALFORMED when the index leads out of the heap.  A blob of index 0 is empty. */
int ppdb_blob(const struct ppdb *ppdb, uint32_t index, struct text *blob, struct err *err)
	__attribute__((warn_unused_result));
/* NULL for index 0 and for one that leads out. */
const uint8_t *ppdb_guid(const struct ppdb *ppdb, uint32_t index);

/* ECMA-335 §II.23.2: numbers of 1, 2 or 4 bytes. */
uint32_t ppdb_unsigned(struct reader *reader);
int32_t  ppdb_signed(struct reader *reader);

/* custom.c: what compilers add. */
int ppdb_survey_custom(struct ppdb *ppdb, struct err *err) __attribute__((warn_unused_result));
int ppdb_each_source(const struct object *object, struct arena *scratch,
		     const struct object_source_sink *sink, struct err *err);

/* documents.c */
/* All in the arena; charged for. */
int ppdb_documents(const struct ppdb *ppdb, struct arena *arena,
		   struct object_document **documents, struct work_allowance *work,
		   struct err *err)
	__attribute__((warn_unused_result));

/* points.c */
int ppdb_each_method(const struct object *object, struct arena *scratch,
		     const struct object_managed_sink *sink, struct object_managed_report *report,
		     struct err *err);

#endif
