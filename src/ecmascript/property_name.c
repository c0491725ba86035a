/* property_name.c -- PropertyName (ECMA-262 13.2.5) and ClassElementName. */
#include "ecmascript/productions.h"

bool ecmascript_starts_property_name(const struct token *token)
{
	switch (token->kind) {
	case TOKEN_STRING:
	case TOKEN_NUMBER:
	case TOKEN_BIGINT:
	case TOKEN_PRIVATE_NAME:
	case TOKEN_LBRACKET:
		return true;
	default:
		return token_is_word(token);
	}
}

bool ecmascript_property_name(struct scope_parser *parser, struct token *key)
{
	*key = parser->scanner.token;
	if (!ecmascript_starts_property_name(key)) {
		parser_fail(parser, "a property name");
		return false;
	}
	parser_next(parser);
	if (key->kind != TOKEN_LBRACKET)
		return true;
	parser->assignment_expression(parser, true);
	return parser_expect(parser, TOKEN_RBRACKET, "\"]\" behind a computed name");
}
