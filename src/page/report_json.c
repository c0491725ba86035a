/* report_json.c -- see report_json.h. */
#include "page/report_json.h"

#include <stdint.h>

#include "base/arena.h"

#define CUT " ... (cut here)"

struct json_reader report_json_at(const struct report_json *json, size_t at)
{
	struct json_reader reader = json_reader_over("the answer", json->text);

	reader.pos = at < json->text.size ? at : json->text.size;
	return reader;
}

size_t report_json_count(const struct report_json *json, size_t at)
{
	struct json_reader reader = report_json_at(json, at);
	size_t count = 0;

	if (!at || !json_reader_array(&reader))
		return 0;
	for (; json_reader_element(&reader); count++)
		json_reader_skip(&reader);
	return count;
}

/* --- Texts ----------------------------------------------------------------------------------- */

/* Without the beginning of a character at the end. */
static size_t whole_characters(const char *bytes, size_t size)
{
	size_t end = size;

	while (end > 0 && size - end < 3 && ((uint8_t)bytes[end - 1] & 0xc0) == 0x80)
		end--;
	return end > 0 && (uint8_t)bytes[end - 1] >= 0xc0 ? end - 1 : size;
}

/* What is longer is copied with a word that says so. */
static bool cut_text(struct report_json *json, const struct json_string *string, size_t most, struct text *text)
{
	size_t at = 0, size;
	char *bytes;

	if (string->raw.size <= most)
		return json_string_text(string, json->arena, text);
	bytes = arena_alloc_raw(json->arena, most + sizeof(CUT), 1);
	if (!bytes)
		return false;
	size = json_string_piece(string, &at, bytes, most);
	if (at < string->raw.size) {
		size = whole_characters(bytes, size);
		memcpy(bytes + size, CUT, sizeof(CUT) - 1);
		size += sizeof(CUT) - 1;
	}
	*text = (struct text){ bytes, size };
	return true;
}

struct text report_json_string(struct report_json *json, const struct json_string *string, size_t most)
{
	struct text text;

	if (cut_text(json, string, most, &text))
		return text;
	json->no_memory = true;
	return TEXT_NONE;
}

bool report_json_text(struct report_json *json, struct json_reader *reader, size_t most, struct text *text)
{
	struct json_string string;

	*text = TEXT_NONE;
	if (!json_reader_string(reader, &string)) {
		json_reader_skip(reader);
		return false;
	}
	*text = report_json_string(json, &string, most);
	return text->bytes != NULL;
}

static void read_link(struct report_json *json, struct json_reader *reader, struct text *text)
{
	struct json_string string;

	*text = TEXT_NONE;
	if (!json_reader_string(reader, &string))
		json_reader_skip(reader);
	else if (string.raw.size <= REPORT_LINK_BYTES && !json_string_text(&string, json->arena, text))
		json->no_memory = true;
}

/* --- Numbers --------------------------------------------------------------------------------- */

static bool text_number(struct text text, uint64_t *value)
{
	if (text_starts_with(text, "0x"))
		return text_to_u64(text_from(text, 2), 16, value);
	return text_to_u64(text, 10, value);
}

static bool read_number(struct json_reader *reader, bool is_relative, uint64_t *value)
{
	struct json_string string;
	char first = json_reader_peek(reader);

	*value = 0;
	if (first == '"' && json_reader_string(reader, &string)) {
		if (!is_relative)
			return !string.has_escapes && text_number(string.raw, value);
		return !string.has_escapes && text_starts_with(string.raw, "rel:") &&
		       text_to_u64(text_from(string.raw, 4), 10, value);
	}
	if (!is_relative && ascii_is_digit(first) && json_reader_u64(reader, value))
		return true;
	json_reader_skip(reader);
	return false;
}

static bool read_bool(struct json_reader *reader, bool *value)
{
	if (json_reader_bool(reader, value))
		return true;
	*value = false;
	json_reader_skip(reader);
	return false;
}

/* --- Objects --------------------------------------------------------------------------------- */

static const struct report_member *find(const struct report_member *members, size_t count,
					const struct json_string *name)
{
	for (size_t i = 0; i < count; i++)
		if (text_equal(members[i].name, name->raw))
			return &members[i];
	return NULL;
}

static size_t read_list(struct json_reader *reader)
{
	char first = json_reader_peek(reader);
	size_t at = reader->pos;

	json_reader_skip(reader);
	return first == '[' || first == '{' ? at : 0;
}

static void read_value(struct report_json *json, struct json_reader *reader, const struct report_member *member,
		       char *into)
{
	void *field = into + member->offset;
	bool *known = (bool *)(into + member->known);

	switch (member->type) {
	case REPORT_TEXT:
		(void)report_json_text(json, reader, REPORT_TEXT_BYTES, field);
		break;
	case REPORT_LONG:
		(void)report_json_text(json, reader, REPORT_LONG_BYTES, field);
		break;
	case REPORT_LINK:
		read_link(json, reader, field);
		break;
	case REPORT_NUMBER:
	case REPORT_RELATIVE:
		*known = read_number(reader, member->type == REPORT_RELATIVE, field);
		break;
	case REPORT_BOOL:
		*known = read_bool(reader, field);
		break;
	case REPORT_LIST:
		*(size_t *)field = read_list(reader);
		break;
	default:
		json_reader_skip(reader);
	}
}

/* Groups are in no group. */
static void read_group(struct report_json *json, struct json_reader *reader, const struct report_member *group,
		       char *into)
{
	struct json_string name;

	if (!json_reader_object(reader)) {
		json_reader_skip(reader);
		return;
	}
	while (json_reader_member(reader, &name)) {
		const struct report_member *member = find(group->members, group->count, &name);

		if (member)
			read_value(json, reader, member, into);
		else
			json_reader_skip(reader);
	}
}

void report_json_member(struct report_json *json, struct json_reader *reader, const struct report_member *members,
			size_t count, const struct json_string *name, void *into)
{
	const struct report_member *member = find(members, count, name);

	if (!member)
		json_reader_skip(reader);
	else if (member->type == REPORT_GROUP)
		read_group(json, reader, member, into);
	else
		read_value(json, reader, member, into);
}

void report_json_object(struct report_json *json, struct json_reader *reader, const struct report_member *members,
			size_t count, void *into)
{
	struct json_string name;

	if (!json_reader_object(reader)) {
		json_reader_skip(reader);
		return;
	}
	while (json_reader_member(reader, &name))
		report_json_member(json, reader, members, count, &name, into);
}
