/* unpacked_text.c -- in a cell: what an input says, unpacked where it is packed. */
#include "convert/convert_internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "unpack/unpack.h"

static int unpack_to_output(const struct convert_packed *packed, enum unpack_kind kind, struct err *err)
{
	const struct text archive = { (const char *)packed->map->bytes, packed->map->size };

	if (packed->may_be_archive && (kind == UNPACK_ZIP || kind == UNPACK_CAB))
		return unpack_archive(kind, archive, packed->out, packed->max_bytes, err);
	if (lseek(packed->in, 0, SEEK_SET) < 0)
		return err_os(err, errno, "going to the start of the input");
	return unpack_stream(kind, packed->in, packed->out, packed->max_bytes, err);
}

static int copy_output(int out, struct text *text, char **held, struct err *err)
{
	struct file_map map;

	if (file_map_fd(&map, out, err) < 0)
		return -1;
	*held = mem_get(map.size + 1);
	*text = (struct text){ *held, map.size };
	if (*held && map.size)
		memcpy(*held, map.bytes, map.size);
	file_unmap(&map);
	return *held ? 0 : err_set(err, ERR_NO_MEMORY, "no memory for a file of %zu bytes", text->size);
}

int convert_unpack_text(const struct convert_packed *packed, struct text *text, char **held, struct err *err)
{
	enum unpack_kind kind = unpack_recognise(packed->map->bytes, packed->map->size);

	*held = NULL;
	*text = (struct text){ (const char *)packed->map->bytes, packed->map->size };
	if (kind == UNPACK_NONE)
		return 0;
	if (unpack_to_output(packed, kind, err) < 0)
		return err_while(err, "unpacking %s", unpack_kind_name(kind));
	if (copy_output(packed->out, text, held, err) < 0)
		return -1;
	if (ftruncate(packed->out, 0) < 0 || lseek(packed->out, 0, SEEK_SET) < 0)
		return err_os(err, errno, "emptying the output");
	return 0;
}
