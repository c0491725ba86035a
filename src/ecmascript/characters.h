/*
 * characters -- what a byte of a text can be the start of (ECMA-262 12.2, 12.3 and 12.8).
 *
 * Bytes above 0x7f belong to names unless they are white space or line ends: which letters Unicode
 * allows in identifiers makes no difference to where functions are.
 */
#ifndef ECMASCRIPT_CHARACTERS_H
#define ECMASCRIPT_CHARACTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ecmascript/scanner.h"

enum character_class {
	CHARACTER_ILLEGAL, CHARACTER_NAME, CHARACTER_SINGLE, CHARACTER_DIGIT, CHARACTER_DOT,
	CHARACTER_LBRACE, CHARACTER_RBRACE, CHARACTER_QUOTE, CHARACTER_BACKTICK, CHARACTER_EQUALS,
	CHARACTER_QUESTION, CHARACTER_OPERATOR, CHARACTER_HASH, CHARACTER_BACKSLASH,
	/* may stand before a token */
	CHARACTER_BEFORE_TOKEN,
	CHARACTER_SPACE = CHARACTER_BEFORE_TOKEN, CHARACTER_LINE_END,
	CHARACTER_COMMENT,               /* "/", "<" and "-": operators, too */
	CHARACTER_HIGH
};

extern const uint8_t characters[256];            /* their classes */

/* Punctuators that are one byte and the start of no other. */
enum token_kind character_token(uint8_t byte);

/* The size of the WhiteSpace or LineTerminator at `bytes`, one beyond ASCII; 0: another. */
uint32_t character_space(const uint8_t *bytes, size_t size);
/* U+2028 and U+2029 */
bool character_is_line_end(const uint8_t *bytes, size_t size);

static inline bool character_is_name_part(uint8_t byte)
{
	return characters[byte] == CHARACTER_NAME || characters[byte] == CHARACTER_DIGIT;
}

static inline bool character_is_digit(uint8_t byte)
{
	return byte >= '0' && byte <= '9';
}

static inline bool character_is_hex(uint8_t byte)
{
	return character_is_digit(byte) || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'f');
}

#endif
