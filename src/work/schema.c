/* schema.c -- see schema.h. */
#include "work/schema.h"

#include <stdarg.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/err.h"
#include "work/request_json.h"
#include "work/work.h"

#define PATH_BYTES 256u

/* --- Saying where ------------------------------------------------------------------------ */

static size_t add(char *path, size_t used, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static size_t add(char *path, size_t used, const char *fmt, ...)
{
	va_list ap;
	int got;

	va_start(ap, fmt);
	got = vsnprintf(path + used, PATH_BYTES - used, fmt, ap);
	va_end(ap);
	if (got < 0)
		return used;
	used += (size_t)got;
	return used < PATH_BYTES ? used : PATH_BYTES - 1;
}

static size_t add_place(char *path, size_t used, const struct schema_place *place)
{
	if (!place)
		return used;
	used = add_place(path, used, place->above);
	if (!place->name)
		return add(path, used, "[%zu]", place->index);
	return add(path, used, "%s%s", used ? "." : "", place->name);
}

int schema_wrong(const struct schema_place *place, struct err *err, const char *fmt, ...)
{
	char path[PATH_BYTES], text[PATH_BYTES];
	va_list ap;

	path[0] = '\0';
	add_place(path, 0, place);
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(err, ERR_BAD_SHAPE, "the body has not the expected form: %s%s%s", path,
		       path[0] ? ": " : "", text);
}

static int expected(const struct schema_place *place, struct err *err, const char *what)
{
	return schema_wrong(place, err, "%s was expected", what);
}

/* --- Single values ----------------------------------------------------------------------- */

static bool is_marked(const cJSON *json)
{
	return cJSON_IsString(json) && json->valuestring[0] == JSON_INTEGER_MARK;
}

bool schema_string(const cJSON *json, struct text *value)
{
	if (!cJSON_IsString(json) || is_marked(json))
		return false;
	*value = text_of(json->valuestring);
	return true;
}

/* A marked integer; negative ones wrap, those beyond 64 bits are none. */
static bool marked_integer(const cJSON *json, bool *is_negative, uint64_t *value)
{
	struct text digits = text_of(json->valuestring + 1);

	*is_negative = digits.bytes[0] == '-';
	if (*is_negative) {
		digits.bytes++;
		digits.size--;
	}
	if (!text_to_u64(digits, 10, value))
		return false;
	if (!*is_negative)
		return true;
	if (*value > (uint64_t)INT64_MAX + 1)
		return false;
	*value = 0 - *value;
	return true;
}

static bool json_integer(const cJSON *json, bool *is_negative, uint64_t *value)
{
	double number;

	if (is_marked(json))
		return marked_integer(json, is_negative, value);
	if (!cJSON_IsNumber(json))
		return false;
	number = json->valuedouble;     /* at most 15 digits: exact, and in range */
	if (number != (double)(int64_t)number)
		return false;
	*is_negative = number < 0;
	*value = (uint64_t)(int64_t)number;
	return true;
}

static bool read_digits(struct text text, uint64_t *value)
{
	unsigned base = 10;

	if (text_starts_with(text, "0x") || text_starts_with(text, "0X")) {
		text = (struct text){ text.bytes + 2, text.size - 2 };
		base = 16;
	}
	if (text.size > 1 && text.bytes[0] == '+')
		text = (struct text){ text.bytes + 1, text.size - 1 };
	return text_to_u64(text, base, value);
}

int schema_hex(const cJSON *json, const struct schema_place *place, uint64_t *value,
	       struct err *err)
{
	struct text text;
	bool is_negative;

	if (schema_string(json, &text) ? read_digits(text, value)
				      : json_integer(json, &is_negative, value))
		return 0;
	return expected(place, err, "an integer of 64 bits, as a number or a string");
}

static int read_unsigned(const cJSON *json, const struct schema_place *place, uint64_t most,
			 struct maybe_u64 *into, struct err *err)
{
	bool is_negative;

	if (!json_integer(json, &is_negative, &into->value) || is_negative || into->value > most)
		return expected(place, err, most == UINT32_MAX ? "an unsigned integer of 32 bits"
				: "an unsigned integer");
	into->is_set = true;
	return 0;
}

/* --- Objects ----------------------------------------------------------------------------- */

static int read_member(const cJSON *json, const struct schema_place *place,
		       const struct schema_member *member, void *field, void *context,
		       struct err *err)
{
	struct maybe_u64 *number = field;

	switch (member->type) {
	case SCHEMA_TEXT:
		return schema_string(json, field) ? 0 : expected(place, err, "a string");
	case SCHEMA_BOOL:
		if (!cJSON_IsBool(json))
			return expected(place, err, "true or false");
		*(bool *)field = cJSON_IsTrue(json);
		return 0;
	case SCHEMA_MAYBE_BOOL:
		if (!cJSON_IsBool(json))
			return expected(place, err, "true or false");
		*(enum maybe_bool *)field = cJSON_IsTrue(json) ? MAYBE_TRUE : MAYBE_FALSE;
		return 0;
	case SCHEMA_HEX:
		number->is_set = true;
		return schema_hex(json, place, &number->value, err);
	case SCHEMA_U64:
		return read_unsigned(json, place, UINT64_MAX, number, err);
	case SCHEMA_U32:
		return read_unsigned(json, place, UINT32_MAX, number, err);
	default:
		return member->read(json, place, field, context, err);
	}
}

static size_t find_member(const char *name, const struct schema_member *members, size_t count)
{
	size_t i = 0;

	while (i < count && (members[i].name[0] != name[0] || strcmp(members[i].name, name) != 0))
		i++;
	return i;
}

/* null for a member that takes it: as if it were not there, whatever stood before. */
static void forget_member(const struct schema_member *member, void *field)
{
	switch (member->type) {
	case SCHEMA_TEXT:
		*(struct text *)field = TEXT_NONE;
		break;
	case SCHEMA_MAYBE_BOOL:
		*(enum maybe_bool *)field = MAYBE_UNSET;
		break;
	case SCHEMA_HEX:
	case SCHEMA_U64:
	case SCHEMA_U32:
		*(struct maybe_u64 *)field = (struct maybe_u64){ false, 0 };
		break;
	default:
		break;               /* the reader sees null itself */
	}
}

int schema_read(const cJSON *json, const struct schema_place *place,
		const struct schema_member *members,
	       size_t count, void *into, void *context, struct err *err)
{
	uint32_t seen = 0;

	if (!cJSON_IsObject(json))
		return expected(place, err, "an object");
	for (const cJSON *child = json->child; child; child = child->next) {
		size_t i = find_member(child->string, members, count);
		struct schema_place here = { .above = place, .name = child->string };
		void *field;

		if (i == count)
			continue;
		field = (char *)into + members[i].offset;
		seen |= 1u << i;
		if (cJSON_IsNull(child) && (members[i].flags & SCHEMA_NULL) &&
		    members[i].type != SCHEMA_OTHER)
			forget_member(&members[i], field);
		else if (read_member(child, &here, &members[i], field, context, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < count; i++)
		if ((members[i].flags & SCHEMA_REQUIRED) && !(seen & (1u << i)))
			return schema_wrong(place, err, "member `%s` is missing", members[i].name);
	return 0;
}

/* --- Arrays and maps --------------------------------------------------------------------- */

static size_t child_count(const cJSON *json)
{
	size_t count = 0;

	for (const cJSON *child = json->child; child; child = child->next)
		count++;
	return count;
}

int schema_array(const cJSON *json, const struct schema_place *place,
		 const struct schema_element *element, struct arena *arena, void *context,
		 void **items, size_t *count, struct err *err)
{
	size_t i = 0;
	char *at;

	if (schema_want(place, cJSON_IsArray(json), "an array", err) < 0)
		return -1;
	at = arena_alloc(arena, child_count(json), element->size);
	if (!at)
		return err_no_memory(err);
	*items = at;
	for (const cJSON *child = json->child; child; child = child->next, at += element->size) {
		struct schema_place here = { .above = place, .index = i++ };

		if (schema_read(child, &here, element->members, element->count, at, context,
				err) < 0)
			return -1;
		if (element->finish && element->finish(at, context, err) < 0)
			return -1;
	}
	*count = i;
	return 0;
}

int schema_texts(const cJSON *json, const struct schema_place *place, struct arena *arena,
		 struct text_list *list, struct err *err)
{
	static const char what[] = "an array of strings";
	struct text *texts;
	size_t i = 0;

	if (schema_want(place, cJSON_IsArray(json), what, err) < 0)
		return -1;
	texts = arena_alloc_raw(arena, child_count(json), sizeof(*texts));
	if (!texts)
		return err_no_memory(err);
	for (const cJSON *child = json->child; child; child = child->next)
		if (schema_want(place, schema_string(child, &texts[i++]), what, err) < 0)
			return -1;
	*list = (struct text_list){ texts, i };
	return 0;
}

int schema_text_map(const cJSON *json, const struct schema_place *place, struct arena *arena,
		    struct text_map *map, struct err *err)
{
	static const char what[] = "an object of strings";
	struct text_pair *pairs;
	size_t i = 0;

	if (schema_want(place, cJSON_IsObject(json), what, err) < 0)
		return -1;
	pairs = arena_alloc_raw(arena, child_count(json), sizeof(*pairs));
	if (!pairs)
		return err_no_memory(err);
	for (const cJSON *child = json->child; child; child = child->next, i++) {
		pairs[i].name = text_of(child->string);
		if (schema_want(place, schema_string(child, &pairs[i].value), what, err) < 0)
			return -1;
	}
	*map = (struct text_map){ pairs, i };
	return 0;
}
