/* convert_section.c -- in a cell: the bytes of one section of an object. */
#include "convert/convert_internal.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "sandbox/sandbox.h"

int convert_section_parameters(struct text name, struct buf *out, struct err *err)
{
	if (name.size == 0 || name.size > CONVERT_SECTION_NAME_BYTES)
		return err_set(err, ERR_NOT_FOUND, "a section's name of %zu bytes", name.size);
	buf_add_text(out, name);
	return buf_check(out, err);
}

int convert_run_section(struct cell *cell, struct err *err)
{
	struct file_map map = { NULL, 0 };
	struct object object;
	struct arena arena;
	struct text bytes;
	int rc = -1;

	arena_init(&arena, cell->memory_bytes);
	if (file_map_fd(&map, cell_input(cell, "object"), err) == 0 &&
	    object_open(&object, map.bytes, map.size, &arena, err) == 0) {
		rc = object_stored_section(&object, cell->parameters, &bytes, err);
		if (rc == 0)
			rc = file_write_all(cell_output(cell, "section"), bytes.bytes, bytes.size, err);
		object_release(&object);
	}
	file_unmap(&map);
	arena_release(&arena);
	return rc;
}
