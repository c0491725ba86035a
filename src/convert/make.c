/* make.c -- in a cell: from an object and its companions to a SymCache. */
#include "convert/convert_internal.h"

#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "base/mem.h"
#include "sandbox/sandbox.h"
#include "symcache/symcache.h"

#define THREADS_MAX 64u
#define OBJECT_WANTS_MAX (LIMIT_CELL_WANTS - 1)  /* one is the line map */

struct asking {
	struct object_want asked[OBJECT_WANTS_MAX];
	unsigned count;
};

static bool was_asked(const struct asking *asking, const struct object_want *want)
{
	for (unsigned i = 0; i < asking->count; i++)
		if (asking->asked[i].role == want->role &&
		    text_equal(asking->asked[i].id, want->id) &&
		    text_equal(asking->asked[i].name, want->name))
			return true;
	return false;
}

/* A companion that turns out to be broken is as good as absent: the object works without.
 * But for a map of names: hidden ones would be remembered as if there had been no map. */
static int attach(struct object *object, enum object_role role, int fd, struct err *err)
{
	struct file_map map;         /* stays mapped: the object borrows it until the cell ends */
	struct err why = ERR_INIT;

	if (file_map_fd(&map, fd, err) < 0)
		return -1;
	if (object_attach(object, role, map.bytes, map.size, &why) == 0)
		return 0;
	if (role != OBJECT_ROLE_BCSYMBOLMAP &&
	    (why.kind == ERR_MALFORMED || why.kind == ERR_UNSUPPORTED ||
	     why.kind == ERR_NOT_FOUND))
		return 0;
	*err = why;
	return err_while(err, "attaching the %s companion", object_role_name(role));
}

static int ask_for(struct cell *cell, struct object *object, const struct object_want *want,
		   struct err *err)
{
	int fd;
	int got = cell_want(cell, object_role_name(want->role), want->id, want->name, &fd, err);
	int rc;

	if (got != CELL_ANSWER_FILE)
		return got < 0 ? -1 : 0;
	rc = attach(object, want->role, fd, err);
	close(fd);
	return rc;
}

/* One companion may bring wants of its own, so the list is read anew after each. */
static int ask_for_companions(struct cell *cell, struct object *object, struct err *err)
{
	struct asking asking = { .count = 0 };

	for (size_t i = 0; i < object->want_count && asking.count < OBJECT_WANTS_MAX; i++) {
		struct object_want want = object->wants[i];

		if (!convert_may_tell(&want) || was_asked(&asking, &want))
			continue;
		asking.asked[asking.count++] = want;
		if (ask_for(cell, object, &want, err) < 0)
			return -1;
	}
	return 0;
}

static int ask_for_split_units(struct cell *cell, struct object *object, struct err *err)
{
	if (object_want_split_units(object, err) < 0)
		return -1;
	for (size_t i = 0; i < object->want_count; i++) {
		const struct object_want *want = &object->wants[i];

		if (want->role == OBJECT_ROLE_DWO && convert_may_tell(want) &&
		    ask_for(cell, object, want, err) < 0)
			return -1;
	}
	return 0;
}

/* No object says that it has a line map: whoever looks for one knows.  It stays mapped until
 * the cell ends; a broken one is not to be remembered as none. */
static int ask_for_line_map(struct cell *cell, struct text *lines, struct err *err)
{
	struct file_map map;
	int fd, rc;
	int got = cell_want(cell, object_role_name(OBJECT_ROLE_IL2CPP), TEXT_NONE, TEXT_NONE, &fd,
			    err);

	if (got != CELL_ANSWER_FILE)
		return got < 0 ? -1 : 0;
	rc = file_map_fd(&map, fd, err);
	if (rc == 0)
		*lines = (struct text){ (const char *)map.bytes, map.size };
	close(fd);
	return rc;
}

static void write_reply(const struct symcache_report *report, struct buf *out)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	json_member_u64(&json, "units", report->units);
	json_member_u64(&json, "bad_units", report->bad_units);
	json_member_u64(&json, "ranges", report->ranges);
	json_member_u64(&json, "bytes", report->bytes);
	json_member_u64(&json, "steps", report->steps);
	if (report->first_bad[0])
		json_member_string(&json, "first_bad", report->first_bad);
	json_object_end(&json);
}

static int write_symcache(struct cell *cell, struct object *object,
			  const struct convert_symcache *wish, struct err *err)
{
	struct symcache_options options = { .threads = wish->threads,
					    .memory_bytes = cell->memory_bytes,
					    .of_variables = wish->of_variables };
	struct symcache_report report;

	memset(&report, 0, sizeof(report));
	object->wants_variables = wish->of_variables;
	object->takes_units = true;
	if (ask_for_line_map(cell, &options.line_map, err) < 0 ||
	    ask_for_companions(cell, object, err) < 0 ||
	    (wish->wants_split_units && ask_for_split_units(cell, object, err) < 0) ||
	    object_prepare(object, err) < 0 ||
	    symcache_write(object, &options, cell_output(cell, "symcache"), &report, err) < 0)
		return -1;
	write_reply(&report, cell->reply);
	return buf_check(cell->reply, err);
}

static int read_parameters(struct text parameters, struct convert_symcache *wish, struct err *err)
{
	uint64_t threads;
	cJSON *object;

	if (convert_json_parse(parameters, &object, err) < 0)
		return -1;
	threads = convert_json_u64(object, "threads");
	object_section_max_bytes = convert_json_size(object, "max_section_bytes");
	wish->threads = threads > THREADS_MAX ? THREADS_MAX : (unsigned)threads;
	wish->wants_split_units = convert_json_bool(object, "wants_split_units");
	wish->of_variables = convert_json_bool(object, "of_variables");
	cJSON_Delete(object);
	return 0;
}

int convert_run_symcache(struct cell *cell, struct err *err)
{
	struct file_map map = { NULL, 0 };
	struct object object;
	struct arena arena;
	struct convert_symcache wish;
	int rc = -1;

	mem_keep_no_large_blocks();
	arena_init(&arena, cell->memory_bytes);
	if (read_parameters(cell->parameters, &wish, err) == 0 &&
	    file_map_fd(&map, cell_input(cell, "object"), err) == 0 &&
	    object_open(&object, map.bytes, map.size, &arena, err) == 0) {
		rc = write_symcache(cell, &object, &wish, err);
		object_release(&object);
	}
	file_unmap(&map);
	arena_release(&arena);
	return rc;
}
