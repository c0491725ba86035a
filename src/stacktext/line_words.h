/*
 * line_words.h -- taking a line apart, word by word.  Private to this component.
 *
 * What is taken off `rest` was at its beginning; what is not there takes nothing and gives false.
 */
#ifndef STACKTEXT_LINE_WORDS_H
#define STACKTEXT_LINE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

static inline struct text after(struct text text, size_t size)
{
	return (struct text){ text.bytes + size, text.size - size };
}

static inline struct text before(struct text text, size_t size)
{
	return (struct text){ text.bytes, size };
}

static inline void skip_blanks(struct text *rest)
{
	while (rest->size > 0 && (rest->bytes[0] == ' ' || rest->bytes[0] == '\t'))
		*rest = after(*rest, 1);
}

static inline bool take(struct text *rest, const char *word)
{
	if (!text_starts_with(*rest, word))
		return false;
	*rest = after(*rest, strlen(word));
	return true;
}

static inline struct text take_word(struct text *rest)
{
	struct text word = { rest->bytes, 0 };

	while (word.size < rest->size && rest->bytes[word.size] != ' ' &&
	       rest->bytes[word.size] != '\t')
		word.size++;
	*rest = after(*rest, word.size);
	skip_blanks(rest);
	return word;
}

static inline bool take_hex(struct text *rest, uint64_t *value)
{
	size_t size = 0;

	while (size < rest->size && ascii_hex_value(rest->bytes[size]) >= 0)
		size++;
	if (!text_to_u64(before(*rest, size), 16, value))
		return false;
	*rest = after(*rest, size);
	return true;
}

static inline bool take_0x(struct text *rest, uint64_t *value)
{
	struct text tried = *rest;

	if (!take(&tried, "0x") || !take_hex(&tried, value))
		return false;
	*rest = tried;
	return true;
}

static inline bool take_decimal(struct text *rest, uint64_t *value)
{
	size_t size = 0;

	while (size < rest->size && ascii_is_digit(rest->bytes[size]))
		size++;
	if (!text_to_u64(before(*rest, size), 10, value))
		return false;
	*rest = after(*rest, size);
	return true;
}

/* Where the last `what` begins; SIZE_MAX: nowhere. */
static inline size_t find_last(struct text text, const char *what)
{
	size_t size = strlen(what);

	for (size_t at = text.size >= size ? text.size - size + 1 : 0; at > 0; at--)
		if (memcmp(text.bytes + at - 1, what, size) == 0)
			return at - 1;
	return SIZE_MAX;
}

#endif
