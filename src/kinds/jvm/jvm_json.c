/* jvm_json.c -- see jvm_json.h. */
#include "kinds/jvm/jvm_json.h"

#include "base/arena.h"
#include "base/err.h"
#include "work/work.h"

#define FIRST_ITEMS 16u

int jvm_json_begin(struct jvm_json *json, struct work *work, struct text body, struct err *err)
{
	struct json_reader whole;

	if (text_starts_with(body, "\xef\xbb\xbf"))
		body = text_from(body, 3);
	body.bytes = arena_strndup(&work->arena, body.bytes, body.size);
	if (!body.bytes)
		return err_no_memory(err);
	*json = (struct jvm_json){ json_reader_over("the body", body), work };
	whole = json->reader;
	if (!text_is_utf8(body))
		return err_set(err, ERR_BAD_REQUEST, "the body is no UTF-8");
	json_reader_skip(&whole);
	if (!whole.missing && !json_reader_at_end(&whole))
		(void)json_reader_refuse(&whole, "end after its value");
	if (json_reader_check(&whole, err) == 0)
		return 0;
	err->kind = ERR_BAD_REQUEST;
	return -1;
}

struct text jvm_json_take(struct jvm_json *json)
{
	size_t start;

	(void)json_reader_peek(&json->reader);
	start = json->reader.pos;
	json_reader_skip(&json->reader);
	return (struct text){ json->reader.bytes + start, json->reader.pos - start };
}

bool jvm_json_take_null(struct jvm_json *json)
{
	if (json_reader_peek(&json->reader) != 'n')
		return false;
	json_reader_skip(&json->reader);
	return true;
}

int jvm_json_text(struct jvm_json *json, struct text *text, const struct schema_place *place,
		  struct err *err)
{
	struct json_string string;

	if (!json_reader_string(&json->reader, &string))
		return schema_want(place, false, "a string", err);
	return json_string_text(&string, &json->work->arena, text) ? 0 : err_no_memory(err);
}

/* --- Lists ----------------------------------------------------------------------------------- */

/* Room for one more, zeroed; NULL without memory. */
static void *grow(void **items, size_t count, size_t *capacity, size_t size, struct arena *arena)
{
	if (count == *capacity) {
		size_t more = count ? 2 * count : FIRST_ITEMS;
		void *grown = arena_alloc_raw(arena, more, size);

		if (!grown)
			return NULL;
		if (count)
			memcpy(grown, *items, count * size);
		*items = grown;
		*capacity = more;
	}
	return memset((char *)*items + count * size, 0, size);
}

static int read_texts(struct jvm_json *json, struct text_list *list, const struct schema_place *place,
		      struct err *err)
{
	struct schema_place element = { place, NULL, 0 };
	size_t capacity = 0;
	void *items = NULL;

	if (!json_reader_array(&json->reader))
		return schema_want(place, false, "an array", err);
	for (; json_reader_element(&json->reader); element.index++) {
		struct text *text = grow(&items, element.index, &capacity, sizeof(*text), &json->work->arena);

		if (!text)
			return err_no_memory(err);
		if (jvm_json_text(json, text, &element, err) < 0)
			return -1;
	}
	*list = (struct text_list){ items, element.index };
	return 0;
}

static int read_objects(struct jvm_json *json, const struct jvm_shape *shape, void **items, size_t *count,
			const struct schema_place *place, struct err *err)
{
	struct schema_place element = { place, NULL, 0 };
	size_t capacity = 0;

	*items = NULL;
	*count = 0;
	if (!json_reader_array(&json->reader))
		return schema_want(place, false, "an array", err);
	for (; json_reader_element(&json->reader); element.index++) {
		void *item = grow(items, element.index, &capacity, shape->size, &json->work->arena);

		if (!item)
			return err_no_memory(err);
		if (jvm_json_object(json, shape, item, &element, err) < 0)
			return -1;
	}
	*count = element.index;
	return 0;
}

/* --- Members --------------------------------------------------------------------------------- */

static int read_bool(struct jvm_json *json, bool *value, const struct schema_place *place, struct err *err)
{
	return schema_want(place, json_reader_bool(&json->reader, value), "true or false", err);
}

static int read_value(struct jvm_json *json, const struct jvm_member *member, char *into,
		      const struct schema_place *place, struct err *err)
{
	void *field = into + member->offset, *more = into + member->more;
	bool truth = false;

	switch (member->type) {
	case JVM_TEXT:
		return jvm_json_text(json, field, place, err);
	case JVM_TEXTS:
		return read_texts(json, field, place, err);
	case JVM_BOOL:
		return read_bool(json, field, place, err);
	case JVM_MAYBE_BOOL:
		if (read_bool(json, &truth, place, err) < 0)
			return -1;
		*(enum maybe_bool *)field = truth ? MAYBE_TRUE : MAYBE_FALSE;
		return 0;
	case JVM_U32:
		*(bool *)more = json_reader_u32(&json->reader, field);
		return schema_want(place, *(bool *)more, "an integer of 32 bits", err);
	case JVM_U64:
		return schema_want(place, json_reader_u64(&json->reader, field), "an integer of 64 bits",
				   err);
	case JVM_OBJECT:
		memset(field, 0, member->shape->size);
		*(bool *)more = true;
		return jvm_json_object(json, member->shape, field, place, err);
	case JVM_OBJECT_HERE:
		return jvm_json_object(json, member->shape, into, place, err);
	case JVM_OBJECTS:
		return read_objects(json, member->shape, field, more, place, err);
	default:
		return member->read(json, field, place, err);
	}
}

/* Null is what an absent one is. */
static void clear(const struct jvm_member *member, char *into)
{
	switch (member->type) {
	case JVM_TEXT:
		*(struct text *)(void *)(into + member->offset) = TEXT_NONE;
		break;
	case JVM_MAYBE_BOOL:
		*(enum maybe_bool *)(void *)(into + member->offset) = MAYBE_UNSET;
		break;
	default:
		*(bool *)(into + member->more) = false;
	}
}

static const struct jvm_member *find(const struct jvm_shape *shape, const struct json_string *name,
				     size_t *index)
{
	for (size_t i = 0; i < shape->count; i++) {
		const struct text known = shape->members[i].name;

		if (name->has_escapes ? json_string_is(name, known.bytes) : text_equal(known, name->raw)) {
			*index = i;
			return &shape->members[i];
		}
	}
	return NULL;
}

static int want_required(const struct jvm_shape *shape, uint32_t seen, const struct schema_place *place,
			 struct err *err)
{
	for (size_t i = 0; i < shape->count; i++)
		if (shape->members[i].flags & JVM_REQUIRED && !(seen & 1u << i))
			return schema_wrong(place, err, "missing field `%s`", shape->members[i].name.bytes);
	return 0;
}

int jvm_json_object(struct jvm_json *json, const struct jvm_shape *shape, void *into,
		    const struct schema_place *place, struct err *err)
{
	struct json_string name;
	uint32_t seen = 0;
	size_t index;

	if (!json_reader_object(&json->reader))
		return schema_want(place, false, "an object", err);
	while (json_reader_member(&json->reader, &name)) {
		const struct jvm_member *member = find(shape, &name, &index);
		struct schema_place here = { place, NULL, 0 };

		if (!member) {
			json_reader_skip(&json->reader);
			continue;
		}
		seen |= 1u << index;
		here.name = member->name.bytes;
		if (member->flags & JVM_NULL && jvm_json_take_null(json))
			clear(member, into);
		else if (read_value(json, member, into, &here, err) < 0)
			return -1;
	}
	return want_required(shape, seen, place, err);
}
