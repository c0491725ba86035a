/*
 * mapping_header.c -- see mapping_header.h.
 *
 * A line is read twice: its `id` says which of its members count.
 */
#include "proguard/mapping_header.h"

#include "base/err.h"
#include "base/json_reader.h"
#include "base/mem.h"
#include "base/vec.h"

static const struct { const char *id; enum mapping_header_kind kind; } ids[] = {
	{ "sourceFile", MAPPING_HEADER_SOURCE_FILE },
	{ "com.android.tools.r8.synthesized", MAPPING_HEADER_SYNTHESIZED },
	{ "com.android.tools.r8.outline", MAPPING_HEADER_OUTLINE },
	{ "com.android.tools.r8.outlineCallsite", MAPPING_HEADER_OUTLINE_CALLSITE },
	{ "com.android.tools.r8.rewriteFrame", MAPPING_HEADER_REWRITE_FRAME },
};

/* What one line is read with. */
struct header_read {
	struct json_reader json;
	struct mapping_header *header;
	bool is_wrong;               /* a member that counts is not as it has to be */
	bool no_memory;
	bool has_file, has_positions, has_outline, has_conditions, has_actions;
	bool is_without_effect;      /* a rule with a part that cannot be read */
};

void mapping_header_release(struct mapping_header *header)
{
	mem_give_back(header->positions);
	mem_give_back(header->conditions);
	*header = (struct mapping_header){ 0 };
}

static bool refuse(struct header_read *read)
{
	read->is_wrong = true;
	return false;
}

/* A string without escapes. */
static bool take_plain(struct header_read *read, struct text *text)
{
	struct json_string string;

	if (!json_reader_string(&read->json, &string) || string.has_escapes)
		return refuse(read);
	*text = string.raw;
	return true;
}

/* --- Positions ------------------------------------------------------------------------------ */

static bool add_position(struct header_read *read, uint64_t position, uint64_t line)
{
	struct mapping_header *header = read->header;

	if (vec_reserve(&header->positions, &header->position_capacity, header->position_count + 1,
			sizeof(*header->positions)) < 0) {
		read->no_memory = true;
		return refuse(read);
	}
	header->positions[header->position_count++] = (struct mapping_position){ position, line };
	return true;
}

static void read_positions(struct header_read *read)
{
	struct json_string name;
	uint64_t position, line;

	if (read->has_positions || !json_reader_object(&read->json)) {
		refuse(read);
		return;
	}
	read->has_positions = true;
	while (!read->is_wrong && json_reader_member(&read->json, &name)) {
		if (name.has_escapes || !json_reader_u64(&read->json, &line))
			refuse(read);
		else if (text_to_u64(name.raw, 10, &position))
			add_position(read, position, line);
	}
}

/* --- Rules ---------------------------------------------------------------------------------- */

static struct text trimmed(struct text text)
{
	while (text.size > 0 && (ascii_is_blank(text.bytes[0]) || text.bytes[0] == '\f'))
		text = text_from(text, 1);
	while (text.size > 0 &&
	       (ascii_is_blank(text.bytes[text.size - 1]) || text.bytes[text.size - 1] == '\f'))
		text.size--;
	return text;
}

/* What stands in the parentheses of "NAME(...)".  False: it is not called so; *argument TEXT_NONE: it is,
 * but nothing closes it. */
static bool is_call(struct text item, const char *name, struct text *argument)
{
	size_t size = strlen(name);

	if (!text_starts_with(item, name))
		return false;
	*argument = TEXT_NONE;
	if (text_ends_with(item, ")"))
		*argument = (struct text){ item.bytes + size, item.size - size - 1 };
	return true;
}

static void add_condition(struct header_read *read, struct text item)
{
	struct mapping_header *header = read->header;
	struct text descriptor = TEXT_NONE;

	if (is_call(item, "throws(", &descriptor) && descriptor.size == 0) {
		read->is_without_effect = true;
		return;
	}
	if (vec_reserve(&header->conditions, &header->condition_capacity, header->condition_count + 1,
			sizeof(*header->conditions)) < 0) {
		read->no_memory = true;
		refuse(read);
		return;
	}
	header->conditions[header->condition_count++].descriptor = descriptor;
}

static void add_action(struct header_read *read, struct text item)
{
	struct mapping_header *header = read->header;
	struct text count = TEXT_NONE;
	uint64_t frames;

	if (!is_call(item, "removeInnerFrames(", &count))
		return;
	if (!text_to_u64(trimmed(count), 10, &frames))
		read->is_without_effect = true;
	else if (__builtin_add_overflow(header->removed_frames, frames, &header->removed_frames))
		header->removed_frames = UINT64_MAX;
}

