/* manifest.c -- see manifest.h. */
#include "object/bundle/manifest.h"

#include <stdlib.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/err.h"

static const cJSON *member(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* Besides the two it knows, everything is a text. */
static int check_members(const cJSON *json, struct err *err)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, json) {
		struct text name = text_of(item->string);
		bool is_table = text_is(name, "files") || text_is(name, "source_links");

		if (is_table ? cJSON_IsObject(item) : cJSON_IsString(item))
			continue;
		return err_set(err, ERR_MALFORMED, "manifest.json: \"%.64s\" is no %s", item->string,
			       is_table ? "object" : "text");
	}
	return 0;
}

static int read_text(const cJSON *file, const char *name, struct text *text, struct err *err)
{
	const cJSON *item = member(file, name);

	*text = text_of(cJSON_GetStringValue(item));
	if (item && !text->bytes)
		return err_set(err, ERR_MALFORMED, "manifest.json: %s of a file is no text", name);
	return 0;
}

static int read_type(const cJSON *file, enum object_source_type *type, struct err *err)
{
	static const char *const names[OBJECT_SOURCE_TYPES] = {
		[OBJECT_SOURCE_PLAIN] = "source",   [OBJECT_SOURCE_MINIFIED] = "minified_source",
		[OBJECT_SOURCE_MAP] = "source_map", [OBJECT_SOURCE_RAM_BUNDLE] = "indexed_ram_bundle",
	};
	struct text name;

	*type = OBJECT_SOURCE_UNTYPED;
	if (read_text(file, "type", &name, err) < 0)
		return -1;
	for (unsigned i = 0; i < OBJECT_SOURCE_TYPES && name.bytes; i++)
		if (names[i] && text_is(name, names[i]))
			*type = (enum object_source_type)i;
	if (name.bytes && *type == OBJECT_SOURCE_UNTYPED)
		return err_set(err, ERR_MALFORMED, "manifest.json: `%.32s` is no type of a file",
			       name.bytes);
	return 0;
}

/* Names are lowered where they stand: they are the manifest's own. */
static int read_headers(const cJSON *file, struct text_map *headers, struct arena *arena,
			struct err *err)
{
	const cJSON *object = member(file, "headers"), *item;
	struct text_pair *pairs;

	if (!object)
		return 0;
	if (!cJSON_IsObject(object))
		return err_set(err, ERR_MALFORMED, "manifest.json: headers of a file are no object");
	pairs = arena_alloc(arena, (size_t)cJSON_GetArraySize(object), sizeof(*pairs));
	if (!pairs)
		return err_set(err, ERR_NO_MEMORY, "no memory for headers");
	headers->pairs = pairs;
	cJSON_ArrayForEach(item, object) {
		if (!cJSON_IsString(item))
			return err_set(err, ERR_MALFORMED, "manifest.json: a header is no text");
		for (char *at = item->string; *at; at++)
			*at = ascii_lower(*at);
		pairs[headers->count++] = (struct text_pair){ text_of(item->string),
							      text_of(item->valuestring) };
	}
	return 0;
}

struct text manifest_header(const struct manifest_file *file, const char *name)
{
	for (size_t i = file->headers.count; i > 0; i--)
		if (text_is(file->headers.pairs[i - 1].name, name))
			return file->headers.pairs[i - 1].value;
	return TEXT_NONE;
}

static int compare_files(const void *left, const void *right)
{
	const struct manifest_file *a = left, *b = right;

	return strcmp(a->zip_path.bytes, b->zip_path.bytes);
}

static int read_files(struct manifest *manifest, const cJSON *files, struct arena *arena,
		      struct err *err)
{
	size_t count = files ? (size_t)cJSON_GetArraySize(files) : 0;
	const cJSON *item;

	manifest->files = arena_alloc(arena, count, sizeof(*manifest->files));
	if (!manifest->files)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu files", count);
	cJSON_ArrayForEach(item, files) {
		struct manifest_file *file = &manifest->files[manifest->file_count++];

		file->zip_path = text_of(item->string);
		if (!cJSON_IsObject(item))
			return err_set(err, ERR_MALFORMED, "manifest.json: a file is no object");
		if (read_text(item, "path", &file->path, err) < 0 ||
		    read_text(item, "url", &file->url, err) < 0 ||
		    read_type(item, &file->type, err) < 0 ||
		    read_headers(item, &file->headers, arena, err) < 0)
			return -1;
	}
	if (count > 1)
		qsort(manifest->files, count, sizeof(*manifest->files), compare_files);
	return 0;
}

int manifest_read(struct manifest *manifest, struct text json, struct arena *arena,
		  struct err *err)
{
	const cJSON *links, *item;

	*manifest = (struct manifest){ .json = NULL };
	if (!text_is_utf8(json))
		return err_set(err, ERR_MALFORMED, "manifest.json is no UTF-8");
	manifest->json = cJSON_ParseWithLength(json.bytes, json.size);
	if (!cJSON_IsObject(manifest->json))
		return err_set(err, ERR_MALFORMED, "manifest.json is no JSON object");
	links = member(manifest->json, "source_links");
	if (check_members(manifest->json, err) < 0)
		return -1;
	cJSON_ArrayForEach(item, links)
		if (!cJSON_IsString(item))
			return err_set(err, ERR_MALFORMED, "manifest.json: a source link is no text");
	return read_files(manifest, member(manifest->json, "files"), arena, err);
}

void manifest_release(struct manifest *manifest)
{
	cJSON_Delete(manifest->json);
	manifest->json = NULL;
}

struct text manifest_attribute(const struct manifest *manifest, const char *name)
{
	return text_of(cJSON_GetStringValue(member(manifest->json, name)));
}

int manifest_each_link(const struct manifest *manifest,
		       int (*fn)(void *payload, struct text pattern, struct text url,
				 struct err *err), void *payload, struct err *err)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, member(manifest->json, "source_links"))
		if (fn(payload, text_of(item->string), text_of(item->valuestring), err) < 0)
			return -1;
	return 0;
}
