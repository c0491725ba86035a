/* kit.c -- see kit.h. */
#include "object/dwarf/kit.h"

#include <stdlib.h>
#include <string.h>

#include "base/arch.h"

#define SECTION_BYTES ((size_t)64 << 20)
#define ARENA_BYTES   ((size_t)256 << 20)
#define OPEN_MAX      8u

static void put_number(struct buf *out, uint64_t value, unsigned bytes, bool big_endian)
{
	for (unsigned i = 0; i < bytes; i++)
		buf_add_char(out, (char)(value >> 8 * (big_endian ? bytes - 1 - i : i)));
}

static void put_uleb(struct buf *out, uint64_t value)
{
	do {
		buf_add_char(out, (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0)));
		value >>= 7;
	} while (value);
}

static void put_sleb(struct buf *out, int64_t value)
{
	bool more = true;

	while (more) {
		unsigned byte = (unsigned)value & 0x7f;

		value >>= 7;
		more = !((value == 0 && !(byte & 0x40)) || (value == -1 && (byte & 0x40)));
		buf_add_char(out, (char)(byte | (more ? 0x80 : 0)));
	}
}

static void close_length(struct buf *out, size_t at, unsigned bytes, bool big_endian)
{
	uint64_t length = out->size - at - bytes;

	for (unsigned i = 0; i < bytes; i++)
		out->bytes[at + i] = (char)(length >> 8 * (big_endian ? bytes - 1 - i : i));
}

static void put_word(struct buf *out, const char *word, size_t size, bool big_endian)
{
	uint64_t number = strtoull(word + 1, NULL, 0);

	switch (word[0]) {
	case 'b':
		put_number(out, number, 1, big_endian);
		break;
	case 'h':
		put_number(out, number, 2, big_endian);
		break;
	case 'w':
		put_number(out, number, 4, big_endian);
		break;
	case 'q':
		put_number(out, number, 8, big_endian);
		break;
	case 'u':
		put_uleb(out, number);
		break;
	case 'i':
		put_sleb(out, strtoll(word + 1, NULL, 0));
		break;
	case 's':
		buf_add(out, word + 1, size - 1);
		buf_add_char(out, '\0');
		break;
	case '.':
		while (out->size < number)
			buf_add_char(out, '\0');
		break;
	default:
		ck_abort_msg("no such word: %.*s", (int)size, word);
	}
}

void kit_put_in(struct buf *out, const char *words, bool big_endian)
{
	size_t open[OPEN_MAX], opened = 0;

	while (*(words += strspn(words, " \n\t"))) {
		size_t size = strcspn(words, " \n\t");
		unsigned bytes = *words == '[' || *words == ']' ? 4 : 1;

		if (*words == '[' || *words == '{') {
			ck_assert_uint_lt(opened, OPEN_MAX);
			open[opened++] = out->size;
			put_number(out, 0, bytes, false);
		} else if (*words == ']' || *words == '}') {
			ck_assert_uint_gt(opened, 0);
			close_length(out, open[--opened], bytes, big_endian);
		} else {
			put_word(out, words, size, big_endian);
		}
		words += size;
	}
	ck_assert_uint_eq(opened, 0);
	ck_assert(!out->failed);
}

void kit_put(struct kit *kit, enum dwarf_section section, const char *words)
{
	kit_put_in(&kit->main[section], words, kit->input.main.big_endian);
}

void kit_init(struct kit *kit)
{
	memset(kit, 0, sizeof(*kit));
	for (unsigned i = 0; i < DWARF_SECTIONS; i++) {
		buf_init(&kit->main[i], SECTION_BYTES);
		buf_init(&kit->split[i], SECTION_BYTES);
		buf_init(&kit->alternate[i], SECTION_BYTES);
	}
	buf_init(&kit->said, SECTION_BYTES);
}

void kit_release(struct kit *kit)
{
	for (unsigned i = 0; i < DWARF_SECTIONS; i++) {
		buf_release(&kit->main[i]);
		buf_release(&kit->split[i]);
		buf_release(&kit->alternate[i]);
	}
	buf_release(&kit->said);
}

/* --- The sink ------------------------------------------------------------------------- */

static void say_place(struct buf *said, const struct object_file_name *files, size_t count,
		      uint32_t file, uint32_t line)
{
	if (file == OBJECT_NO_FILE) {
		buf_printf(said, "?:%u", line);
		return;
	}
	ck_assert_uint_lt(file, count);
	if (files[file].directory.size)
		buf_printf(said, "%.*s/", (int)files[file].directory.size,
			   files[file].directory.bytes);
	buf_printf(said, "%.*s:%u", (int)files[file].name.size,
		   files[file].name.size ? files[file].name.bytes : "", line);
}

