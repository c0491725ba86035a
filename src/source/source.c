/* source.c -- the list of kinds, and the one way from JSON to locations. */
#include "source/source.h"

#include <cjson/cJSON.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/limits.h"
#include "source/source_filters.h"
#include "source/kind.h"
#include "source/pointer.h"
#include "source/source_layout.h"
#include "source/source_listing.h"

static const struct source_kind *const kinds[] = {
	&source_kind_filesystem, &source_kind_http, &source_kind_s3, &source_kind_gcs,
	&source_kind_sentry,
};

static const struct source_kind *kind_named(struct text name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (text_is(name, kinds[i]->name))
			return kinds[i];
	return NULL;
}

static int parse_common(struct source *source, const struct shape *shape, struct err *err)
{
	int rc;

	source->filters = &source_filters_none;
	source->layout = source_layout_default;
	if (source->kind->is_listed)
		return 0;
	rc = source_filters_parse(shape, &source->filters, err);
	if (shape_goes_on(shape, rc))
		rc |= source_layout_parse(shape, source, err);
	if (shape_goes_on(shape, rc))
		rc |= shape_bool(shape, "is_public", &source->is_public, err);
	if (shape_goes_on(shape, rc))
		rc |= shape_bool(shape, "has_index", &source->has_index, err);
	source->has_index = source->has_index && source_layout_may_have_index(source->layout);
	return rc;
}

/* A proxy reaches what the address guard cannot see: the operator alone may name one. */
static int parse_proxy(struct source *source, const struct shape *shape,
		       const struct source_setup *setup, struct err *err)
{
	static const char *const schemes[] = {
		"http://", "https://", "socks4://", "socks4a://", "socks5://", "socks5h://",
	};
	size_t i = 0;

	if (shape_string(shape, "proxy", SHAPE_OPTIONAL, &source->proxy, err) < 0)
		return -1;
	if (!source->proxy.bytes)
		return 0;
	if (setup->origin != SOURCE_OF_CONFIG)
		return shape_refuse(shape, "proxy", err, "only sources of the config file have one");
	while (i < sizeof(schemes) / sizeof(schemes[0]) &&
	       !text_starts_with(source->proxy, schemes[i]))
		i++;
	if (source->proxy.size > 0 && i == sizeof(schemes) / sizeof(schemes[0]))
		return shape_refuse(shape, "proxy", err, "http://, https://, socks4://, socks4a://, "
				    "socks5:// or socks5h:// is expected, or nothing for no proxy");
	return 0;
}

static int parse_one(struct source *source, const struct shape *shape,
		     const struct source_setup *setup, struct err *err)
{
	struct text type = TEXT_NONE;
	int rc;

	if (!cJSON_IsObject(shape->json))
		return shape_refuse(shape, NULL, err, "an object is expected");
	if (shape_string(shape, "type", SHAPE_REQUIRED, &type, err) < 0)
		return -1;
	source->kind = kind_named(type);
	if (!source->kind)
		return shape_refuse(shape, NULL, err, "unknown type `%.*s`", SHAPE_QUOTED,
				    type.bytes);
	rc = shape_string(shape, "id", SHAPE_REQUIRED, &source->id, err);
	if (shape_goes_on(shape, rc))
		rc |= parse_common(source, shape, err);
	if (shape_goes_on(shape, rc))
		rc |= parse_proxy(source, shape, setup, err);
	if (shape_goes_on(shape, rc) && source_layout_is_symstore(source->layout))
		rc |= source_pointers_parse(shape, setup, &source->pointers, err);
	if (shape_goes_on(shape, rc))
		rc |= source->kind->configure(source, shape, setup, err);
	return rc;
}

int source_place_parse(const struct cJSON *json, const char *place, const struct config *config,
		       struct arena *arena, struct source *source, struct err *err)
{
	const struct source_setup setup = { .origin = SOURCE_OF_CONFIG, .config = config,
					    .is_written_to = true };
	struct shape shape = { .arena = arena, .json = json };
	struct text type = TEXT_NONE;

