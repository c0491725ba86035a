/* look.c -- see look.h. */
#include "object/look.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "support/support.h"

#define LOOK_ARENA_BYTES ((size_t)256 << 20)
#define COMPANIONS_MOST  4u

struct look {
	struct object object;
	struct arena arena, scratch;
	struct file_map maps[COMPANIONS_MOST];
	size_t map_count;
	struct buf *out;             /* NULL: only read */
};

bool look_wants_variables, look_takes_units, look_was_given_units;

static void tell(struct look *look, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void tell(struct look *look, const char *fmt, ...)
{
	va_list ap;

	if (!look->out)
		return;
	va_start(ap, fmt);
	buf_vprintf(look->out, fmt, ap);
	va_end(ap);
}

/* ck_assert() tells Check at every call, which is a write: too dear in here. */
#define ENSURE(condition) \
	((condition) ? (void)0 : ck_abort_msg("%s:%d: not so: %s", __FILE__, __LINE__, #condition))

#define SHOWN(text) (int)(text).size, (text).bytes ? (text).bytes : ""

static void tell_head(struct look *look)
{
	const struct object *object = &look->object;
	char id[DEBUGID_TEXT_BYTES];

	debugid_format(&object->debug_id, id);
	tell(look, "object %s %s %s%s%s%s\n", object->format->name, arch_name(object->arch),
	     object_kind_name(object->kind),
	     object->offers & OBJECT_OFFERS_SYMBOLS ? " symbols" : "",
	     object->offers & OBJECT_OFFERS_DEBUG ? " debug" : "",
	     object->offers & OBJECT_OFFERS_UNWIND ? " unwind" : "");
	tell(look, "id %s\ncode %.*s\nfile %.*s\nload %" PRIx64 "\n", id, SHOWN(object->code_id),
	     SHOWN(object->debug_file), object->load_address);
	if (object->srcsrv_vcs.size > 0)
		tell(look, "vcs %.*s\n", SHOWN(object->srcsrv_vcs));
	for (size_t i = 0; i < object->want_count; i++)
		tell(look, "want %s %.*s %.*s %08x\n", object_role_name(object->wants[i].role),
		     SHOWN(object->wants[i].id), SHOWN(object->wants[i].name),
		     object->wants[i].crc);
}

static void tell_file(struct look *look, const struct object_file_name *files, uint32_t file)
{
	if (file == OBJECT_NO_FILE)
		tell(look, "?");
	else
		tell(look, "%.*s%s%.*s", SHOWN(files[file].directory),
		     files[file].directory.size > 0 ? "/" : "", SHOWN(files[file].name));
}

/* Names and types in turn, each once and whole. */
static void tell_variables(struct look *look, struct text name, struct text list)
{
	const char *at = list.bytes, *end = list.bytes + list.size;
	unsigned count = 0;

	ENSURE(list.size == 0 || (look_wants_variables && end[-1] == '\0'));
	if (list.size == 0)
		return;
	tell(look, "holds %.*s", SHOWN(name));
	for (; at < end; at += strlen(at) + 1, count++)
		tell(look, count % 2 ? " %s" : count ? ", %s" : " %s", at);
	tell(look, "\n");
	ENSURE(count % 2 == 0);
}

static int tell_function(void *payload, const struct object_file_name *files, size_t file_count,
			 const struct object_function *function, struct err *err)
{
	struct look *look = payload;
	uint64_t end = function->range.address + function->range.size, at = 0;

	(void)err;
	tell(look, "function %" PRIx64 "+%" PRIx64 " %.*s\n", function->range.address,
	     function->range.size, SHOWN(function->name));
	ENSURE(function->range.size > 0);
	tell_variables(look, function->name, function->variables);
	for (size_t i = 0; i < function->line_count; i++) {
		const struct object_line *line = &function->lines[i];

		ENSURE(line->file == OBJECT_NO_FILE || line->file < file_count);
		ENSURE(line->address >= function->range.address && line->address < end);
		ENSURE(i == 0 || line->address > at);
		at = line->address;
		tell(look, "line %" PRIx64 " ", line->address);
		tell_file(look, files, line->file);
		tell(look, ":%u\n", line->line);
	}
	for (size_t i = 0; i < function->inlinee_count; i++) {
		const struct object_inlinee *inlinee = &function->inlinees[i];

		ENSURE(inlinee->parent == OBJECT_NO_PARENT || inlinee->parent < i);
		ENSURE(inlinee->call_file == OBJECT_NO_FILE ||
			  inlinee->call_file < file_count);
		tell(look, "inline %zu in %d %.*s called ", i, (int)inlinee->parent,
		     SHOWN(inlinee->name));
		tell_file(look, files, inlinee->call_file);
		tell(look, ":%u", inlinee->call_line);
		for (size_t r = 0; r < inlinee->range_count; r++)
			tell(look, " %" PRIx64 "+%" PRIx64, inlinee->ranges[r].address,
			     inlinee->ranges[r].size);
		tell(look, "\n");
		tell_variables(look, inlinee->name, inlinee->variables);
	}
	return 0;
}

static int tell_symbol(void *payload, const struct object_symbol *symbol)
{
	tell(payload, "symbol %" PRIx64 "+%" PRIx64 " %.*s\n", symbol->address, symbol->size,
	     SHOWN(symbol->name));
	return 0;
}

static int tell_taken_units(struct look *look, struct err *err)
{
	struct object_sink sink = { look, tell_function };
	struct object_taken taken = { .state = NULL };
	size_t expected = 0;
	int more;

	while ((more = object_take_unit(&look->object, &taken, err)) > 0) {
		struct err here = ERR_INIT;
		char name[96];

		ENSURE(taken.unit == expected++);
		look->object.format->taken_name(&look->object, &taken, name, sizeof(name));
		if (object_read_taken(&look->object, &taken, &look->scratch, &sink, &here) == 0)
			continue;
		if (here.kind == ERR_NO_MEMORY) {
			*err = here;
			return -1;
		}
		tell(look, "unit error: %s\n", here.text);
	}
	object_units_done(&look->object);
	return more;
}

static int tell_units(struct look *look, struct err *err)
{
	struct object_sink sink = { look, tell_function };

	look_was_given_units = look->object.gives_units;
	if (look->object.gives_units)
		return tell_taken_units(look, err);
	for (size_t i = 0; i < object_unit_count(&look->object); i++) {
		struct err here = ERR_INIT;

		if (object_read_unit(&look->object, i, &look->scratch, &sink, &here) == 0)
			continue;
		if (here.kind == ERR_NO_MEMORY) {
			*err = here;
			return -1;
		}
		tell(look, "unit error: %s\n", here.text);
	}
	return 0;
}

static int tell_method(void *payload, const struct object_document *documents, size_t count,
		       const struct object_method *method, struct err *err)
{
	struct look *look = payload;

	(void)err;
	tell(look, "method %u", method->number);
	if (method->kickoff)
		tell(look, " of %u", method->kickoff);
	tell(look, "\n");
	for (size_t i = 0; i < method->point_count; i++) {
		const struct object_point *point = &method->points[i];

		ENSURE(point->document < count);
		ENSURE(i == 0 || point->offset > point[-1].offset);
		tell(look, "point %u %.*s:%u %s\n", point->offset,
		     SHOWN(documents[point->document].name), point->line,
		     language_name(documents[point->document].language));
	}
	return 0;
}

/* What only files of JavaScript have. */
static void tell_artifact(struct look *look, const struct object_source *source)
{
	char id[DEBUGID_TEXT_BYTES];

	ENSURE(source->type < OBJECT_SOURCE_TYPES);
	debugid_format(&source->debug_id, id);
	tell(look, "artifact type %d %s %.*s map %.*s headers", (int)source->type, id,
	     SHOWN(source->url), SHOWN(source->source_map));
	for (size_t i = 0; i < source->headers.count; i++)
		tell(look, " %.*s=%.*s", SHOWN(source->headers.pairs[i].name),
		     SHOWN(source->headers.pairs[i].value));
	tell(look, "\n");
}

static int tell_source(void *payload, const struct object_source *source, struct err *err)
{
	struct look *look = payload;

	(void)err;
	if (source->type > OBJECT_SOURCE_PLAIN || source->debug_id.kind || source->source_map.bytes)
		tell_artifact(look, source);
	tell(look, "source %.*s ", SHOWN(source->path));
	if (source->trouble[0])
		tell(look, "%s\n", source->trouble);
	else if (source->is_inside)
		tell(look, "%" PRIu64 " bytes\n", source->size);
	else
		tell(look, "linked%s%.*s\n", source->url.size ? " " : "", SHOWN(source->url));
	return 0;
}

static int tell_link(void *payload, const struct object_source_link *link, struct err *err)
{
	(void)err;
	tell(payload, "pattern %.*s %.*s\n", SHOWN(link->pattern), SHOWN(link->url));
	return 0;
}

/* A program may hold a Portable PDB, most do not. */
static int has_none(struct err *err)
{
	if (err->kind != ERR_UNSUPPORTED)
		return -1;
	err_clear(err);
	return 0;
}

/* Managed code and sources, of formats that may have them. */
static int tell_more(struct look *look, struct err *err)
{
	struct object_managed_sink methods = { look, tell_method };
	struct object_source_sink sources = { look, tell_source, tell_link };
	struct object_managed_report report;
	const struct object_format *format = look->object.format;

	if (format->each_method) {
		if (object_each_method(&look->object, &look->scratch, &methods, &report, err) < 0)
			return has_none(err);
		if (report.bad_methods)
			tell(look, "bad methods %zu: %s\n", report.bad_methods, report.first_bad);
	}
	if (!format->each_source)
		return 0;
	if (object_each_source(&look->object, &look->scratch, &sources, err) < 0)
		return has_none(err);
	return 0;
}

static int attach_those(struct look *look, const struct look_companion *companions, size_t count,
			bool split_units, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		struct file_map *map = &look->maps[look->map_count];

		if (!companions[i].path || (companions[i].role == OBJECT_ROLE_DWO) != split_units)
			continue;
		*map = support_map(companions[i].path);
		look->map_count++;
		if (object_attach(&look->object, companions[i].role, map->bytes, map->size,
				  err) < 0)
			return -1;
	}
	return 0;
}

static int attach_all(struct look *look, const struct look_companion *companions, size_t count,
		      struct err *err)
{
	if (attach_those(look, companions, count, false, err) < 0 ||
	    object_want_split_units(&look->object, err) < 0)
		return -1;
	return attach_those(look, companions, count, true, err);
}

int look_bytes(const void *bytes, size_t size, const struct look_companion *companions,
	       size_t count, struct buf *out, struct err *err)
{
	struct look look = { .out = out };
	int rc;

	arena_init(&look.arena, LOOK_ARENA_BYTES);
	arena_init(&look.scratch, LOOK_ARENA_BYTES);
	rc = object_open(&look.object, bytes, size, &look.arena, err);
	look.object.wants_variables = look_wants_variables;
	look.object.takes_units = look_takes_units;
	if (rc == 0)
		rc = attach_all(&look, companions, count, err);
	if (rc == 0) {
		tell_head(&look);
		rc = object_prepare(&look.object, err);
	}
	if (rc == 0)
		rc = object_each_symbol(&look.object, tell_symbol, &look, err);
	if (rc == 0)
		rc = tell_units(&look, err);
	if (rc == 0)
		rc = tell_more(&look, err);
	object_release(&look.object);
	for (size_t i = 0; i < look.map_count; i++)
		file_unmap(&look.maps[i]);
	arena_release(&look.scratch);
	arena_release(&look.arena);
	return rc;
}

#define KEPT_MOST 256u

const char *look_keep(const struct buf *out)
{
	static struct buf kept[KEPT_MOST];
	static size_t count;

	if (count == KEPT_MOST)
		ck_abort_msg("more than %u texts in one test", KEPT_MOST);
	kept[count] = *out;
	return buf_string(&kept[count++]);
}

size_t look_count(const char *text, const char *start)
{
	const char *end = text + strlen(text);
	size_t size = strlen(start), count = 0;

	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		count += (size_t)(end - text) >= size && memcmp(text, start, size) == 0;
		text = stop ? stop + 1 : end;
	}
	return count;
}

const char *look_with(const char *path, enum object_role role, const char *companion)
{
	struct look_companion one = { role, companion };
	struct file_map map = support_map(path);
	struct err err = ERR_INIT;
	struct buf out;

	buf_init(&out, LOOK_TEXT_BYTES);
	if (look_bytes(map.bytes, map.size, &one, 1, &out, &err) < 0)
		ck_abort_msg("%s: %s", path, err.text);
	file_unmap(&map);
	return look_keep(&out);
}

const char *look_path(const char *path)
{
	return look_with(path, OBJECT_ROLE_DWZ, NULL);
}

bool look_has(const char *text, const char *start, const char *rest)
{
	size_t size = strlen(start), rest_size = strlen(rest);

	for (const char *at = text; at && *at; at = strchr(at, '\n')) {
		const char *end;

		at += *at == '\n';
		end = strchrnul(at, '\n');
		if ((size_t)(end - at) >= size && memcmp(at, start, size) == 0 &&
		    memmem(at + size, (size_t)(end - at) - size, rest, rest_size))
			return true;
	}
	return false;
}

void look_survive(void *payload, const uint8_t *bytes, size_t size)
{
	struct err err = ERR_INIT;

	(void)payload;
	if (look_bytes(bytes, size, NULL, 0, NULL, &err) < 0)
		ENSURE(err.text[0] != '\0');
}

int look_work(void *payload, struct err *err)
{
	const struct look_input *input = payload;

	return look_bytes(input->bytes, input->size, input->companions, input->count, NULL, err);
}