static void say_inlinee(struct buf *said, const struct object_file_name *files, size_t count,
			const struct object_function *function, size_t index)
{
	const struct object_inlinee *inlinee = &function->inlinees[index];
	uint64_t at = function->range.address;

	buf_add_string(said, " ");
	for (uint32_t up = (uint32_t)index; up != OBJECT_NO_PARENT;
	     up = function->inlinees[up].parent) {
		ck_assert(function->inlinees[up].parent == OBJECT_NO_PARENT ||
			  function->inlinees[up].parent < up);
		buf_add_string(said, ">");
	}
	buf_printf(said, "%.*s(", (int)inlinee->name.size,
		   inlinee->name.size ? inlinee->name.bytes : "");
	ck_assert_uint_gt(inlinee->range_count, 0);
	for (size_t i = 0; i < inlinee->range_count; i++) {
		const struct object_range *range = &inlinee->ranges[i];

		ck_assert_uint_ge(range->address, at);
		ck_assert_uint_gt(range->size, 0);
		at = range->address + range->size;
		ck_assert_uint_le(at, function->range.address + function->range.size);
		buf_printf(said, "%s%llx+%llx", i ? " " : "", (unsigned long long)range->address,
			   (unsigned long long)range->size);
	}
	buf_add_string(said, ")@");
	say_place(said, files, count, inlinee->call_file, inlinee->call_line);
}

static int say_function(void *payload, const struct object_file_name *files, size_t count,
			const struct object_function *function, struct err *err)
{
	struct buf *said = payload;

	(void)err;
	ck_assert_uint_gt(function->range.size, 0);
	buf_printf(said, "%.*s %llx+%llx", (int)function->name.size,
		   function->name.size ? function->name.bytes : "",
		   (unsigned long long)function->range.address,
		   (unsigned long long)function->range.size);
	if (function->language)
		buf_printf(said, " %s", language_name(function->language));
	buf_add_string(said, ":");
	for (size_t i = 0; i < function->line_count; i++) {
		const struct object_line *line = &function->lines[i];

		ck_assert_uint_ge(line->address, function->range.address);
		ck_assert_uint_lt(line->address - function->range.address, function->range.size);
		ck_assert(!i || line->address > line[-1].address);
		buf_printf(said, " %llx=", (unsigned long long)line->address);
		say_place(said, files, count, line->file, line->line);
	}
	if (function->inlinee_count)
		buf_add_string(said, ";");
	for (size_t i = 0; i < function->inlinee_count; i++)
		say_inlinee(said, files, count, function, i);
	buf_add_string(said, "\n");
	return 0;
}

int kit_read_input(const struct dwarf_input *input, size_t arena_bytes, struct buf *said,
		   struct err *err, unsigned *failed)
{
	struct object_sink sink = { said, say_function };
	struct arena arena, scratch;
	struct dwarf *dwarf;
	int result;

	arena_init(&arena, arena_bytes);
	arena_init(&scratch, arena_bytes);
	*failed = 0;
	result = dwarf_open(&dwarf, input, &arena, err);
	for (size_t i = 0; result == 0 && i < dwarf_unit_count(dwarf); i++) {
		struct err unit_err = ERR_INIT;

		if (dwarf_read_unit(dwarf, i, &scratch, &sink, &unit_err) == 0)
			continue;
		*err = unit_err;
		++*failed;
	}
	arena_release(&scratch);
	arena_release(&arena);
	return result;
}

/* --- A kit's own sections ------------------------------------------------------------- */

static struct text symbol_at(const void *payload, uint64_t address)
{
	const struct kit_symbol *symbol = payload;

	for (; symbol->name; symbol++)
		if (symbol->address == address)
			return text_of(symbol->name);
	return TEXT_NONE;
}

static void offer(struct dwarf_sections *sections, const struct buf *bytes)
{
	for (unsigned i = 0; i < DWARF_SECTIONS; i++)
		sections->section[i] = buf_text(&bytes[i]);
}

const char *kit_read(struct kit *kit)
{
	offer(&kit->input.main, kit->main);
	offer(&kit->input.split, kit->split);
	offer(&kit->input.alternate, kit->alternate);
	if (kit->symbols) {
		kit->input.symbol_at = symbol_at;
		kit->input.payload = kit->symbols;
	}
	buf_clear(&kit->said);
	err_clear(&kit->err);
	ck_assert_int_eq(kit_read_input(&kit->input, ARENA_BYTES, &kit->said, &kit->err,
					&kit->failed), 0);
	return buf_string(&kit->said);
}
