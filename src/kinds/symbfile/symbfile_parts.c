/* symbfile_parts.c -- see symbfile_parts.h. */
#include "kinds/symbfile/symbfile_parts.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/json_writer.h"
#include "config/config.h"
#include "lookup/lookup.h"
#include "work/request_json.h"

#define SOURCE_JSON_BYTES ((size_t)16 * 1024)

/* The folder as a source: what lies there is reached as all files of folders are. */
static const struct source *folder_source(struct work *work, struct err *err)
{
	const char *folder = upload_folder(work->config, &work->arena);
	struct source_list *list = arena_alloc(&work->arena, 1, sizeof(*list));
	struct json_writer json;
	struct cJSON *array;
	struct buf text;
	int rc = -1;

	if (!folder || !list) {
		err_no_memory(err);
		return NULL;
	}
	buf_init(&text, SOURCE_JSON_BYTES);
	json_writer_init(&json, &text);
	json_array(&json);
	json_object(&json);
	json_member_string(&json, "type", "filesystem");
	json_member_string(&json, "id", "symbfiles");
	json_member_string(&json, "path", folder);
	json_key(&json, "layout");
	json_object(&json);
	json_member_string(&json, "type", "unified");
	json_object_end(&json);
	json_object_end(&json);
	json_array_end(&json);
	if (buf_check(&text, err) == 0 &&
	    request_json_parse(buf_text(&text), &work->arena, &array, err) == 0)
		rc = source_list_parse(array, SOURCE_OF_CONFIG, work->config, &work->arena, list, err);
	buf_release(&text);
	return rc == 0 && list->count == 1 ? &list->sources[0] : NULL;
}

int symbfile_derive_make(struct derive *derive, struct text path, struct work *work, struct err *err)
{
	static const struct object_ids no_ids;
	struct location *location = arena_alloc(&work->arena, 1, sizeof(*location));
	struct source_query *query = arena_alloc(&work->arena, 1, sizeof(*query));
	const struct source *source = folder_source(work, err);
	struct text rest;

	if (!location || !query)
		return err_no_memory(err);
	if (!source)
		return -1;
	query->ids = &no_ids;
	*location = (struct location){ .source = source, .type = FILE_TYPE_ELF_DEBUG, .path = path,
				       .query = query };
	location->uri.bytes = arena_printf(&work->arena, "file://%s/%.*s",
					   upload_folder(work->config, &work->arena), (int)path.size, path.bytes);
	if (!location->uri.bytes)
		return err_no_memory(err);
	location->uri.size = strlen(location->uri.bytes);
	*derive = (struct derive){ .kind = &derived_symbfile, .location = location };
	if (lookup_location_text(location, &work->arena, &rest, err) < 0 ||
	    cache_key_make(&derive->key, &work->arena, CACHE_SYMBFILES, TEXT_NONE, rest, err) < 0)
		return -1;
	derive->key.source = source->id;
	derive->object_key = derive->key;
	return 0;
}

static int add_part(struct symbfile_parts *parts, const char *name, const struct file_id *id, struct work *work,
		    struct err *err)
{
	const char *path = upload_folder_path(id, name, &work->arena);

	if (!path)
		return err_no_memory(err);
	if (symbfile_derive_make(&parts->parts[parts->part_count].held.derive, text_of(path), work, err) < 0)
		return -1;
	parts->part_count++;
	return 0;
}

/* Those that are whole, or what they are together. */
static int add_list(struct symbfile_parts *parts, const struct upload_list *list, const struct file_id *id,
		    struct work *work, struct err *err)
{
	if (list->joined)
		return add_part(parts, list->joined, id, work, err);
	for (uint32_t i = 0; i < list->part_count; i++)
		if (list->parts[i] && list->pieces[i] == UPLOAD_WHOLE &&
		    add_part(parts, list->parts[i], id, work, err) < 0)
			return -1;
	return 0;
}

int symbfile_parts_list(struct symbfile_parts *parts, const struct file_id *id, struct work *work,
			struct err *err)
{
	struct upload_list lists[SYMBOLS_KINDS];
	size_t most = 0;

	for (unsigned kind = 0; kind < SYMBOLS_KINDS; kind++) {
		if (upload_list_read(work->config, id, (enum symbols_kind)kind, &work->arena, &lists[kind],
				     err) < 0)
			return -1;
		most += lists[kind].part_count;
	}
	parts->is_listed = true;
	parts->parts = arena_alloc(&work->arena, most, sizeof(*parts->parts));
	parts->indexes = arena_alloc(&work->arena, most, sizeof(*parts->indexes));
	if (!parts->parts || !parts->indexes)
		return err_no_memory(err);
	for (unsigned kind = 0; kind < SYMBOLS_KINDS; kind++)
		if (add_list(parts, &lists[kind], id, work, err) < 0)
			return -1;
	return parts->part_count > 0;
}

static int open_part(void *payload, struct text bytes, struct err *damage)
{
	struct symbfile_part *part = payload;

	return symbfile_index_open(part->index, bytes.bytes, bytes.size, damage);
}

enum resolved symbfile_parts_resolve(struct symbfile_parts *parts, struct held **list, struct work *work,
				     struct resolver *resolver, struct err *err)
{
	enum resolved all = RESOLVED_READY;

	for (size_t i = 0; i < parts->part_count; i++) {
		struct symbfile_part *part = &parts->parts[i];
		const struct held_opening opening = {
			.open = open_part, .payload = part, .arena = &work->arena, .list = list,
		};
		enum resolved one;

		part->index = &parts->indexes[i];
		one = held_resolve(&part->held, &opening, resolver, err);
		if (one == RESOLVED_ERROR || (one == RESOLVED_WAIT && resolver->stops_at_wait))
			return one;
		if (one == RESOLVED_WAIT)
			all = one;
	}
	if (all == RESOLVED_WAIT)
		return all;
	parts->usable_count = 0;
	for (size_t i = 0; i < parts->part_count; i++) {
		struct symbfile_part *part = &parts->parts[i];

		if (!part->held.failure) {
			parts->usable_count++;
			continue;
		}
		/* One without anything in it: it answers nothing. */
		memset(part->index, 0, sizeof(*part->index));
		parts->failure = part->held.failure;
		parts->details = part->held.details;
	}
	return RESOLVED_READY;
}

bool symbfile_parts_are_settled(const struct symbfile_parts *parts)
{
	for (size_t i = 0; i < parts->part_count; i++)
		if (!parts->parts[i].held.is_settled)
			return false;
	return true;
}

void symbfile_parts_release(struct symbfile_parts *parts)
{
	for (size_t i = 0; i < parts->part_count; i++)
		held_release(&parts->parts[i].held);
}
