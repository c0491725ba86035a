/* statement.c -- statements, declarations and programs (ECMA-262 14 and 16). */
#include "ecmascript/productions.h"

static void statement(struct scope_parser *parser);

/* Statements up to "}" or, in a switch, the next case; what cannot be read costs its statement. */
static void statements(struct scope_parser *parser, bool is_case)
{
	int32_t depth = scanner_depth(&parser->scanner);

	while (!parser_at(parser, TOKEN_RBRACE) && !parser_at(parser, TOKEN_END) &&
	       !(is_case && (parser_at(parser, TOKEN_CASE) || parser_at(parser, TOKEN_DEFAULT)))) {
		uint32_t open = parser->builder.open;

		statement(parser);
		if (parser->failed)
			parser_recover(parser, depth, open);
	}
}

void ecmascript_statement_list(struct scope_parser *parser)
{
	statements(parser, false);
}

static void block(struct scope_parser *parser)
{
	if (!parser_expect(parser, TOKEN_LBRACE, "\"{\""))
		return;
	statements(parser, false);
	parser_expect(parser, TOKEN_RBRACE, "\"}\" behind a block");
}

/* "(" Expression ")" behind a word */
static void condition(struct scope_parser *parser)
{
	parser_next(parser);
	if (!parser_expect(parser, TOKEN_LPAREN, "\"(\""))
		return;
	ecmascript_comma_expression(parser, true);
	parser_expect(parser, TOKEN_RPAREN, "\")\"");
}

/* A chain of "else if" is no nesting. */
static void if_statement(struct scope_parser *parser)
{
	do {
		condition(parser);
		statement(parser);
		if (!parser_accept(parser, TOKEN_ELSE))
			return;
	} while (parser_at(parser, TOKEN_IF));
	statement(parser);
}

static void do_while_statement(struct scope_parser *parser)
{
	parser_next(parser);
	statement(parser);
	if (!parser_at(parser, TOKEN_WHILE)) {
		parser_fail(parser, "\"while\" behind \"do\"");
		return;
	}
	condition(parser);
	parser_accept(parser, TOKEN_SEMICOLON);
}

static void switch_statement(struct scope_parser *parser)
{
	condition(parser);
	if (!parser_expect(parser, TOKEN_LBRACE, "\"{\" of a switch"))
		return;
	while (!parser_at(parser, TOKEN_RBRACE) && !parser_at(parser, TOKEN_END)) {
		if (parser_accept(parser, TOKEN_CASE))
			ecmascript_comma_expression(parser, true);
		else
			parser_expect(parser, TOKEN_DEFAULT, "\"case\" or \"default\"");
		parser_expect(parser, TOKEN_COLON, "\":\" of a case");
		statements(parser, true);
	}
	parser_expect(parser, TOKEN_RBRACE, "\"}\" behind a switch");
}

static void catch_clause(struct scope_parser *parser)
{
	if (parser_accept(parser, TOKEN_LPAREN)) {
		ecmascript_binding_element(parser);
		parser_expect(parser, TOKEN_RPAREN, "\")\" behind what is caught");
	}
	block(parser);
}

static void try_statement(struct scope_parser *parser)
{
	parser_next(parser);
	block(parser);
	if (parser_accept(parser, TOKEN_CATCH))
		catch_clause(parser);
	if (parser_accept(parser, TOKEN_FINALLY))
		block(parser);
}

/* "return" and "throw", with or without an expression. */
static void jump_statement(struct scope_parser *parser)
{
	const struct token *token = &parser->scanner.token;

	parser_next(parser);
	if (token->kind != TOKEN_SEMICOLON && token->kind != TOKEN_RBRACE && token->kind != TOKEN_END &&
	    !token->newline_before)
		ecmascript_comma_expression(parser, true);
	ecmascript_semicolon(parser);
}

/* "break" and "continue" */
static void label_jump(struct scope_parser *parser)
{
	const struct token *token = &parser->scanner.token;

	parser_next(parser);
	if (token_is_identifier(token) && !token->newline_before)
		parser_next(parser);
	ecmascript_semicolon(parser);
}

/* Async functions are declared like others; anything else with "async" is an expression. */
static bool starts_async_function(struct scope_parser *parser)
{
	struct token next;

	if (!parser_at(parser, TOKEN_ASYNC) || parser->scanner.token.is_escaped)
		return false;
	next = scanner_peek(&parser->scanner);
	return next.kind == TOKEN_FUNCTION && !next.newline_before;
}

