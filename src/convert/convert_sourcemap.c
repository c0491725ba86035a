/* convert_sourcemap.c -- in a cell: from a minified file and its source map to their lookup file. */
#include "convert/convert_internal.h"

#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "ecmascript/ecmascript.h"
#include "jsfile/jsfile.h"
#include "object/object.h"
#include "sandbox/sandbox.h"
#include "sourcemap/sourcemap.h"

_Static_assert(ECMASCRIPT_NOWHERE == SOURCEMAP_NONE, "what stands nowhere is told the same way");

struct minified_scopes {
	struct ecmascript_scopes found;
	struct sourcemap_scope *scopes;
	struct sourcemap_scope_part *parts;
};

static int copy_scopes(struct minified_scopes *minified, struct err *err)
{
	const struct ecmascript_scopes *found = &minified->found;

	minified->scopes = mem_get_array(found->count + 1, sizeof(*minified->scopes));
	minified->parts = mem_get_array(found->part_count + 1, sizeof(*minified->parts));
	if (!minified->scopes || !minified->parts)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu functions", found->count);
	for (size_t i = 0; i < found->count; i++)
		minified->scopes[i] = (struct sourcemap_scope){
			found->scopes[i].start, found->scopes[i].end,
			found->scopes[i].first_part, found->scopes[i].part_count,
		};
	for (size_t i = 0; i < found->part_count; i++)
		minified->parts[i] = (struct sourcemap_scope_part){
			{ found->parts[i].bytes, found->parts[i].size }, found->parts[i].offset,
		};
	return 0;
}

static int write_cache(struct sourcemap_input *input, const struct minified_scopes *scopes, int fd,
		       struct convert_sourcemap *made, struct err *err)
{
	const struct ecmascript_scopes *found = &scopes->found;
	struct sourcemap_report report;

	input->scopes = (struct sourcemap_scopes){ scopes->scopes, found->count, scopes->parts,
						   found->part_count };
	if (sourcemap_write(input, fd, &report, err) < 0)
		return -1;
	*made = (struct convert_sourcemap){
		.functions = found->count, .bad_functions = found->error_count,
		.tokens = report.tokens, .bytes = report.bytes,
		.first_bad = found->error_count ? found->error_words : NULL,
	};
	return 0;
}

int convert_write_sourcemap(struct text map, struct text minified, size_t memory_bytes, int fd,
			    struct convert_sourcemap *made, struct err *err)
{
	struct sourcemap_input input = { .map = map, .minified = minified, .memory_bytes = memory_bytes };
	struct minified_scopes scopes = { .scopes = NULL };
	struct arena arena;
	int rc;

	arena_init(&arena, memory_bytes);
	rc = ecmascript_scopes_read(&scopes.found, minified, &arena, err);
	if (rc == 0) {
		rc = copy_scopes(&scopes, err);
		if (rc == 0)
			rc = write_cache(&input, &scopes, fd, made, err);
		ecmascript_scopes_release(&scopes.found);
	}
	mem_give_back(scopes.scopes);
	mem_give_back(scopes.parts);
	arena_release(&arena);
	return rc;
}

/* --- The operation ------------------------------------------------------------------------ */

static void write_reply(const struct convert_sourcemap *made, struct buf *out)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	json_member_u64(&json, "units", made->functions + made->bad_functions);
	json_member_u64(&json, "bad_units", made->bad_functions);
	json_member_u64(&json, "ranges", made->tokens);
	json_member_u64(&json, "bytes", made->bytes);
	if (made->first_bad)
		json_member_string(&json, "first_bad", made->first_bad);
	json_object_end(&json);
}

/* The map: a file of its own, or inside of the minified one. */
static int take_map(struct cell *cell, const struct jsfile *minified, struct file_map *bytes,
		    struct jsfile *map, struct err *err)
{
	int fd = -1;
	int got = cell_want(cell, object_role_name(OBJECT_ROLE_SOURCEMAP), TEXT_NONE, TEXT_NONE, &fd,
			    err);
	int rc = -1;

	if (got < 0)
		return -1;
	if (got == CELL_ANSWER_LATE)
		return err_set(err, ERR_TIMEOUT, "the source map came too late");
	if (got == CELL_ANSWER_ABSENT) {
		*map = (struct jsfile){ .text = minified->inside };
		return minified->map == JSFILE_MAP_INSIDE ? 0
			       : err_set(err, ERR_NOT_FOUND, "there is no source map");
	}
	if (file_map_fd(bytes, fd, err) == 0)
		rc = jsfile_open(map, bytes->bytes, bytes->size, err);
	close(fd);
	return rc;
}

/* Where there is no minified file, the map stands for it. */
int convert_run_sourcemap(struct cell *cell, struct err *err)
{
	struct file_map bytes = { NULL, 0 }, map_bytes = { NULL, 0 };
	struct convert_sourcemap made;
	struct jsfile minified, map;
	struct text text;
	int rc = -1;

	if (file_map_fd(&bytes, cell_input(cell, "file"), err) == 0 &&
	    jsfile_open(&minified, bytes.bytes, bytes.size, err) == 0 &&
	    take_map(cell, &minified, &map_bytes, &map, err) == 0) {
		text = memcmp(minified.sha256, map.sha256, sizeof(map.sha256)) == 0 ? TEXT("")
										    : minified.text;
		rc = convert_write_sourcemap(map.text, text, cell->memory_bytes,
					     cell_output(cell, "sourcemap"), &made, err);
	}
	if (rc == 0) {
		write_reply(&made, cell->reply);
		rc = buf_check(cell->reply, err);
	}
	file_unmap(&bytes);
	file_unmap(&map_bytes);
	return rc;
}
