/* shape.c -- see shape.h. */
#include "source/shape.h"

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"

const struct cJSON *shape_member(const struct shape *shape, const char *key)
{
	if (shape->keys && shape->keys->count < SHAPE_KEYS)
		shape->keys->names[shape->keys->count++] = key;
	return cJSON_GetObjectItemCaseSensitive(shape->json, key);
}

struct text shape_text(const struct cJSON *string)
{
	return text_of(cJSON_GetStringValue(string));
}

static void tell(const struct shape *shape, enum source_note_kind kind, const char *key,
		 const char *words)
{
	char place[2 * SHAPE_PLACE_BYTES];

	snprintf(place, sizeof(place), "%s%s%s", shape->place, key ? "." : "", key ? key : "");
	shape->report->note(shape->report->payload, kind, place, words);
}

void shape_warn(const struct shape *shape, const char *key, const char *fmt, ...)
{
	char words[ERR_TEXT_BYTES];
	va_list ap;

	if (!shape->report)
		return;
	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	tell(shape, SOURCE_NOTE_WARNING, key, words);
}

void shape_watch(struct shape *shape, struct shape_keys *keys)
{
	keys->count = 0;
	shape->keys = shape->report ? keys : NULL;
}

static const char *nearest(const struct shape_keys *keys, struct text name)
{
	size_t least = name.size / 2 + 1;
	const char *nearest = NULL;

	for (unsigned i = 0; i < keys->count; i++) {
		size_t away = text_edit_distance(name, text_of(keys->names[i]));

		if (away < least) {
			least = away;
			nearest = keys->names[i];
		}
	}
	return nearest;
}

static bool is_known(const struct shape_keys *keys, const char *name)
{
	for (unsigned i = 0; i < keys->count; i++)
		if (strcmp(keys->names[i], name) == 0)
			return true;
	return false;
}

void shape_tell_unknown(const struct shape *shape)
{
	const struct cJSON *member;

	if (!shape->keys || !cJSON_IsObject(shape->json))
		return;
	cJSON_ArrayForEach(member, shape->json) {
		const char *like;

		if (is_known(shape->keys, member->string))
			continue;
		like = nearest(shape->keys, text_of(member->string));
		shape_warn(shape, member->string, "unknown key%s%s%s", like ? ", did you mean `" : "",
			   like ? like : "", like ? "`?" : "");
	}
}

int shape_refuse(const struct shape *shape, const char *key, struct err *err, const char *fmt, ...)
{
	char words[ERR_TEXT_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	if (shape->report) {
		tell(shape, SOURCE_NOTE_ERROR, key, words);
		if (shape->report->errors++ > 0)
			return -1;
	}
	return err_set(err, ERR_BAD_SHAPE, "%s%s%s: %s", shape->place, key ? "." : "",
		       key ? key : "", words);
}

int shape_copy(const struct shape *shape, struct text text, struct text *out, struct err *err)
{
	out->bytes = arena_strndup(shape->arena, text.bytes ? text.bytes : "", text.size);
	out->size = text.size;
	if (!out->bytes)
		return err_set(err, ERR_NO_MEMORY, "no room for the sources");
	return 0;
}

int shape_string(const struct shape *shape, const char *key, enum shape_need need,
		 struct text *out, struct err *err)
{
	const struct cJSON *member = shape_member(shape, key);

	if (!member && need == SHAPE_OPTIONAL)
		return 0;
	if (!member)
		return shape_refuse(shape, NULL, err, "missing member `%s`", key);
	if (!cJSON_IsString(member))
		return shape_refuse(shape, key, err, "a string is expected");
	return shape_copy(shape, shape_text(member), out, err);
}

int shape_bool(const struct shape *shape, const char *key, bool *out, struct err *err)
{
	const struct cJSON *member = shape_member(shape, key);

	if (!member)
		return 0;
	if (!cJSON_IsBool(member))
		return shape_refuse(shape, key, err, "true or false is expected");
	*out = cJSON_IsTrue(member);
	return 0;
}

int shape_object(const struct shape *shape, const char *key, struct shape *found, struct err *err)
{
	found->json = shape_member(shape, key);
	found->arena = shape->arena;
	found->report = shape->report;
	found->keys = NULL;
	snprintf(found->place, sizeof(found->place), "%.40s.%.20s", shape->place, key);
	if (found->json && !cJSON_IsObject(found->json))
		return shape_refuse(shape, key, err, "an object is expected");
	return 0;
}

int shape_array(const struct shape *shape, const char *key, const struct cJSON **found,
		struct err *err)
{
	*found = shape_member(shape, key);
	if (*found && !cJSON_IsArray(*found))
		return shape_refuse(shape, key, err, "an array is expected");
	return 0;
}