/* A name followed by ":" is a label; true: the labelled statement comes. */
static bool expression_or_label(struct scope_parser *parser)
{
	struct token first = parser->scanner.token;

	ecmascript_comma_expression(parser, true);
	if (parser_at(parser, TOKEN_COLON) && token_is_identifier(&first) &&
	    parser->scanner.last_end == first.end) {
		parser_next(parser);
		return true;
	}
	ecmascript_semicolon(parser);
	return false;
}

static void export_default(struct scope_parser *parser)
{
	uint32_t start = parser->scanner.token.start;

	ecmascript_decorators(parser);
	if (parser_at(parser, TOKEN_FUNCTION)) {
		ecmascript_function(parser, start, false);
	} else if (starts_async_function(parser)) {
		parser_next(parser);
		ecmascript_function(parser, start, true);
	} else if (parser_at(parser, TOKEN_CLASS)) {
		ecmascript_class_definition(parser, false);
	} else {
		ecmascript_assignment_expression(parser, true);
		ecmascript_semicolon(parser);
	}
}

/* True: a declaration follows. */
static bool export_declaration(struct scope_parser *parser)
{
	enum export_rest rest = ecmascript_export_start(parser);

	if (rest == EXPORT_DEFAULT)
		export_default(parser);
	return rest == EXPORT_DECLARATION;
}

static bool import_statement(struct scope_parser *parser)
{
	struct token next = scanner_peek(&parser->scanner);

	if (next.kind == TOKEN_LPAREN || next.kind == TOKEN_DOT)
		return expression_or_label(parser);
	ecmascript_import_declaration(parser);
	return false;
}

/* Statements that begin with a word that may be a name: true, another one belongs to it. */
static bool other_statement(struct scope_parser *parser)
{
	if (ecmascript_starts_lexical_declaration(parser, false)) {
		ecmascript_variable_declarations(parser, true);
		ecmascript_semicolon(parser);
		return false;
	}
	if (starts_async_function(parser)) {
		uint32_t start = parser->scanner.token.start;

		parser_next(parser);
		ecmascript_function(parser, start, true);
		return false;
	}
	if (ecmascript_starts_await_using(parser)) {
		parser_next(parser);
		return true;
	}
	return expression_or_label(parser);
}

/* Statements with another one at their end come to it. */
static bool compound_statement(struct scope_parser *parser)
{
	switch (parser_kind(parser)) {
	case TOKEN_FOR:
		ecmascript_for_head(parser);
		return true;
	case TOKEN_WHILE:
	case TOKEN_WITH:
		condition(parser);
		return true;
	case TOKEN_IF:
		if_statement(parser);
		return false;
	case TOKEN_DO:
		do_while_statement(parser);
		return false;
	case TOKEN_SWITCH:
		switch_statement(parser);
		return false;
	case TOKEN_TRY:
		try_statement(parser);
		return false;
	case TOKEN_EXPORT:
		return export_declaration(parser);
	case TOKEN_IMPORT:
		return import_statement(parser);
	case TOKEN_AT:
		ecmascript_decorators(parser);
		return true;
	default:
		return other_statement(parser);
	}
}

/* One statement or declaration, or the part of it before another; true: that comes. */
static bool statement_part(struct scope_parser *parser)
{
	switch (parser_kind(parser)) {
	case TOKEN_LBRACE:
		block(parser);
		return false;
	case TOKEN_SEMICOLON:
		parser_next(parser);
		return false;
	case TOKEN_VAR:
	case TOKEN_CONST:
		ecmascript_variable_declarations(parser, true);
		ecmascript_semicolon(parser);
		return false;
	case TOKEN_FUNCTION:
		ecmascript_function(parser, parser->scanner.token.start, false);
		return false;
	case TOKEN_CLASS:
		ecmascript_class_definition(parser, true);
		return false;
	case TOKEN_RETURN:
	case TOKEN_THROW:
		jump_statement(parser);
		return false;
	case TOKEN_BREAK:
	case TOKEN_CONTINUE:
		label_jump(parser);
		return false;
	case TOKEN_DEBUGGER:
		parser_next(parser);
		ecmascript_semicolon(parser);
		return false;
	default:
		return compound_statement(parser);
	}
}

static void statement(struct scope_parser *parser)
{
	if (!parser_enter(parser))
		return;
	while (statement_part(parser) && !parser->failed)
		;
	parser_leave(parser);
}

void ecmascript_program(struct scope_parser *parser)
{
	for (;;) {
		statements(parser, false);
		if (!parser_at(parser, TOKEN_RBRACE))
			return;
		parser_remark(parser, "no \"}\" here");
		parser->scanner.braces++;
		parser_next(parser);
	}
}