typedef void header_item_fn(struct header_read *read, struct text item);

static void read_items(struct header_read *read, bool *was_read, header_item_fn *add)
{
	struct text item;
	bool has_any = false;

	if (*was_read || !json_reader_array(&read->json)) {
		refuse(read);
		return;
	}
	*was_read = true;
	while (!read->is_wrong && json_reader_element(&read->json)) {
		if (!take_plain(read, &item))
			return;
		has_any = true;
		item = trimmed(item);
		if (item.size == 0)
			read->is_without_effect = true;
		else
			add(read, item);
	}
	if (!has_any)
		read->is_without_effect = true;
}

/* --- The line ------------------------------------------------------------------------------- */

static void read_outline(struct header_read *read)
{
	struct text ignored;

	if (read->has_outline) {
		refuse(read);
		return;
	}
	read->has_outline = true;
	if (json_reader_peek(&read->json) == 'n')
		json_reader_skip(&read->json);
	else
		take_plain(read, &ignored);
}

static void read_file_name(struct header_read *read)
{
	if (read->has_file) {
		refuse(read);
		return;
	}
	read->has_file = true;
	take_plain(read, &read->header->file_name);
}

static void read_member(struct header_read *read, const struct json_string *name)
{
	enum mapping_header_kind kind = read->header->kind;

	if (kind == MAPPING_HEADER_SOURCE_FILE && json_string_is(name, "fileName"))
		read_file_name(read);
	else if (kind == MAPPING_HEADER_OUTLINE_CALLSITE && json_string_is(name, "positions"))
		read_positions(read);
	else if (kind == MAPPING_HEADER_OUTLINE_CALLSITE && json_string_is(name, "outline"))
		read_outline(read);
	else if (kind == MAPPING_HEADER_REWRITE_FRAME && json_string_is(name, "conditions"))
		read_items(read, &read->has_conditions, add_condition);
	else if (kind == MAPPING_HEADER_REWRITE_FRAME && json_string_is(name, "actions"))
		read_items(read, &read->has_actions, add_action);
	else
		json_reader_skip(&read->json);
}

static bool has_all(const struct header_read *read)
{
	switch (read->header->kind) {
	case MAPPING_HEADER_SOURCE_FILE:      return read->has_file;
	case MAPPING_HEADER_OUTLINE_CALLSITE: return read->has_positions;
	case MAPPING_HEADER_REWRITE_FRAME:    return read->has_conditions && read->has_actions;
	default:                              return true;
	}
}

static bool read_kind(struct text line, enum mapping_header_kind *kind)
{
	struct json_reader json = json_reader_over("a header", line);
	struct json_string name, id;
	unsigned found = 0;

	*kind = MAPPING_HEADER_OTHER;
	if (!json_reader_object(&json))
		return false;
	while (json_reader_member(&json, &name)) {
		if (!json_string_is(&name, "id")) {
			json_reader_skip(&json);
			continue;
		}
		if (++found > 1 || !json_reader_string(&json, &id))
			return false;
		for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
			if (json_string_is(&id, ids[i].id))
				*kind = ids[i].kind;
	}
	return found == 1 && json_reader_at_end(&json);
}

int mapping_header_read(struct mapping_header *header, struct text json, struct err *err)
{
	struct header_read read = { .json = json_reader_over("a header", json), .header = header };
	struct json_string name;

	header->file_name = TEXT_NONE;
	header->position_count = header->condition_count = 0;
	header->removed_frames = 0;
	if (!read_kind(json, &header->kind))
		return 0;
	if (header->kind == MAPPING_HEADER_OTHER || !json_reader_object(&read.json))
		return 1;
	while (!read.is_wrong && json_reader_member(&read.json, &name))
		read_member(&read, &name);
	if (read.no_memory)
		return err_set(err, ERR_NO_MEMORY, "no memory for a header of a mapping");
	if (read.is_without_effect)
		header->condition_count = 0;
	return !read.is_wrong && has_all(&read) ? 1 : 0;
}

bool mapping_header_is_valid(struct text json)
{
	struct mapping_header header = { 0 };
	struct err err = ERR_INIT;
	int rc = mapping_header_read(&header, json, &err);

	mapping_header_release(&header);
	return rc != 0;
}
