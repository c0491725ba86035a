/*
 * symbfile_read.c -- a walk over the records of a symbfile (doc/formats/symbfile.md).
 *
 * 1. Messages are protobuf's (proto3, wire format): fields in any order, unknown ones skipped, the last
 *    member of a oneof counts, repeated numbers packed or not.
 * 2. Texts are borrowed from the file, and are UTF-8 wherever they stand.
 */
#include "symbfile/symbfile.h"

#include "base/err.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/reader.h"
#include "base/vec.h"

#define VARINT_BYTES_MAX 10u
#define GROUP_DEPTH_MAX 100u
#define FIELD_NUMBER_SHIFT 3u
#define COLUMNS 3u

enum wire { WIRE_VARINT, WIRE_I64, WIRE_LEN, WIRE_SGROUP, WIRE_EGROUP, WIRE_I32 };

struct symbfile_numbers { uint32_t *items; size_t count, capacity; };

struct symbfile_walk {
	const struct symbfile_sink *sink;
	struct symbfile_report *report;
	struct text *strings;        /* of the latest table */
	size_t string_count, string_capacity;
	struct symbfile_numbers number_lists[COLUMNS];
	struct symbfile_line *lines;
	size_t line_capacity;
	struct symbfile_call *calls;
	size_t call_capacity;
	uint64_t address;            /* of the record before */
	bool has_address;
};

/* --- The wire ------------------------------------------------------------------------------- */

static int err_message(struct err *err, const char *words)
{
	return err_set(err, ERR_MALFORMED, "%s", words);
}

/* False: too long, or the end came first (reader->failed). */
static bool read_varint_long(struct reader *reader, bool is_prefix, uint64_t *value)
{
	*value = 0;
	for (unsigned i = 0; i < VARINT_BYTES_MAX; i++) {
		uint8_t byte = reader_u8(reader);

		if (i == VARINT_BYTES_MAX - 1 && byte > 1 && (!is_prefix || byte & 0x80))
			return false;
		*value |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (!(byte & 0x80))
			return !reader->failed;
	}
	return false;
}

static inline bool read_varint(struct reader *reader, uint64_t *value)
{
	if (reader->pos < reader->size && reader->bytes[reader->pos] < 0x80) {
		*value = reader->bytes[reader->pos++];
		return true;
	}
	return read_varint_long(reader, false, value);
}

struct proto_field {
	uint32_t number;
	enum wire wire;
	uint64_t value;              /* of a number */
	struct text bytes;           /* WIRE_LEN */
};

static bool skip_group(struct reader *reader, uint64_t number)
{
	uint64_t open[GROUP_DEPTH_MAX], tag, value;
	size_t depth = 0;

	open[depth++] = number;
	while (depth > 0) {
		if (!read_varint(reader, &tag) || tag >> FIELD_NUMBER_SHIFT == 0 || tag > UINT32_MAX)
			return false;
		switch ((enum wire)(tag & 7)) {
		case WIRE_VARINT:
			if (!read_varint(reader, &value))
				return false;
			break;
		case WIRE_I64: reader_skip(reader, 8); break;
		case WIRE_I32: reader_skip(reader, 4); break;
		case WIRE_LEN:
			if (!read_varint(reader, &value))
				return false;
			reader_skip(reader, value);
			break;
		case WIRE_SGROUP:
			if (depth == GROUP_DEPTH_MAX)
				return false;
			open[depth++] = tag >> FIELD_NUMBER_SHIFT;
			break;
		case WIRE_EGROUP:
			if (open[--depth] != tag >> FIELD_NUMBER_SHIFT)
				return false;
			break;
		default: return false;
		}
		if (reader->failed)
			return false;
	}
	return true;
}

