/* loop.c -- declarations of variables and the heads of loops (ECMA-262 14.3 and 14.7). */
#include "ecmascript/productions.h"

static void variable_declaration(struct scope_parser *parser, bool has_in)
{
	struct naming naming = { .outer = parser->naming, .kind = NAMING_BINDING,
				 .token = parser->scanner.token };

	if (token_is_identifier(&naming.token)) {
		parser->naming = &naming;
		parser_next(parser);
	} else if (parser_at(parser, TOKEN_LBRACE) || parser_at(parser, TOKEN_LBRACKET)) {
		ecmascript_binding_pattern(parser);
	} else {
		parser_fail(parser, "a name or pattern");
	}
	if (parser_accept(parser, TOKEN_ASSIGN))
		ecmascript_assignment_expression(parser, has_in);
	parser->naming = naming.outer;
}

/* At "var", "let", "const", "using". */
void ecmascript_variable_declarations(struct scope_parser *parser, bool has_in)
{
	do {
		parser_next(parser);
		variable_declaration(parser, has_in);
	} while (parser_at(parser, TOKEN_COMMA));
}

bool ecmascript_starts_lexical_declaration(struct scope_parser *parser, bool is_loop)
{
	struct token token = parser->scanner.token, next;

	if (token.is_escaped || (token.kind != TOKEN_LET && token.kind != TOKEN_USING))
		return false;
	next = scanner_peek(&parser->scanner);
	if (token.kind == TOKEN_LET)
		return token_is_identifier(&next) || next.kind == TOKEN_LBRACKET || next.kind == TOKEN_LBRACE;
	return token_is_identifier(&next) && !next.newline_before && !(is_loop && next.kind == TOKEN_OF);
}

bool ecmascript_starts_await_using(struct scope_parser *parser)
{
	struct scanner_mark mark = scanner_mark(&parser->scanner);
	bool is_declaration;

	if (!parser_accept(parser, TOKEN_AWAIT))
		return false;
	is_declaration = parser_at(parser, TOKEN_USING) && !parser->scanner.token.newline_before &&
		ecmascript_starts_lexical_declaration(parser, false);
	scanner_rewind(&parser->scanner, &mark);
	return is_declaration;
}

/* What stands before "of", "in" or the first ";". */
static void for_start(struct scope_parser *parser)
{
	struct parser_mark mark;

	if (ecmascript_starts_await_using(parser))
		parser_next(parser);
	if (parser_at(parser, TOKEN_VAR) || parser_at(parser, TOKEN_CONST) ||
	    ecmascript_starts_lexical_declaration(parser, true)) {
		ecmascript_variable_declarations(parser, false);
		return;
	}
	mark = parser_mark(parser);
	if (ecmascript_comma_expression(parser, false) == OPERAND_PATTERN &&
	    (parser_at(parser, TOKEN_OF) || parser_at(parser, TOKEN_IN)) && parser_reread(parser, &mark))
		ecmascript_assignment_pattern(parser);
}

void ecmascript_for_head(struct scope_parser *parser)
{
	parser_next(parser);
	parser_accept(parser, TOKEN_AWAIT);
	if (!parser_expect(parser, TOKEN_LPAREN, "\"(\" of a loop"))
		return;
	if (!parser_at(parser, TOKEN_SEMICOLON))
		for_start(parser);
	if (parser_accept(parser, TOKEN_OF) || parser_accept(parser, TOKEN_IN)) {
		ecmascript_comma_expression(parser, true);
	} else {
		parser_expect(parser, TOKEN_SEMICOLON, "\";\" or \"of\" in a loop's head");
		if (!parser_at(parser, TOKEN_SEMICOLON))
			ecmascript_comma_expression(parser, true);
		parser_expect(parser, TOKEN_SEMICOLON, "the second \";\" of a loop's head");
		if (!parser_at(parser, TOKEN_RPAREN))
			ecmascript_comma_expression(parser, true);
	}
	parser_expect(parser, TOKEN_RPAREN, "\")\" of a loop's head");
}
