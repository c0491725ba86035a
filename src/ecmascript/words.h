/* words -- which kind of token a word is (ECMA-262 12.7.2). */
#ifndef ECMASCRIPT_WORDS_H
#define ECMASCRIPT_WORDS_H

#include <stdint.h>

uint8_t words_find(const uint8_t *bytes, uint32_t size);

#define WORD_BYTES_MIN 2u
#define WORD_BYTES_MAX 10u

/* TOKEN_NAME for what has no meaning of its own. */
static inline uint8_t word_kind(const uint8_t *bytes, uint32_t size)
{
	if (size < WORD_BYTES_MIN || size > WORD_BYTES_MAX || bytes[0] < 'a' || bytes[0] > 'y')
		return TOKEN_NAME;
	return words_find(bytes, size);
}

#endif