/* The next field; what is no number and no bytes is read past, as an unknown field. */
static int next_field(struct reader *reader, struct proto_field *field, struct err *err)
{
	uint64_t tag;

	if (!read_varint(reader, &tag) || tag > UINT32_MAX || tag >> FIELD_NUMBER_SHIFT == 0)
		return err_message(err, "no tag of a field");
	field->number = (uint32_t)(tag >> FIELD_NUMBER_SHIFT);
	field->wire = (enum wire)(tag & 7);
	switch (field->wire) {
	case WIRE_VARINT:
		return read_varint(reader, &field->value) ? 0 : err_message(err, "a number has no end");
	case WIRE_LEN:
		if (!read_varint(reader, &field->value) || field->value > reader_left(reader))
			return err_message(err, "a field is longer than its message");
		field->bytes.size = (size_t)field->value;
		field->bytes.bytes = (const char *)reader_take(reader, field->value);
		return 0;
	case WIRE_I64: reader_skip(reader, 8); break;
	case WIRE_I32: reader_skip(reader, 4); break;
	case WIRE_SGROUP:
		return skip_group(reader, field->number) ? 0 : err_message(err, "a group has no end");
	default:
		return err_message(err, "a field of no type");
	}
	return reader->failed ? err_message(err, "a field is longer than its message") : 0;
}

static int want_wire(const struct proto_field *field, enum wire wire, struct err *err)
{
	if (field->wire == wire)
		return 0;
	return err_set(err, ERR_MALFORMED, "field %u is of wire type %d", field->number, (int)field->wire);
}

static int take_text(const struct proto_field *field, struct text *text, struct err *err)
{
	if (want_wire(field, WIRE_LEN, err) < 0)
		return -1;
	if (!text_is_utf8(field->bytes))
		return err_set(err, ERR_MALFORMED, "field %u is no UTF-8", field->number);
	*text = field->bytes;
	return 0;
}

