/* sort_place.c -- where an object goes, and putting it there: written beside, then renamed. */
#include "cli/sort.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "work/request_json.h"

#define ARENA_BYTES ((size_t)256 * 1024 * 1024)
#define TEXT_BYTES  ((size_t)64 * 1024 * 1024)
#define FILE_MODE   0644

/* --- Begin and end --------------------------------------------------------------------------------- */

static int read_target(struct sort *sort, struct err *err)
{
	struct json_writer json;
	struct cJSON *array;
	struct buf text;
	int rc;

	buf_init(&text, TEXT_BYTES);
	json_writer_init(&json, &text);
	json_array(&json);
	json_object(&json);
	json_member_string(&json, "id", "sorted");
	json_member_string(&json, "type", "filesystem");
	json_member_string(&json, "path", sort->options.out);
	json_key(&json, "layout");
	json_object(&json);
	json_member_string(&json, "type", sort->options.layout);
	json_object_end(&json);
	json_object_end(&json);
	json_array_end(&json);
	rc = buf_check(&text, err);
	if (rc == 0)
		rc = request_json_parse(buf_text(&text), &sort->arena, &array, err);
	if (rc == 0)
		rc = source_list_parse(array, SOURCE_OF_CONFIG, sort->config, &sort->arena, &sort->target, err);
	buf_release(&text);
	return rc;
}

int sort_begin(struct sort *sort, struct err *err)
{
	arena_init(&sort->arena, ARENA_BYTES);
	map_init(&sort->ids);
	return read_target(sort, err) < 0 ? -1 : file_make_folders(sort->options.out, 0755, err);
}

void sort_release(struct sort *sort)
{
	map_release(&sort->ids);
	arena_release(&sort->arena);
}

/* --- Which place ----------------------------------------------------------------------------------- */

enum file_type sort_file_type(const struct sorted_object *object)
{
	static const struct { const char *format, *kind; enum file_type type; } types[] = {
		{ "elf", "exe", FILE_TYPE_ELF_CODE },       { "elf", "lib", FILE_TYPE_ELF_CODE },
		{ "elf", "dbg", FILE_TYPE_ELF_DEBUG },      { "elf", "rel", FILE_TYPE_ELF_DEBUG },
		{ "macho", "dbg", FILE_TYPE_MACH_DEBUG },   { "macho", "exe", FILE_TYPE_MACH_CODE },
		{ "macho", "lib", FILE_TYPE_MACH_CODE },    { "macho", "other", FILE_TYPE_MACH_CODE },
		{ "pe", NULL, FILE_TYPE_PE },               { "pdb", NULL, FILE_TYPE_PDB },
		{ "portablepdb", NULL, FILE_TYPE_PORTABLEPDB },
		{ "wasm", "dbg", FILE_TYPE_WASM_DEBUG },    { "wasm", NULL, FILE_TYPE_WASM_CODE },
		{ "proguard", NULL, FILE_TYPE_PROGUARD },
		{ "breakpad", NULL, FILE_TYPE_BREAKPAD },   { "sourcebundle", NULL, FILE_TYPE_SOURCEBUNDLE },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (text_is(object->format, types[i].format) &&
		    (!types[i].kind || text_is(object->kind, types[i].kind)))
			return types[i].type;
	return FILE_TYPES;
}

int sort_path(const struct sort *sort, const struct sorted_object *object, enum file_type type,
	      struct arena *arena, struct text *path, struct err *err)
{
	struct source_query *query = arena_alloc(arena, 1, sizeof(*query));
	enum file_type *types = arena_alloc(arena, 1, sizeof(*types));
	struct location_list list = { .count = 0 };

	*path = TEXT_NONE;
	if (!query || !types)
		return err_set(err, ERR_NO_MEMORY, "no memory for a place");
	*types = type;
	*query = (struct source_query){ .ids = &object->ids, .types = types, .type_count = 1 };
	if (type == FILE_TYPE_PROGUARD)
		query->by = SOURCE_BY_UUID;
	if (source_locations(&sort->target.sources[0], query, arena, &list, err) < 0)
		return -1;
	if (list.count > 0)
		*path = list.locations[0].path;
	return 0;
}

/* --- Putting it there ------------------------------------------------------------------------------ */

static int name_place(const struct sort *sort, struct text path, const char *more, char place[PATH_MAX],
		      struct err *err)
{
	if ((size_t)snprintf(place, PATH_MAX, "%s/%.*s%s", sort->options.out, (int)path.size, path.bytes,
			     more) >= PATH_MAX)
		return err_set(err, ERR_IO, "a place with a name of %zu bytes and more", path.size);
	return 0;
}

struct sort_packing { enum pack_kind packing; int fd; };

static int pack(int out, void *payload, struct err *err)
{
	const struct sort_packing *packed = payload;

	return pack_file(packed->packing, packed->fd, out, err);
}

/* 1: written; 0: there is one already; -1. */
static int put(const struct sort *sort, const char *place, enum pack_kind packing, int fd, bool replaces,
	       struct err *err)
{
	if (!replaces && access(place, F_OK) == 0)
		return 0;
	return file_make(sort->options.out, place, FILE_MODE, pack, &(struct sort_packing){ packing, fd }, err) < 0
		? -1 : 1;
}

static int put_text(const struct sort *sort, const char *place, struct text text, bool replaces,
		    struct err *err)
{
	if (!replaces && access(place, F_OK) == 0)
		return 0;
	return file_put(sort->options.out, place, text.bytes ? text.bytes : "", text.size, FILE_MODE, err);
}

static bool is_unified(const struct sort *sort)
{
	return strcmp(sort->options.layout, "unified") == 0;
}

/* Of the unified layout: what the file was called, and which bundles it is in. */
static int tell_beside(struct sort *sort, const struct sorted_object *object, struct text path,
		       struct err *err)
{
	const char *slash = memrchr(path.bytes, '/', path.size);
	struct text folder = { path.bytes, slash ? (size_t)(slash - path.bytes) : 0 };
	struct json_writer json;
	char place[PATH_MAX];
	struct buf text;
	int rc;

