/*
 * text -- a borrowed run of bytes that is somebody else's, with its length.
 *
 * Not NUL-ended.  A name inside a mapped file is a struct text; it lives as
 * long as the mapping.  { NULL, 0 } is "no text"; { "", 0 } is an empty one.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text {
	const char *bytes;
	size_t size;
};

/* Several; names and their values, of which one name may come twice. */
struct text_list { const struct text *texts; size_t count; };
struct text_pair { struct text name, value; };
struct text_map { const struct text_pair *pairs; size_t count; };

#define TEXT_NONE ((struct text){ NULL, 0 })
#define TEXT(literal) ((struct text){ (literal), sizeof(literal) - 1 })

static inline struct text text_of(const char *string)
{
	return string ? (struct text){ string, strlen(string) } : TEXT_NONE;
}

static inline bool text_equal(struct text a, struct text b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

static inline bool text_is(struct text a, const char *string)
{
	return text_equal(a, text_of(string));
}

static inline bool text_starts_with(struct text a, const char *prefix)
{
	size_t size = strlen(prefix);

	return a.size >= size && memcmp(a.bytes, prefix, size) == 0;
}

static inline bool text_ends_with(struct text a, const char *suffix)
{
	size_t size = strlen(suffix);

	return a.size >= size && memcmp(a.bytes + a.size - size, suffix, size) == 0;
}

/* What is left behind the first `size` bytes; there are as many. */
static inline struct text text_from(struct text a, size_t size)
{
	return (struct text){ a.bytes + size, a.size - size };
}

/* Byte by byte, like memcmp(): a text comes before all it is the beginning of. */
static inline int text_compare(struct text a, struct text b)
{
	size_t size = a.size < b.size ? a.size : b.size;
	int order = size ? memcmp(a.bytes, b.bytes, size) : 0;

	return order ? order : (a.size > b.size) - (a.size < b.size);
}

/* ASCII only, whatever the locale. */
static inline char ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static inline char ascii_upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static inline bool ascii_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Space, tab and the two that end lines. */
static inline bool ascii_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* 0-15, or -1. */
int ascii_hex_value(char c);

/* How many leading bytes a JSON string has as they are: ASCII without controls, quotes and
 * backslashes. */
size_t ascii_plain_run(const char *bytes, size_t size);
/* The same, and copies them. */
size_t ascii_copy_plain(char *to, const char *bytes, size_t size);

bool text_equal_ignoring_case(struct text a, struct text b);

/* Whole text as an unsigned number of that base (10 or 16, no prefix, no sign). */
bool text_to_u64(struct text text, unsigned base, uint64_t *value);

/* Takes off what stands before the first such byte, and the byte; all of `rest` where it has none. */
struct text text_cut(struct text *rest, char byte);

/* Takes the next line off `rest`; the newline is in neither.  False: nothing is left. */
bool text_take_line(struct text *rest, struct text *line);

/* Without the blanks at either end. */
struct text text_trim(struct text text);

/* How many characters to add, take or change make one of the other (Levenshtein); both ASCII. */
size_t text_edit_distance(struct text a, struct text b);

/* A byte below the space, or 0x7f. */
bool text_has_controls(struct text text);

/* The part after the last '/' or '\\', trailing separators removed first. */
struct text text_basename(struct text path);

/* Is it valid UTF-8 (no overlong forms, no surrogates, at most U+10FFFF)? */
bool text_is_utf8(struct text text);

/* One character of at least one byte: how many bytes it takes, and whether they are valid.
 * What is not counts as one character up to where it stopped being one (one U+FFFD). */
size_t utf8_step(const char *bytes, size_t size, bool *valid);

/* Of one such character: would a terminal obey it, or a line break?  (U+0000 to U+001F, U+007F to
 * U+009F.) */
bool utf8_is_control(const char *bytes, size_t size);

/* The bytes of one character, at most U+10FFFF; how many. */
size_t utf8_put(uint32_t character, char out[4]);

#endif