static int add_number(struct symbfile_numbers *numbers, uint64_t value, struct err *err)
{
	if (numbers->count == numbers->capacity &&
	    vec_reserve(&numbers->items, &numbers->capacity, numbers->count + 1,
			sizeof(*numbers->items)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for a record");
	numbers->items[numbers->count++] = (uint32_t)value;
	return 0;
}

static int take_numbers(const struct proto_field *field, struct symbfile_numbers *numbers, struct err *err)
{
	struct reader reader;
	uint64_t value;

	if (field->wire == WIRE_VARINT)
		return add_number(numbers, field->value, err);
	if (want_wire(field, WIRE_LEN, err) < 0)
		return -1;
	reader = reader_over("numbers", field->bytes.bytes, field->bytes.size);
	while (!reader_at_end(&reader)) {
		if (!read_varint(&reader, &value))
			return err_message(err, "a number has no end");
		if (add_number(numbers, value, err) < 0)
			return -1;
	}
	return 0;
}

static struct reader over_message(struct text message)
{
	return reader_over("message", message.bytes, message.size);
}

/* --- Strings and addresses ------------------------------------------------------------------ */

static int add_string(struct symbfile_walk *walk, struct text text, struct err *err)
{
	if (walk->string_count == walk->string_capacity &&
	    vec_reserve(&walk->strings, &walk->string_capacity, walk->string_count + 1,
			sizeof(*walk->strings)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for a table of strings");
	walk->strings[walk->string_count++] = text;
	return 0;
}

static int read_table(struct symbfile_walk *walk, struct text message, struct err *err)
{
	struct reader reader = over_message(message);
	struct proto_field field;
	struct text text = TEXT_NONE;

	walk->report->tables++;
	walk->string_count = 0;
	while (!reader_at_end(&reader)) {
		if (next_field(&reader, &field, err) < 0)
			return -1;
		if (field.number == 1 &&
		    (take_text(&field, &text, err) < 0 || add_string(walk, text, err) < 0))
			return -1;
	}
	return 0;
}

static int string_at(const struct symbfile_walk *walk, uint64_t index, struct text *text, struct err *err)
{
	if (index >= walk->string_count)
		return err_set(err, ERR_MALFORMED, "string %llu of a table of %zu", (unsigned long long)index,
			       walk->string_count);
	*text = walk->strings[index];
	return 0;
}

/* What a record says of where it is: the last that was said counts. */
struct symbfile_place { bool is_set, is_delta; uint64_t value; };

static int take_place(const struct proto_field *field, bool is_delta, struct symbfile_place *place, struct err *err)
{
	uint64_t value = field->value;

	if (want_wire(field, WIRE_VARINT, err) < 0)
		return -1;
	*place = (struct symbfile_place){ true, is_delta, is_delta ? value >> 1 ^ (0 - (value & 1)) : value };
	return 0;
}

static int settle_place(struct symbfile_walk *walk, const struct symbfile_place *place, struct err *err)
{
	if (!place->is_set)
		return err_message(err, "no address");
	if (place->is_delta && !walk->has_address)
		return err_message(err, "the first address is relative");
	walk->address = place->is_delta ? walk->address + place->value : place->value;
	walk->has_address = true;
	return 0;
}

/* --- Ranges --------------------------------------------------------------------------------- */

/* A text that stands in the record, or its number in the table; resolved at the end. */
struct symbfile_name { bool is_set, is_index; uint32_t index; struct text text; };

static int take_named(const struct proto_field *field, bool is_index, struct symbfile_name *named, struct err *err)
{
	struct text text = TEXT_NONE;

	if (is_index ? want_wire(field, WIRE_VARINT, err) : take_text(field, &text, err))
		return -1;
	*named = (struct symbfile_name){ true, is_index, is_index ? (uint32_t)field->value : 0, text };
	return 0;
}

static int resolve(const struct symbfile_walk *walk, const struct symbfile_name *named, struct text *text,
		   struct err *err)
{
	*text = named->text;
	if (!named->is_set)
		*text = TEXT_NONE;
	return named->is_set && named->is_index ? string_at(walk, named->index, text, err) : 0;
}

struct range_fields {
	struct symbfile_place place;
	struct symbfile_name function, file, call_file;
	uint64_t length;
	uint32_t call_line, depth;
};

static int read_line_table(struct symbfile_walk *walk, const struct proto_field *table, struct err *err)
{
	struct proto_field field;
	struct reader reader;

	if (want_wire(table, WIRE_LEN, err) < 0)
		return -1;
	reader = over_message(table->bytes);
	while (!reader_at_end(&reader)) {
		if (next_field(&reader, &field, err) < 0 ||
		    ((field.number == 1 || field.number == 2) &&
		     take_numbers(&field, &walk->number_lists[field.number - 1], err) < 0))
			return -1;
	}
	return 0;
}

static int take_number(const struct proto_field *field, uint32_t *value, struct err *err)
{
	*value = (uint32_t)field->value;
	return want_wire(field, WIRE_VARINT, err);
}

static int take_range_field(struct symbfile_walk *walk, const struct proto_field *field,
			    struct range_fields *range, struct err *err)
{
	switch (field->number) {
	case 1: case 12: return take_place(field, field->number == 1, &range->place, err);
	case 2:
		range->length = field->value;
		return want_wire(field, WIRE_VARINT, err);
	case 3: case 9:  return take_named(field, field->number == 9, &range->function, err);
	case 4: case 10: return take_named(field, field->number == 10, &range->file, err);
	case 6: case 11: return take_named(field, field->number == 11, &range->call_file, err);
	case 5: return take_number(field, &range->call_line, err);
	case 7: return take_number(field, &range->depth, err);
	case 8: return read_line_table(walk, field, err);
	default: return 0;
	}
}

static int settle_lines(struct symbfile_walk *walk, struct symbfile_range *range, struct err *err)
{
	const struct symbfile_numbers *offsets = &walk->number_lists[0], *lines = &walk->number_lists[1];
	uint64_t offset = 0;

	if (offsets->count != lines->count)
		return err_set(err, ERR_MALFORMED, "%zu offsets and %zu line numbers", offsets->count,
			       lines->count);
	if (offsets->count > walk->line_capacity &&
	    vec_reserve(&walk->lines, &walk->line_capacity, offsets->count, sizeof(*walk->lines)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for a table of lines");
	for (size_t i = 0; i < offsets->count; i++) {
		offset += offsets->items[i];
		if (offset > UINT32_MAX)
			return err_message(err, "offsets of lines leave 32 bits");
		walk->lines[i] = (struct symbfile_line){ (uint32_t)offset, lines->items[i] };
	}
	range->lines = walk->lines;
	range->line_count = offsets->count;
	walk->report->lines += offsets->count;
	return 0;
}

static int read_range(struct symbfile_walk *walk, struct text message, struct err *err)
{
	struct range_fields fields = { .length = 0 };
	struct reader reader = over_message(message);
	struct symbfile_range range;
	struct proto_field field;

	walk->number_lists[0].count = walk->number_lists[1].count = 0;
	while (!reader_at_end(&reader))
		if (next_field(&reader, &field, err) < 0 || take_range_field(walk, &field, &fields, err) < 0)
			return -1;
	if (settle_place(walk, &fields.place, err) < 0)
		return -1;
	if (!fields.function.is_set)
		return err_message(err, "no function");
	if (fields.depth > SYMBFILE_DEPTH_MAX)
		return err_set(err, ERR_LIMIT, "depth %u is more than %u", fields.depth, SYMBFILE_DEPTH_MAX);
	range = (struct symbfile_range){ .address = walk->address, .length = fields.length,
					 .call_line = fields.call_line, .depth = fields.depth };
	if (resolve(walk, &fields.function, &range.function, err) < 0 ||
	    resolve(walk, &fields.file, &range.file, err) < 0 ||
	    resolve(walk, &fields.call_file, &range.call_file, err) < 0 ||
	    settle_lines(walk, &range, err) < 0)
		return -1;
	walk->report->ranges++;
	return walk->sink->range ? walk->sink->range(walk->sink->payload, &range, err) : 0;
}

/* --- Return pads ---------------------------------------------------------------------------- */

static int settle_calls(struct symbfile_walk *walk, struct symbfile_pad *pad, struct err *err)
{
	const struct symbfile_numbers *number_lists = walk->number_lists;
	size_t count = number_lists[0].count;

	if (number_lists[1].count != count || number_lists[2].count != count)
		return err_set(err, ERR_MALFORMED, "%zu functions, %zu files and %zu lines", count,
			       number_lists[1].count, number_lists[2].count);
	if (count > walk->call_capacity &&
	    vec_reserve(&walk->calls, &walk->call_capacity, count, sizeof(*walk->calls)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for a return pad");
	for (size_t i = 0; i < count; i++) {
		walk->calls[i].line = number_lists[2].items[i];
		if (string_at(walk, number_lists[0].items[i], &walk->calls[i].function, err) < 0 ||
		    string_at(walk, number_lists[1].items[i], &walk->calls[i].file, err) < 0)
			return -1;
	}
	pad->calls = walk->calls;
	pad->count = count;
	walk->report->calls += count;
	return 0;
}

static int read_pad(struct symbfile_walk *walk, struct text message, struct err *err)
{
	struct reader reader = over_message(message);
	struct symbfile_place place = { .is_set = false };
	struct symbfile_pad pad;
	struct proto_field field;

	for (unsigned i = 0; i < COLUMNS; i++)
		walk->number_lists[i].count = 0;
	while (!reader_at_end(&reader)) {
		int rc = next_field(&reader, &field, err);

		if (rc == 0 && (field.number == 1 || field.number == 5))
			rc = take_place(&field, field.number == 1, &place, err);
		else if (rc == 0 && field.number >= 2 && field.number <= 4)
			rc = take_numbers(&field, &walk->number_lists[field.number - 2], err);
		if (rc < 0)
			return -1;
	}
	if (settle_place(walk, &place, err) < 0)
		return -1;
	pad.address = walk->address;
	if (settle_calls(walk, &pad, err) < 0)
		return -1;
	walk->report->pads++;
	return walk->sink->pad ? walk->sink->pad(walk->sink->payload, &pad, err) : 0;
}

/* --- The container -------------------------------------------------------------------------- */

bool symbfile_probe(const void *bytes, size_t size)
{
	return size >= SYMBFILE_MAGIC_BYTES && memcmp(bytes, SYMBFILE_MAGIC, SYMBFILE_MAGIC_BYTES) == 0;
}

static int read_prefix(struct reader *file, int32_t *type, struct text *message, struct err *err)
{
	uint64_t size, number;

	if (!read_varint_long(file, true, &size))
		return err_message(err, "no length of a message");
	if (size > SYMBFILE_MESSAGE_BYTES_MAX)
		return err_set(err, ERR_MALFORMED, "a message of %llu bytes, more than %llu",
			       (unsigned long long)size, (unsigned long long)SYMBFILE_MESSAGE_BYTES_MAX);
	if (!read_varint_long(file, true, &number) || number > INT32_MAX)
		return err_message(err, "no type of a message");
	message->bytes = (const char *)reader_take(file, size);
	message->size = (size_t)size;
	*type = (int32_t)number;
	return message->bytes ? 0 : err_set(err, ERR_MALFORMED, "%llu bytes of a message, %zu are there",
					    (unsigned long long)size, reader_left(file));
}

static int check_fields(struct text message, struct err *err)
{
	struct reader reader = over_message(message);
	struct proto_field field;

	while (!reader_at_end(&reader))
		if (next_field(&reader, &field, err) < 0)
			return -1;
	return 0;
}

static int read_message(struct symbfile_walk *walk, int32_t type, struct text message, bool is_first,
			struct err *err)
{
	if (is_first != (type == SYMBFILE_HEADER) || type == SYMBFILE_INVALID)
		return err_message(err, is_first ? "the first message is no header" :
				   type == SYMBFILE_HEADER ? "a second header" : "a message of type 0");
	switch (type) {
	case SYMBFILE_HEADER:          return check_fields(message, err);
	case SYMBFILE_RANGE_V1:        return read_range(walk, message, err);
	case SYMBFILE_RETURN_PAD_V1:   return read_pad(walk, message, err);
	case SYMBFILE_STRING_TABLE_V1: return read_table(walk, message, err);
	default: break;
	}
	walk->report->unknown++;
	return 0;
}

static int read_all(struct symbfile_walk *walk, struct reader *file, struct err *err)
{
	bool is_first = true;

	if (!symbfile_probe(file->bytes, file->size))
		return err_message(err, "it does not begin with `symbfile`");
	reader_skip(file, SYMBFILE_MAGIC_BYTES);
	while (is_first || !reader_at_end(file)) {
		struct text message = TEXT_NONE;
		size_t at = file->pos;
		int32_t type = SYMBFILE_INVALID;

		if (read_prefix(file, &type, &message, err) < 0)
			return err_while(err, file->failed ? "record at byte %zu: " SYMBFILE_CUT_SHORT
					 : "record at byte %zu", at);
		if (read_message(walk, type, message, is_first, err) < 0)
			return err_while(err, "record at byte %zu", at);
		if (walk->report->ranges + walk->report->pads > LIMIT_SYMBFILE_RECORDS)
			return err_set(err, ERR_LIMIT, "more than %u records", LIMIT_SYMBFILE_RECORDS);
		is_first = false;
	}
	return 0;
}

int symbfile_read(const void *bytes, size_t size, const struct symbfile_sink *sink,
		  struct symbfile_report *report, struct err *err)
{
	struct reader file = reader_over("symbfile", bytes, size);
	struct symbfile_walk walk = { .sink = sink, .report = report };
	int rc;

	*report = (struct symbfile_report){ 0 };
	rc = read_all(&walk, &file, err);
	mem_give_back(walk.strings);
	mem_give_back(walk.lines);
	mem_give_back(walk.calls);
	for (unsigned i = 0; i < COLUMNS; i++)
		mem_give_back(walk.number_lists[i].items);
	return rc < 0 ? err_while(err, "reading symbfile") : 0;
}