	buf_init(&text, TEXT_BYTES);
	json_writer_init(&json, &text);
	json_object(&json);
	json_member_text(&json, "name", object->name);
	json_member_text(&json, "arch", object->arch);
	json_member_text(&json, "file_format", object->format);
	json_object_end(&json);
	rc = buf_check(&text, err);
	if (rc == 0)
		rc = name_place(sort, path, ".meta", place, err);
	if (rc == 0)
		rc = put_text(sort, place, buf_text(&text), false, err);
	buf_release(&text);
	if (rc < 0 || !sort->options.bundle_id)
		return rc;
	if ((size_t)snprintf(place, sizeof(place), "%s/%.*s/refs/%s", sort->options.out, (int)folder.size,
			     folder.bytes, sort->options.bundle_id) >= sizeof(place))
		return err_set(err, ERR_IO, "the name of a place is too long");
	return put_text(sort, place, TEXT(""), false, err);
}

/* "ab/cdef/debuginfo" is abcdef. */
static int keep_id(struct sort *sort, struct text path, struct err *err)
{
	const char *last = memrchr(path.bytes, '/', path.size);
	char *id = arena_alloc(&sort->arena, path.size + 1, 1);
	size_t size = 0;

	if (!id)
		return err_set(err, ERR_NO_MEMORY, "no memory for an id");
	for (const char *at = path.bytes; at < last; at++)
		if (*at != '/')
			id[size++] = *at;
	if (map_get(&sort->ids, (struct text){ id, size }) || size == 0)
		return 0;
	return map_put(&sort->ids, (struct text){ id, size }, sort) < 0
	       ? err_set(err, ERR_NO_MEMORY, "no memory for an id") : 0;
}

int sort_place(struct sort *sort, const struct sorted_object *object, struct text path, int fd,
	       struct arena *arena, struct err *err)
{
	char place[PATH_MAX];
	int put_there;

	(void)arena;
	if (name_place(sort, path, "", place, err) < 0)
		return -1;
	if (is_unified(sort) && (tell_beside(sort, object, path, err) < 0 || keep_id(sort, path, err) < 0))
		return -1;
	put_there = put(sort, place, sort->options.packing, fd, false, err);
	if (put_there < 0 || sort->options.is_quiet)
		return put_there;
	printf("%.*s (%.*s, %.*s) -> %s%s\n", (int)object->name.size, object->name.bytes,
	       (int)object->kind.size, object->kind.bytes, (int)object->arch.size, object->arch.bytes, place,
	       put_there ? "" : " (is there)");
	return put_there;
}

/* --- The bundle's own page ------------------------------------------------------------------------- */

int sort_end(struct sort *sort, struct err *err)
{
	char place[PATH_MAX], now[32];
	time_t seconds = time(NULL);
	struct json_writer json;
	struct buf text;
	struct text id;
	struct tm utc;
	size_t at = 0;
	void *value;
	int rc;

	if (!sort->options.bundle_id || !is_unified(sort))
		return 0;
	strftime(now, sizeof(now), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
	buf_init(&text, TEXT_BYTES);
	json_writer_init(&json, &text);
	json_object(&json);
	json_member_string(&json, "name", sort->options.bundle_id);
	json_member_string(&json, "timestamp", now);
	json_key(&json, "debug_ids");
	json_array(&json);
	while (map_next(&sort->ids, &at, &id, &value))
		json_text(&json, id);
	json_array_end(&json);
	json_object_end(&json);
	rc = buf_check(&text, err);
	if (rc == 0 && (size_t)snprintf(place, sizeof(place), "%s/bundles/%s", sort->options.out,
					sort->options.bundle_id) >= sizeof(place))
		rc = err_set(err, ERR_IO, "the name of a place is too long");
	if (rc == 0)
		rc = put_text(sort, place, buf_text(&text), true, err);
	buf_release(&text);
	return rc;
}
