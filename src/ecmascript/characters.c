/* characters.c -- see characters.h. */
#include "ecmascript/characters.h"

#include <string.h>

#define N CHARACTER_NAME
#define D CHARACTER_DIGIT
#define S CHARACTER_SINGLE
#define O CHARACTER_OPERATOR
#define H CHARACTER_HIGH
#define SIXTEEN(c) c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c

const uint8_t characters[256] = {
	/* 0x00 */ 0, 0, 0, 0, 0, 0, 0, 0, 0, CHARACTER_SPACE, CHARACTER_LINE_END, CHARACTER_SPACE,
		CHARACTER_SPACE, CHARACTER_LINE_END, 0, 0,
	/* 0x10 */ SIXTEEN(0),
	/*   ! " # $ % & ' */ CHARACTER_SPACE, CHARACTER_EQUALS, CHARACTER_QUOTE, CHARACTER_HASH, N, O, O,
		CHARACTER_QUOTE,
	/* ( ) * + , - . / */ S, S, O, O, S, CHARACTER_COMMENT, CHARACTER_DOT, CHARACTER_COMMENT,
	/* 0 to 7          */ D, D, D, D, D, D, D, D,
	/* 8 9 : ; < = > ? */ D, D, S, S, CHARACTER_COMMENT, CHARACTER_EQUALS, O, CHARACTER_QUESTION,
	/* @ A to O        */ S, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	/* P to Z [ \ ] ^ _ */ N, N, N, N, N, N, N, N, N, N, N, S, CHARACTER_BACKSLASH, S, O, N,
	/* ` a to o        */ CHARACTER_BACKTICK, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	/* p to z { | } ~  */ N, N, N, N, N, N, N, N, N, N, N, CHARACTER_LBRACE, O, CHARACTER_RBRACE, S, 0,
	/* 0x80 */ SIXTEEN(H), SIXTEEN(H), SIXTEEN(H), SIXTEEN(H),
	/* 0xc0 */ SIXTEEN(H), SIXTEEN(H), SIXTEEN(H), SIXTEEN(H)
};

enum token_kind character_token(uint8_t byte)
{
	switch (byte) {
	case '(': return TOKEN_LPAREN;
	case ')': return TOKEN_RPAREN;
	case '[': return TOKEN_LBRACKET;
	case ']': return TOKEN_RBRACKET;
	case ';': return TOKEN_SEMICOLON;
	case ',': return TOKEN_COMMA;
	case ':': return TOKEN_COLON;
	case '~': return TOKEN_NOT;
	case '@': return TOKEN_AT;
	default:  return TOKEN_ILLEGAL;
	}
}

uint32_t character_space(const uint8_t *bytes, size_t size)
{
	if (size >= 2 && memcmp(bytes, "\xC2\xA0", 2) == 0)      /* U+00A0 */
		return 2;
	if (size < 3)
		return 0;
	if (memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ||             /* U+FEFF */
	    memcmp(bytes, "\xE1\x9A\x80", 3) == 0 ||             /* U+1680 */
	    memcmp(bytes, "\xE2\x81\x9F", 3) == 0 ||             /* U+205F */
	    memcmp(bytes, "\xE3\x80\x80", 3) == 0)               /* U+3000 */
		return 3;
	if (bytes[0] != 0xE2 || bytes[1] != 0x80)
		return 0;
	/* U+2000 to U+200A, U+2028, U+2029, U+202F */
	return bytes[2] <= 0x8A || bytes[2] == 0xA8 || bytes[2] == 0xA9 || bytes[2] == 0xAF ? 3 : 0;
}

bool character_is_line_end(const uint8_t *bytes, size_t size)
{
	return size >= 3 && bytes[0] == 0xE2 && bytes[1] == 0x80 && (bytes[2] == 0xA8 || bytes[2] == 0xA9);
}
