/* methods.c -- see methods.h. */
#include "cli/methods.h"

#include "base/arch.h"
#include "base/buf.h"
#include "base/json_writer.h"
#include "ppdbcache/ppdbcache.h"

/* ECMA-335 II.22: a token is the number of a table and that of a row. */
#define TOKEN_TABLE(token) ((token) >> 24)
#define TOKEN_ROW(token) ((token) & 0xffffffu)
#define TABLE_METHOD_DEF 0x06u
#define TOKEN_OF_METHOD(row) (TABLE_METHOD_DEF << 24 | (row))

static bool parse_hex(struct text text, uint32_t *value)
{
	uint64_t number;

	if (text_starts_with(text, "0x") || text_starts_with(text, "0X"))
		text = (struct text){ text.bytes + 2, text.size - 2 };
	if (!text_to_u64(text, 16, &number) || number > UINT32_MAX)
		return false;
	*value = (uint32_t)number;
	return true;
}

bool method_parse(struct text text, struct method_question *question)
{
	const char *plus = text.size ? memchr(text.bytes, '+', text.size) : NULL;
	size_t head = plus ? (size_t)(plus - text.bytes) : text.size;
	uint32_t token;

	question->offset = 0;
	if (!parse_hex((struct text){ text.bytes, head }, &token) ||
	    (plus && !parse_hex((struct text){ plus + 1, text.size - head - 1 },
				&question->offset)))
		return false;
	if (TOKEN_TABLE(token) != TABLE_METHOD_DEF && TOKEN_TABLE(token) != 0)
		return false;
	question->method = TOKEN_ROW(token);
	return question->method > 0;
}

void method_show(const struct method_question *question, const struct ppdbcache_place *place,
		 bool colour, struct buf *out)
{
	buf_printf(out, "0x%08x+0x%x: ?? at ", TOKEN_OF_METHOD(question->method),
		   question->offset);
	if (!place || !place->file.size) {
		buf_printf(out, "??:%u\n", place ? (unsigned)place->line : 0);
		return;
	}
	buf_add_string(out, colour ? "\033[36m" : "");
	buf_add_visible(out, place->file);
	buf_printf(out, "%s:%u\n", colour ? "\033[0m" : "", (unsigned)place->line);
}

static void add_place(const struct ppdbcache_place *place, struct json_writer *json)
{
	if (place->file.bytes)
		json_member_text(json, "file", place->file);
	json_member_u64(json, "line", place->line);
	json_member_string(json, "language", language_name(place->language));
}

void method_json(const struct method_question *question, const struct ppdbcache_place *place,
		 struct json_writer *json)
{
	json_member_hex(json, "method", TOKEN_OF_METHOD(question->method));
	json_member_hex(json, "offset", question->offset);
	json_key(json, "frames");
	json_array(json);
	if (place) {
		json_object(json);
		add_place(place, json);
		json_object_end(json);
	}
	json_array_end(json);
}

/* --- Listings ------------------------------------------------------------------------- */

void methods_dump_head(const struct ppdbcache *cache, struct json_writer *json)
{
	char id[DEBUGID_TEXT_BYTES];

	debugid_format(&cache->debug_id, id);
	json_member_string(json, "debug_id", id);
	json_member_u64(json, "files", cache->file_count);
	json_member_u64(json, "ranges", cache->range_count);
	json_member_u64(json, "string_bytes", cache->string_bytes);
}

void methods_dump_range(const struct ppdbcache *cache, uint32_t index, struct json_writer *json)
{
	struct method_question range;
	struct ppdbcache_place place;

	ppdbcache_range(cache, index, &range.method, &range.offset, &place);
	json_object(json);
	json_member_hex(json, "method", TOKEN_OF_METHOD(range.method));
	json_member_hex(json, "offset", range.offset);
	add_place(&place, json);
	json_object_end(json);
}

void methods_dump(const struct ppdbcache *cache, struct buf *out)
{
	char id[DEBUGID_TEXT_BYTES];

	debugid_format(&cache->debug_id, id);
	buf_printf(out, "ppdbcache %s: %u files, %u ranges, %u bytes of strings\n", id,
		   (unsigned)cache->file_count, (unsigned)cache->range_count,
		   (unsigned)cache->string_bytes);
	for (uint32_t i = 0; i < cache->range_count && !out->failed; i++) {
		struct method_question range;
		struct ppdbcache_place place;

		ppdbcache_range(cache, i, &range.method, &range.offset, &place);
		method_show(&range, &place, false, out);
	}
}