	snprintf(shape.place, sizeof(shape.place), "%s", place);
	*source = (struct source){ .id = text_of(place), .filters = &source_filters_none,
				   .layout = source_layout_default };
	if (shape_string(&shape, "type", SHAPE_REQUIRED, &type, err) < 0)
		return -1;
	source->kind = kind_named(type);
	if (!source->kind || !source->kind->put)
		return shape_refuse(&shape, NULL, err, "unknown type `%.*s`", SHAPE_QUOTED,
				    type.bytes);
	if (parse_proxy(source, &shape, &setup, err) < 0)
		return -1;
	return source->kind->configure(source, &shape, &setup, err);
}

/* Every value with its type, name and place: two arrays that write the same are the same. */
static void write_identity(const struct cJSON *json, struct buf *out)
{
	const size_t sizes[] = { json->string ? strlen(json->string) : SIZE_MAX,
				 json->valuestring ? strlen(json->valuestring) : SIZE_MAX };

	buf_add(out, &json->type, sizeof(json->type));
	buf_add(out, &json->valuedouble, sizeof(json->valuedouble));
	buf_add(out, sizes, sizeof(sizes));
	if (json->string)
		buf_add(out, json->string, sizes[0]);
	if (json->valuestring)
		buf_add(out, json->valuestring, sizes[1]);
	for (const struct cJSON *child = json->child; child; child = child->next)
		write_identity(child, out);
	buf_add_char(out, ']');
}

static int identify(struct source_list *list, const struct cJSON *array, struct err *err)
{
	struct buf whole;
	int rc;

	buf_init(&whole, SIZE_MAX);
	write_identity(array, &whole);
	rc = buf_check(&whole, err);
	if (rc == 0)
		hash_sha256(whole.bytes, whole.size, list->identity);
	list->has_identity = rc == 0;
	buf_release(&whole);
	return rc;
}

static int reserve(const struct cJSON *array, struct arena *arena, struct source_list *list,
		     struct err *err)
{
	size_t count;

	*list = (struct source_list){ .count = 0 };
	if (!cJSON_IsArray(array))
		return err_set(err, ERR_BAD_SHAPE, "sources: an array is expected");
	count = (size_t)cJSON_GetArraySize(array);
	if (count > LIMIT_SOURCES)
		return err_set(err, ERR_BAD_SHAPE, "sources: more than %u", LIMIT_SOURCES);
	list->sources = arena_alloc(arena, count ? count : 1, sizeof(*list->sources));
	return list->sources ? 0 : err_set(err, ERR_NO_MEMORY, "no room for the sources");
}

int source_list_parse(const struct cJSON *array, enum source_origin origin,
		      const struct config *config, struct arena *arena,
		      struct source_list *list, struct err *err)
{
	const struct source_setup setup = { .origin = origin, .config = config };
	struct shape shape = { .arena = arena };

	if (reserve(array, arena, list, err) < 0)
		return -1;
	cJSON_ArrayForEach(shape.json, array) {
		snprintf(shape.place, sizeof(shape.place), "sources[%zu]", list->count);
		if (parse_one(&list->sources[list->count], &shape, &setup, err) < 0)
			return -1;
		list->count++;
	}
	return identify(list, array, err);
}

/* Cache keys and logs would not tell the two apart. */
static void refuse_twice(const struct shape *shape, const struct source_list *list, struct err *err)
{
	const struct source *source = &list->sources[list->count];

	for (size_t i = 0; i < list->count && source->id.size > 0; i++) {
		if (!text_equal(list->sources[i].id, source->id))
			continue;
		shape_refuse(shape, "id", err, "sources[%zu] is called `%.*s` already", i,
			     SHAPE_QUOTED, source->id.bytes);
		return;
	}
}

