/* source_filters.c -- see source_filters.h. */
#include "source/source_filters.h"

#include <cjson/cJSON.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"

const struct source_filters source_filters_none = { .file_types = 0 };

static int parse_type(const struct shape *shape, const struct cJSON *item, unsigned index,
		      struct source_filters *filters, struct err *err)
{
	struct text name = shape_text(item);
	enum file_type type;
	char key[32];

	snprintf(key, sizeof(key), "filetypes[%u]", index);
	if (!name.bytes)
		return shape_refuse(shape, key, err, "a string is expected");
	if (!file_type_named(name, &type))
		return shape_refuse(shape, key, err, "unknown file type `%.*s`", SHAPE_QUOTED,
				    name.bytes);
	filters->file_types |= 1u << type;
	return 0;
}

static int parse_types(const struct shape *shape, struct source_filters *filters, struct err *err)
{
	const struct cJSON *array, *item;
	unsigned index = 0;
	int rc = 0;

	if (shape_array(shape, "filetypes", &array, err) < 0)
		return -1;
	cJSON_ArrayForEach(item, array)
		if (shape_goes_on(shape, rc))
			rc |= parse_type(shape, item, index++, filters, err);
	return rc;
}

static int parse_patterns(const struct shape *shape, struct source_filters *filters,
			  struct err *err)
{
	const struct cJSON *array, *item;
	struct text *patterns;
	size_t bytes = 0;
	char key[32];

	if (shape_array(shape, "path_patterns", &array, err) < 0)
		return -1;
	if (!array || !array->child)
		return 0;
	patterns = arena_alloc(shape->arena, (size_t)cJSON_GetArraySize(array), sizeof(*patterns));
	if (!patterns)
		return err_set(err, ERR_NO_MEMORY, "no room for the sources");
	filters->patterns = patterns;
	cJSON_ArrayForEach(item, array) {
		struct text pattern = shape_text(item);
		const char *fault;

		snprintf(key, sizeof(key), "path_patterns[%zu]", filters->pattern_count);
		if (!pattern.bytes)
			return shape_refuse(shape, key, err, "a string is expected");
		bytes += pattern.size + 1;      /* empty ones count too */
		if (bytes > FILTER_PATTERN_BYTES)
			return shape_refuse(shape, key, err, "more than %zu bytes of patterns",
					    FILTER_PATTERN_BYTES);
		fault = glob_fault(pattern);
		if (fault)
			return shape_refuse(shape, key, err, "invalid pattern `%.*s`: %s",
					    SHAPE_QUOTED, pattern.bytes, fault);
		if (shape_copy(shape, pattern, &patterns[filters->pattern_count++], err) < 0)
			return -1;
	}
	return 0;
}

int source_filters_parse(const struct shape *source, const struct source_filters **filters,
			 struct err *err)
{
	struct source_filters *made;
	struct shape_keys keys;
	struct shape shape;
	int rc;

	if (shape_object(source, "filters", &shape, err) < 0)
		return -1;
	*filters = &source_filters_none;
	if (!shape.json)
		return 0;
	made = arena_alloc(source->arena, 1, sizeof(*made));
	if (!made)
		return err_set(err, ERR_NO_MEMORY, "no room for the sources");
	*filters = made;
	shape_watch(&shape, &keys);
	rc = parse_types(&shape, made, err);
	if (shape_goes_on(&shape, rc))
		rc |= parse_patterns(&shape, made, err);
	if (shape_goes_on(&shape, rc))
		rc |= shape_bool(&shape, "requires_checksum", &made->requires_checksum, err);
	shape_tell_unknown(&shape);
	return rc;
}

static bool name_matches(const struct source_filters *filters, struct text name)
{
	if (!name.bytes || name.size > FILTER_NAME_BYTES)
		return false;
	for (size_t i = 0; i < filters->pattern_count; i++)
		if (glob_matches(filters->patterns[i], name))
			return true;
	return false;
}

bool source_filters_admit_query(const struct source_filters *filters,
				const struct source_query *query)
{
	const struct object_ids *ids = query->ids;

	if (filters->requires_checksum && !ids->debug_checksum.bytes)
		return false;
	return filters->pattern_count == 0 || name_matches(filters, ids->code_file) ||
	       name_matches(filters, ids->debug_file) ||
	       (query->by == SOURCE_BY_URL && name_matches(filters, query->url));
}

bool source_filters_name_type(const struct source_filters *filters, enum file_type type)
{
	return (filters->file_types & 1u << type) != 0;
}

bool source_filters_admit_type(const struct source_filters *filters, enum file_type type)
{
	return filters->file_types == 0 || source_filters_name_type(filters, type);
}
