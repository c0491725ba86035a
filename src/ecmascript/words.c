/* words.c -- see words.h. */
#include "ecmascript/scanner.h"

#include "ecmascript/words.h"

/* In alphabetical order. */
static const struct {
	const char *word;
	uint8_t size, kind;
} words[] = {
	{ "accessor", 8, TOKEN_ACCESSOR },
	{ "as", 2, TOKEN_AS },
	{ "async", 5, TOKEN_ASYNC },
	{ "await", 5, TOKEN_AWAIT },
	{ "break", 5, TOKEN_BREAK },
	{ "case", 4, TOKEN_CASE },
	{ "catch", 5, TOKEN_CATCH },
	{ "class", 5, TOKEN_CLASS },
	{ "const", 5, TOKEN_CONST },
	{ "continue", 8, TOKEN_CONTINUE },
	{ "debugger", 8, TOKEN_DEBUGGER },
	{ "default", 7, TOKEN_DEFAULT },
	{ "delete", 6, TOKEN_DELETE },
	{ "do", 2, TOKEN_DO },
	{ "else", 4, TOKEN_ELSE },
	{ "enum", 4, TOKEN_ENUM },
	{ "export", 6, TOKEN_EXPORT },
	{ "extends", 7, TOKEN_EXTENDS },
	{ "false", 5, TOKEN_FALSE },
	{ "finally", 7, TOKEN_FINALLY },
	{ "for", 3, TOKEN_FOR },
	{ "from", 4, TOKEN_FROM },
	{ "function", 8, TOKEN_FUNCTION },
	{ "get", 3, TOKEN_GET },
	{ "if", 2, TOKEN_IF },
	{ "import", 6, TOKEN_IMPORT },
	{ "in", 2, TOKEN_IN },
	{ "instanceof", 10, TOKEN_INSTANCEOF },
	{ "let", 3, TOKEN_LET },
	{ "new", 3, TOKEN_NEW },
	{ "null", 4, TOKEN_NULL },
	{ "of", 2, TOKEN_OF },
	{ "return", 6, TOKEN_RETURN },
	{ "set", 3, TOKEN_SET },
	{ "static", 6, TOKEN_STATIC },
	{ "super", 5, TOKEN_SUPER },
	{ "switch", 6, TOKEN_SWITCH },
	{ "this", 4, TOKEN_THIS },
	{ "throw", 5, TOKEN_THROW },
	{ "true", 4, TOKEN_TRUE },
	{ "try", 3, TOKEN_TRY },
	{ "typeof", 6, TOKEN_TYPEOF },
	{ "using", 5, TOKEN_USING },
	{ "var", 3, TOKEN_VAR },
	{ "void", 4, TOKEN_VOID },
	{ "while", 5, TOKEN_WHILE },
	{ "with", 4, TOKEN_WITH },
	{ "yield", 5, TOKEN_YIELD },
};

/* For each letter from "a": its first word, and which sizes its words have, a bit each. */
static const struct {
	uint8_t first;
	uint16_t sizes;
} letters[] = {
	/* a */ { 0, 0x124 },
	/* b */ { 4, 0x020 },
	/* c */ { 5, 0x130 },
	/* d */ { 10, 0x1c4 },
	/* e */ { 14, 0x0d0 },
	/* f */ { 18, 0x1b8 },
	/* g */ { 23, 0x008 },
	/* h */ { 24, 0x000 },
	/* i */ { 24, 0x444 },
	/* j */ { 28, 0x000 },
	/* k */ { 28, 0x000 },
	/* l */ { 28, 0x008 },
	/* m */ { 29, 0x000 },
	/* n */ { 29, 0x018 },
	/* o */ { 31, 0x004 },
	/* p */ { 32, 0x000 },
	/* q */ { 32, 0x000 },
	/* r */ { 32, 0x040 },
	/* s */ { 33, 0x068 },
	/* t */ { 37, 0x078 },
	/* u */ { 42, 0x020 },
	/* v */ { 43, 0x018 },
	/* w */ { 45, 0x030 },
	/* x */ { 47, 0x000 },
	/* y */ { 47, 0x020 },
	/* z */ { 48, 0x000 },
};

uint8_t words_find(const uint8_t *bytes, uint32_t size)
{
	uint8_t letter = (uint8_t)(bytes[0] - 'a');

	if (!(letters[letter].sizes & 1u << size))
		return TOKEN_NAME;
	for (uint8_t i = letters[letter].first; i < letters[letter + 1].first; i++)
		if (words[i].size == size && memcmp(words[i].word, bytes, size) == 0)
			return words[i].kind;
	return TOKEN_NAME;
}
