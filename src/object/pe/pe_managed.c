/*
 * pe_managed.c -- a Portable PDB inside a program: unpacked, opened as what it is, and asked.
 *
 * "MPDB", the size of what follows, and that deflated (Portable PDB specification, Embedded
 * Portable PDB Debug Directory Entry).
 */
#include "object/pe/pe_file.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"

/* Its bytes and all it learns are the arena's. */
static int open_inner(const struct pe_file *file, struct arena *arena, struct object *inner,
		      struct err *err)
{
	struct reader reader = reader_over("MPDB", file->embedded_ppdb.bytes,
					   file->embedded_ppdb.size);
	struct text packed;
	uint32_t size;
	char *bytes;

	if (!file->embedded_ppdb.size)
		return err_set(err, ERR_UNSUPPORTED, "it holds no Portable PDB");
	reader_skip(&reader, 4);
	size = reader_u32(&reader);
	packed.size = reader_left(&reader);
	packed.bytes = (const char *)reader_take(&reader, packed.size);
	if (reader_check(&reader, err) < 0)
		return -1;
	if (size > object_section_max_bytes)
		return err_set(err, ERR_LIMIT, "a Portable PDB of %u bytes inside", (unsigned)size);
	bytes = arena_alloc_raw(arena, size, 1);
	if (!bytes)
		return err_set(err, ERR_NO_MEMORY, "no memory for the Portable PDB inside");
	if (unpack_memory(UNPACK_DEFLATE, "the Portable PDB inside", packed, bytes, size, err) < 0)
		return -1;
	if (object_open(inner, bytes, size, arena, err) < 0)
		return err_while(err, "inside");
	return 0;
}

int pe_managed_methods(const struct pe_file *file, struct arena *scratch,
		       const struct object_managed_sink *sink,
		       struct object_managed_report *report, struct err *err)
{
	struct object inner;
	int rc;

	*report = (struct object_managed_report){ .methods = 0 };
	if (open_inner(file, scratch, &inner, err) < 0)
		return -1;
	rc = object_each_method(&inner, scratch, sink, report, err);
	object_release(&inner);
	return rc;
}

int pe_managed_sources(const struct pe_file *file, struct arena *scratch,
		       const struct object_source_sink *sink, struct err *err)
{
	struct object inner;
	int rc;

	if (open_inner(file, scratch, &inner, err) < 0)
		return -1;
	rc = object_each_source(&inner, scratch, sink, err);
	object_release(&inner);
	return rc;
}
