/* module_item.c -- import and export declarations (ECMA-262 16.2): names, but no functions. */
#include "ecmascript/productions.h"

void ecmascript_semicolon(struct scope_parser *parser)
{
	if (parser_accept(parser, TOKEN_SEMICOLON) || parser_at(parser, TOKEN_RBRACE) ||
	    parser_at(parser, TOKEN_END) || parser->scanner.token.newline_before)
		return;
	parser_remark(parser, "\";\" or a new line");
}

/* "{" with names, strings, ":" and commas in it: specifiers and attributes. */
static void braced_names(struct scope_parser *parser)
{
	parser_next(parser);
	while (token_is_word(&parser->scanner.token) || parser_at(parser, TOKEN_STRING) ||
	       parser_at(parser, TOKEN_COMMA) || parser_at(parser, TOKEN_COLON))
		parser_next(parser);
	parser_expect(parser, TOKEN_RBRACE, "\"}\" behind names");
}

/* WithClause, also by its older name. */
static void with_clause(struct scope_parser *parser)
{
	const struct token *token = &parser->scanner.token;
	bool is_assert = token->kind == TOKEN_NAME && !token->newline_before &&
		scanner_peek(&parser->scanner).kind == TOKEN_LBRACE;

	if (token->kind != TOKEN_WITH && !is_assert)
		return;
	parser_next(parser);
	if (parser_at(parser, TOKEN_LBRACE))
		braced_names(parser);
}

/* Up to the module's name, where there is one. */
static void from_clause(struct scope_parser *parser, bool is_optional)
{
	if (is_optional && !parser_at(parser, TOKEN_FROM)) {
		ecmascript_semicolon(parser);
		return;
	}
	if (!parser_expect(parser, TOKEN_FROM, "\"from\"") ||
	    !parser_expect(parser, TOKEN_STRING, "a module's name"))
		return;
	with_clause(parser);
	ecmascript_semicolon(parser);
}

/* ImportClause, also with a phase before it; "from" itself is a name, too. */
static void import_clause(struct scope_parser *parser)
{
	for (;;) {
		if (parser_at(parser, TOKEN_LBRACE))
			braced_names(parser);
		else if (parser_at(parser, TOKEN_FROM) &&
			 scanner_peek(&parser->scanner).kind == TOKEN_STRING)
			return;
		else if (token_is_word(&parser->scanner.token) || parser_at(parser, TOKEN_STAR) ||
			 parser_at(parser, TOKEN_COMMA))
			parser_next(parser);
		else
			return;
	}
}

void ecmascript_import_declaration(struct scope_parser *parser)
{
	parser->scanner.is_module = true;
	parser_next(parser);
	if (parser_accept(parser, TOKEN_STRING)) {
		with_clause(parser);
		ecmascript_semicolon(parser);
		return;
	}
	import_clause(parser);
	from_clause(parser, false);
}

enum export_rest ecmascript_export_start(struct scope_parser *parser)
{
	parser->scanner.is_module = true;
	parser_next(parser);
	if (parser_accept(parser, TOKEN_DEFAULT))
		return EXPORT_DEFAULT;
	if (parser_at(parser, TOKEN_LBRACE)) {
		braced_names(parser);
		from_clause(parser, true);
		return EXPORT_NOTHING;
	}
	if (!parser_accept(parser, TOKEN_STAR))
		return EXPORT_DECLARATION;
	if (parser_accept(parser, TOKEN_AS))
		parser_next(parser);
	from_clause(parser, false);
	return EXPORT_NOTHING;
}