int source_list_check(const struct cJSON *array, const struct config *config, struct arena *arena,
		      source_note_fn *note, void *payload, struct err *err)
{
	const struct source_setup setup = { .origin = SOURCE_OF_CONFIG, .config = config };
	struct shape_report report = { .note = note, .payload = payload };
	struct shape shape = { .arena = arena, .report = &report };
	struct shape_keys keys;
	struct source_list list;

	if (reserve(array, arena, &list, err) < 0) {
		note(payload, SOURCE_NOTE_ERROR, "sources", err->text);
		return -1;
	}
	cJSON_ArrayForEach(shape.json, array) {
		snprintf(shape.place, sizeof(shape.place), "sources[%zu]", list.count);
		shape_watch(&shape, &keys);
		/* Without a kind nobody knows which keys it has. */
		if (parse_one(&list.sources[list.count], &shape, &setup, err) < 0 &&
		    err->kind == ERR_NO_MEMORY)
			return -1;
		if (list.sources[list.count].kind)
			shape_tell_unknown(&shape);
		refuse_twice(&shape, &list, err);
		list.count++;
	}
	return report.errors > 0 ? -1 : 0;
}

static int append(struct location_list *list, const struct location *location,
		  struct arena *arena, struct err *err)
{
	if (list->count == list->capacity) {
		size_t capacity = list->capacity ? 2 * list->capacity : 16;
		struct location *grown = arena_alloc(arena, capacity, sizeof(*grown));

		if (!grown)
			return err_set(err, ERR_NO_MEMORY, "no room for locations");
		if (list->count > 0)
			memcpy(grown, list->locations, list->count * sizeof(*grown));
		list->locations = grown;
		list->capacity = capacity;
	}
	list->locations[list->count++] = *location;
	return 0;
}

static int append_type(const struct source *source, struct text index,
		       const struct source_query *query, enum file_type type, struct arena *arena,
		       struct location_list *list, struct err *err)
{
	struct text paths[LAYOUT_PATHS + 1];
	size_t count;

	if (source_layout_paths(source->layout, source->casing, query, type, arena, paths, &count,
				err) < 0)
		return -1;
	if (source->pointers && count > 0 && (type == FILE_TYPE_PDB || type == FILE_TYPE_PE) &&
	    source_pointer_beside(paths[0], arena, &paths[count++], err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct location location = {
			.source = source, .type = type, .path = paths[i], .query = query,
		};

		if (source->has_index && !source_listing_index_holds(index, paths[i]))
			continue;
		if (source->kind->name_location(source, paths[i], arena, &location.uri, err) < 0 ||
		    append(list, &location, arena, err) < 0)
			return -1;
	}
	return 0;
}

static bool is_asked(const struct source *source, const struct source_query *query,
		     enum file_type type)
{
	if ((unsigned)type >= FILE_TYPES || !source_filters_admit_type(source->filters, type))
		return false;
	return query->by == SOURCE_BY_MODULE || source_layout_has_releases(source->layout) ||
	       source_filters_name_type(source->filters, type);
}

static int append_types(const struct source *source, struct text index,
			const struct source_query *query, struct arena *arena,
			struct location_list *list, struct err *err)
{
	if (!source_filters_admit_query(source->filters, query))
		return 0;
	for (size_t i = 0; i < query->type_count; i++)
		if (is_asked(source, query, query->types[i]) &&
		    append_type(source, index, query, query->types[i], arena, list, err) < 0)
			return -1;
	return 0;
}

int source_locations(const struct source *source, const struct source_query *query,
		     struct arena *arena, struct location_list *list, struct err *err)
{
	if (source_is_listed(source))
		return 0;
	return append_types(source, TEXT_NONE, query, arena, list, err);
}

bool source_may_hold(const struct source *source, enum file_type type)
{
	return source_filters_admit_type(source->filters, type) &&
	       (source->kind->is_listed || source_layout_has(source->layout, type));
}

bool source_is_listed(const struct source *source)
{
	return source->kind->is_listed || source->has_index;
}

/* Of the files a server has for a module, those that are of a type wanted, in its order. */
static int append_files(const struct source *source, struct text text,
			const struct source_query *query, struct arena *arena,
			struct location_list *list, struct err *err)
{
	struct location location = { .source = source, .query = query };
	struct text id;

