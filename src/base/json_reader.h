/*
 * json_reader -- a bounded walk over untrusted JSON text (RFC 8259), one value after the other.
 *
 *	if (json_reader_object(&json))
 *		while (json_reader_member(&json, &name))
 *			take its value, or json_reader_skip(&json)
 *	if (json_reader_check(&json, err) < 0)
 *		return -1;
 *
 * It allocates nothing, never recurses, and makes no tree.  What takes a value takes nothing and
 * returns false when the next value is of another kind.  Text that is no JSON sets `missing`,
 * which stays set: from then on there are no members, no elements and no values, and a walk ends
 * by itself.  Bytes from 0x80 on are taken as they stand in strings: whoever needs UTF-8 asks
 * text_is_utf8() before.  Strings are borrowed from the text.
 */
#ifndef BASE_JSON_READER_H
#define BASE_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct arena;
struct err;

struct json_reader {
	const char *name;            /* "the line map": for messages */
	const char *bytes;
	size_t size;
	size_t pos;                  /* pos <= size, always */
	bool is_first;               /* in its object or array, is what comes next */
	const char *missing;         /* sticky; NULL: all was JSON so far */
	size_t missing_at;
};

/* What stands between the quotes. */
struct json_string {
	struct text raw;
	bool has_escapes;            /* false: raw is what it says */
};

static inline struct json_reader json_reader_over(const char *name, struct text text)
{
	return (struct json_reader){ .name = name, .bytes = text.bytes, .size = text.size };
}

/* Fails for a reason of the caller's: "NAME has no EXPECTED at byte N".  Always false. */
bool json_reader_refuse(struct json_reader *json, const char *expected);
/* 0 while all was JSON; otherwise ERR_MALFORMED with the first reason. */
int  json_reader_check(const struct json_reader *json, struct err *err)
	__attribute__((warn_unused_result));
/* The first byte of what comes next ('{' '[' '"' '-' '0'-'9' 't' 'f' 'n'), which stays; 0 at the
 * end and after a failure. */
char json_reader_peek(struct json_reader *json);
/* Nothing but blanks is left, and nothing has failed. */
bool json_reader_at_end(struct json_reader *json);

/* Into an object or array. */
bool json_reader_object(struct json_reader *json);
bool json_reader_array(struct json_reader *json);
/* The name of the next member, whose value comes next; false: out of the object. */
bool json_reader_member(struct json_reader *json, struct json_string *name);
/* There is a next element, which comes next; false: out of the array. */
bool json_reader_element(struct json_reader *json);

bool json_reader_string(struct json_reader *json, struct json_string *string);
/* A whole number of up to so many bits, without sign, fraction and exponent. */
bool json_reader_u64(struct json_reader *json, uint64_t *value);
bool json_reader_u32(struct json_reader *json, uint32_t *value);
bool json_reader_bool(struct json_reader *json, bool *value);
/* Past a value of any kind, nested at most LIMIT_JSON_DEPTH deep. */
void json_reader_skip(struct json_reader *json);

bool json_string_is(const struct json_string *string, const char *expected);
/* What it says: borrowed, or from the arena when it has escapes (a surrogate without its other
 * half says U+FFFD).  False: no memory. */
bool json_string_text(const struct json_string *string, struct arena *arena, struct text *text)
	__attribute__((warn_unused_result));
/* Writes what it says from *at of `raw` on, which moves up to what is left; at most `capacity` bytes,
 * of which there are four at least.  How many; 0: all was said. */
size_t json_string_piece(const struct json_string *string, size_t *at, char *out, size_t capacity);

#endif
