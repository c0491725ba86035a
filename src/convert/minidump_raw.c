/* minidump_raw.c -- in a cell: the listing of a minidump's streams. */
#include "convert/convert_internal.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "minidump/minidump.h"
#include "sandbox/sandbox.h"

static int flush(void *payload, struct buf *out, struct err *err)
{
	const int *fd = payload;
	int rc = file_write_all(*fd, out->bytes, out->size, err);

	buf_clear(out);
	return rc;
}

int convert_run_minidump_raw(struct cell *cell, struct err *err)
{
	int fd = cell_output(cell, "text");
	struct file_map map = { NULL, 0 };
	struct minidump dump;
	struct arena arena;
	struct buf out;
	int rc = -1;

	arena_init(&arena, cell->memory_bytes / 2);
	buf_init(&out, cell->memory_bytes / 2);
	if (file_map_fd(&map, cell_input(cell, "minidump"), err) == 0 &&
	    minidump_open(&dump, map.bytes, map.size, &arena, err) == 0)
		rc = minidump_print_raw(&dump, &out, flush, &fd, err);
	buf_release(&out);
	file_unmap(&map);
	arena_release(&arena);
	return rc;
}