	while (source_listing_take_file(&text, query, &location.type, &id)) {
		char *copy = arena_strndup(arena, id.bytes, id.size);

		if (!copy)
			return err_set(err, ERR_NO_MEMORY, "no room for a location");
		location.path = (struct text){ copy, id.size };
		if (source->kind->name_location(source, location.path, arena, &location.uri,
						err) < 0 ||
		    append(list, &location, arena, err) < 0)
			return -1;
	}
	return 0;
}

int source_listed_locations(const struct source *source, struct text text,
			    const struct source_query *query, struct arena *arena,
			    struct location_list *list, struct err *err)
{
	if (!text.size)
		return 0;
	return source->has_index ? append_types(source, text, query, arena, list, err)
				 : append_files(source, text, query, arena, list, err);
}

int source_artifact_location(const struct source *source, const struct source_query *query,
			     enum file_type type, struct text id, struct text address,
			     struct arena *arena, struct location *location, struct err *err)
{
	const char *path = arena_strndup(arena, id.bytes, id.size);
	const char *where = arena_strndup(arena, address.bytes, address.size);

	if (!path || !where)
		return err_set(err, ERR_NO_MEMORY, "no room for a location");
	*location = (struct location){
		.source = source, .type = type, .query = query, .path = { path, id.size },
		.address = { where, address.size },
	};
	return source->kind->name_location(source, location->path, arena, &location->uri, err);
}

int source_reach(const struct location *location, struct arena *arena, enum source_access *access,
		 int *fd, struct fetch_order *order, struct err *err)
{
	return source_reach_with(location, TEXT_NONE, arena, access, fd, order, err);
}

int source_reach_with(const struct location *location, struct text credential, struct arena *arena,
		      enum source_access *access, int *fd, struct fetch_order *order,
		      struct err *err)
{
	const struct source *source = location->source;

	if (source->kind->reach(location, credential, arena, access, fd, order, err) < 0)
		return -1;
	if (*access == SOURCE_ORDERED)
		order->proxy = source->proxy.bytes;
	return 0;
}

int source_put(const struct location *location, enum source_putting putting, struct text credential,
	       struct fetch_file *file, struct arena *arena, enum source_access *access,
	       struct fetch_order *order, struct err *err)
{
	const struct source *source = location->source;

	if (source->kind->put(location, putting, credential, file, arena, access, order, err) < 0)
		return -1;
	if (*access == SOURCE_ORDERED)
		order->proxy = source->proxy.bytes;
	return 0;
}

bool source_may_share_files(const struct source *source)
{
	return source->kind != &source_kind_gcs || !text_starts_with(source->id, "sentry:");
}

void source_credential_name(const struct source *source, uint8_t name[32])
{
	source->kind->name_credential(source, name);
}

int source_credential_step(const struct source *source, struct source_credential *credential, struct text answer,
		     struct arena *arena, struct err *err)
{
	int more = source->kind->step_credential(source, credential, answer, arena, err);

	if (more > 0 && !credential->order.proxy)
		credential->order.proxy = source->proxy.bytes;
	return more;
}

void source_credential_fail(const struct source *source, struct err *err)
{
	source->kind->fail_credential(err);
}

bool source_lacks(const struct location *location, struct source_absences *absences)
{
	const struct source_kind *kind = location->source->kind;

	return kind->lacks && kind->lacks(location, absences);
}

bool source_find_build_id(const struct source *source, struct text beginning,
			  char out[SOURCE_BUILD_ID_BYTES])
{
	return source->kind->find_build_id && source->kind->find_build_id(source, beginning, out);
}

bool source_is_local(const struct source *source)
{
	return source->kind->is_local;
}
