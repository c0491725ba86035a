/* breakpad.c -- the Breakpad symbol file format: head, and what it offers. */
#include "object/breakpad/breakpad.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"

#define SCAN_BYTES ((size_t)4096)
#define CODE_FILE_WORDS 4u
#define HEAD_BYTES 320u      /* the MODULE line ends within them */

static bool breakpad_probe(const uint8_t *head, size_t size)
{
	return size >= 7 && memcmp(head, "MODULE ", 7) == 0;
}

/* MODULE os arch id name */
static int read_module(struct object *object, struct err *err)
{
	const char *at = (const char *)object->bytes;
	size_t size = object->size < HEAD_BYTES ? object->size : HEAD_BYTES;
	struct fields line = { at, at };
	struct text arch, id;
	enum arch found;

	if (!record_next(&at, at + size, &line) || record_kind(&line) != RECORD_MODULE)
		return err_set(err, ERR_MALFORMED, "no MODULE record");
	(void)field_word(&line);
	arch = field_word(&line);
	id = field_word(&line);
	object->debug_file = field_rest(&line);
	if (object->debug_file.size == 0)
		object->debug_file = TEXT("<unknown>");
	if (!arch_named(arch, &found))
		return err_set(err, ERR_MALFORMED, "MODULE names no processor we know: \"%.*s\"",
			       (int)(arch.size < 32 ? arch.size : 32), arch.bytes);
	object->arch = found;
	if (!debugid_parse_breakpad(id, &object->debug_id))
		return err_set(err, ERR_MALFORMED, "MODULE has a bad id: \"%.*s\"",
			       (int)(id.size < 48 ? id.size : 48), id.bytes);
	return 0;
}

static int keep_code_id(struct object *object, struct text word, struct err *err)
{
	char *hex = arena_alloc(object->arena, word.size + 1, 1);

	if (!hex)
		return err_set(err, ERR_NO_MEMORY, "no memory for the code id");
	if (codeid_normalise(word, hex))
		object->code_id = text_of(hex);
	return 0;
}

/* INFO records stand right behind MODULE. */
static int read_infos(struct object *object, struct err *err)
{
	const char *at = (const char *)object->bytes, *end = at + object->size;
	struct fields line;

	while (record_next(&at, end, &line)) {
		enum record_type record = record_kind(&line);

		if (record == RECORD_INFO && text_is(field_word(&line), "CODE_ID"))
			return keep_code_id(object, field_word(&line), err);
		if (record != RECORD_INFO && record != RECORD_MODULE && record != RECORD_EMPTY)
			break;
	}
	return 0;
}

/* "INFO CODE_ID 5CA8A0BC3B000 xul.dll": its fourth word, where it has just four. */
static struct text name_of_info(struct text line)
{
	struct text words[CODE_FILE_WORDS];
	size_t count = 0;

	for (line = text_trim(line); count < CODE_FILE_WORDS; count++) {
		const char *blank = memchr(line.bytes, ' ', line.size);

		words[count] = (struct text){ line.bytes, blank ? (size_t)(blank - line.bytes) : line.size };
		if (!blank)
			return count + 1 == CODE_FILE_WORDS ? words[count] : TEXT_NONE;
		line = text_from(line, words[count].size + 1);
	}
	return TEXT_NONE;
}

/* The first INFO record tells the file with the code, or none does; it stands before all FILE, PUBLIC
 * and FUNC. */
static struct text find_code_file(const struct object *object)
{
	struct text rest = { (const char *)object->bytes, object->size }, line;

	while (memchr(rest.bytes, '\n', rest.size) && text_take_line(&rest, &line)) {
		if (text_starts_with(line, "INFO"))
			return name_of_info(line);
		if (text_starts_with(line, "FILE") || text_starts_with(line, "PUBLIC") ||
		    text_starts_with(line, "FUNC"))
			break;
	}
	return TEXT_NONE;
}

/* Of SCAN_BYTES and one more; without branches, so that compilers make it of wide steps. */
static bool has_line_with(const char *bytes, char first)
{
	unsigned char found = 0;

	for (size_t i = 0; i < SCAN_BYTES; i++)
		found |= (unsigned char)((bytes[i] == '\n') & (bytes[i + 1] == first));
	return found;
}

/* Is there a line that begins so?  The first line does not count. */
static bool has_record(const struct object *object, const char *line)
{
	const char *bytes = (const char *)object->bytes;
	size_t size = strlen(line), at = 0;

	for (; object->size - at > SCAN_BYTES + size; at += SCAN_BYTES)
		if (has_line_with(bytes + at, line[1]) &&
		    memmem(bytes + at, SCAN_BYTES + size, line, size))
			return true;
	return memmem(bytes + at, object->size - at, line, size) != NULL;
}

static int breakpad_open(struct object *object, struct arena *arena, struct err *err)
{
	struct breakpad *breakpad = arena_alloc(arena, 1, sizeof(*breakpad));

	if (!breakpad)
		return err_set(err, ERR_NO_MEMORY, "no memory for its head");
	breakpad->start = (const char *)object->bytes;
	breakpad->end = breakpad->start + object->size;
	breakpad->work = object->work;
	object->state = breakpad;
	object->kind = OBJECT_KIND_DEBUG;
	if (has_record(object, "\nPUBLIC "))
		object->offers |= OBJECT_OFFERS_SYMBOLS;
	if (has_record(object, "\nFUNC "))
		object->offers |= OBJECT_OFFERS_DEBUG;
	if (has_record(object, "\nSTACK "))
		object->offers |= OBJECT_OFFERS_UNWIND;
	if (read_module(object, err) < 0)
		return -1;
	object->code_file = find_code_file(object);
	return read_infos(object, err);
}

static int breakpad_prepare(struct object *object, struct err *err)
{
	struct breakpad *breakpad = object->state;

	if (breakpad->prepared)
		return 0;
	breakpad->prepared = true;
	return breakpad_survey(breakpad, object->arena, err);
}

static size_t unit_count(const struct object *object)
{
	return ((const struct breakpad *)object->state)->unit_count;
}

static int read_unit(const struct object *object, size_t unit, struct arena *scratch,
		     const struct object_sink *sink, struct err *err)
{
	return breakpad_read_unit(object->state, unit, scratch, sink, err);
}

static void unit_name(const struct object *object, size_t unit, char *out, size_t capacity)
{
	const struct breakpad *breakpad = object->state;

	(void)snprintf(out, capacity, "functions from byte %zu",
		       (size_t)(breakpad->units[unit].start - breakpad->start));
}

static int each_symbol(const struct object *object, object_symbol_fn *fn, void *payload,
		       struct err *err)
{
	const struct breakpad *breakpad = object->state;

	(void)err;
	for (size_t i = 0; i < breakpad->public_count; i++)
		if (fn(payload, &breakpad->publics[i]))
			break;
	return 0;
}

static int each_unwind(struct object *object, const struct object_unwind_sink *sink,
		       struct err *err)
{
	struct object_unwind section = {
		.kind = OBJECT_UNWIND_BREAKPAD, .name = "symbol file",
		.bytes = { (const char *)object->bytes, object->size },
	};

	return sink->section(sink->payload, &section, err);
}

const struct object_format object_format_breakpad = {
	.name = "breakpad",
	.probe_bytes = 7,
	.probe = breakpad_probe,
	.open = breakpad_open,
	.prepare = breakpad_prepare,
	.unit_count = unit_count,
	.read_unit = read_unit,
	.unit_name = unit_name,
	.each_symbol = each_symbol,
	.each_unwind = each_unwind,
};
