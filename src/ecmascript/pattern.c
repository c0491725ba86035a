/* pattern.c -- BindingPattern (ECMA-262 14.3.3) and AssignmentPattern (13.15.5). */
#include "ecmascript/productions.h"

static void pattern(struct scope_parser *parser, bool is_binding);

void ecmascript_initializer(struct scope_parser *parser)
{
	if (parser_accept(parser, TOKEN_ASSIGN))
		parser->assignment_expression(parser, true);
}

/* DestructuringAssignmentTarget: what looks like a literal is a pattern, unless it goes on. */
static void assignment_target(struct scope_parser *parser)
{
	struct parser_mark mark = parser_mark(parser);

	if (parser->left_hand_side_expression(parser, true) == OPERAND_PATTERN &&
	    parser_reread(parser, &mark))
		pattern(parser, false);
}

static void element(struct scope_parser *parser, bool is_binding)
{
	enum token_kind kind = parser_kind(parser);

	if (!is_binding)
		assignment_target(parser);
	else if (kind == TOKEN_LBRACE || kind == TOKEN_LBRACKET)
		pattern(parser, true);
	else if (token_is_identifier(&parser->scanner.token))
		parser_next(parser);
	else
		parser_fail(parser, "a name or pattern");
	ecmascript_initializer(parser);
}

static void array_pattern(struct scope_parser *parser, bool is_binding)
{
	parser_next(parser);
	while (!parser_at(parser, TOKEN_RBRACKET) && !parser_at(parser, TOKEN_END)) {
		if (parser_accept(parser, TOKEN_COMMA))
			continue;
		parser_accept(parser, TOKEN_ELLIPSIS);
		element(parser, is_binding);
		if (!parser_accept(parser, TOKEN_COMMA))
			break;
	}
	parser_expect(parser, TOKEN_RBRACKET, "\"]\" behind a pattern");
}

static void property(struct scope_parser *parser, bool is_binding)
{
	struct token key;

	if (parser_accept(parser, TOKEN_ELLIPSIS)) {
		element(parser, is_binding);
		return;
	}
	if (!ecmascript_property_name(parser, &key))
		return;
	if (parser_accept(parser, TOKEN_COLON))
		element(parser, is_binding);
	else
		ecmascript_initializer(parser);
}

static void object_pattern(struct scope_parser *parser, bool is_binding)
{
	parser_next(parser);
	while (!parser_at(parser, TOKEN_RBRACE) && !parser_at(parser, TOKEN_END)) {
		property(parser, is_binding);
		if (!parser_accept(parser, TOKEN_COMMA))
			break;
	}
	parser_expect(parser, TOKEN_RBRACE, "\"}\" behind a pattern");
}

static void pattern(struct scope_parser *parser, bool is_binding)
{
	if (!parser_enter(parser))
		return;
	if (parser_at(parser, TOKEN_LBRACKET))
		array_pattern(parser, is_binding);
	else
		object_pattern(parser, is_binding);
	parser_leave(parser);
}

void ecmascript_binding_element(struct scope_parser *parser)
{
	element(parser, true);
}

void ecmascript_binding_pattern(struct scope_parser *parser)
{
	pattern(parser, true);
}

void ecmascript_assignment_pattern(struct scope_parser *parser)
{
	pattern(parser, false);
}
