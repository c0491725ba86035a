/* class_definition.c -- classes (ECMA-262 15.7), with the decorators of the proposal. */
#include "ecmascript/productions.h"

void ecmascript_decorators(struct scope_parser *parser)
{
	if (!parser_at(parser, TOKEN_AT) || !parser_enter(parser))
		return;
	while (parser_accept(parser, TOKEN_AT))
		parser->left_hand_side_expression(parser, true);
	parser_leave(parser);
}

/* Is the current word a modifier of what follows, and not a name? */
static bool is_modifier(struct scope_parser *parser)
{
	struct token next = scanner_peek(&parser->scanner);

	return next.kind == TOKEN_STAR || ecmascript_starts_property_name(&next);
}

/* The end of a field: it may do without ";" like a statement. */
static void field_end(struct scope_parser *parser)
{
	if (!parser_accept(parser, TOKEN_SEMICOLON) && !parser_at(parser, TOKEN_RBRACE) &&
	    !parser_at(parser, TOKEN_END) && !parser->scanner.token.newline_before)
		parser_fail(parser, "\";\" behind a field");
}

/* ClassStaticBlock and initializers of fields are code of their own, but no scope. */
static void class_code(struct scope_parser *parser, bool is_block)
{
	bool is_async = parser->is_async, is_generator = parser->is_generator;

	parser->is_async = parser->is_generator = false;
	if (is_block) {
		parser_next(parser);
		parser->statement_list(parser);
		parser_expect(parser, TOKEN_RBRACE, "\"}\" behind a static block");
	} else {
		ecmascript_initializer(parser);
	}
	parser->is_async = is_async;
	parser->is_generator = is_generator;
}

static void class_element(struct scope_parser *parser)
{
	struct method_start method = { .is_static = false };
	struct token key;

	ecmascript_decorators(parser);
	method.start = parser->scanner.token.start;
	if (parser_at(parser, TOKEN_STATIC)) {
		if (scanner_peek(&parser->scanner).kind == TOKEN_LBRACE) {
			parser_next(parser);
			class_code(parser, true);
			return;
		}
		method.is_static = is_modifier(parser);
		if (method.is_static)
			parser_next(parser);
	}
	if (parser_at(parser, TOKEN_ACCESSOR) && is_modifier(parser) &&
	    !scanner_peek(&parser->scanner).newline_before)
		parser_next(parser);
	ecmascript_method_modifiers(parser, &method);
	if (ecmascript_method(parser, &method, NAMING_CLASS_KEY, &key))
		return;
	class_code(parser, false);
	field_end(parser);
}

static void class_body(struct scope_parser *parser)
{
	int32_t depth;

	if (!parser_expect(parser, TOKEN_LBRACE, "\"{\" before a class's body"))
		return;
	depth = scanner_depth(&parser->scanner);
	while (!parser_at(parser, TOKEN_RBRACE) && !parser_at(parser, TOKEN_END)) {
		uint32_t open = parser->builder.open;

		if (parser_accept(parser, TOKEN_SEMICOLON))
			continue;
		class_element(parser);
		if (parser->failed)
			parser_recover(parser, depth, open);
	}
	parser_expect(parser, TOKEN_RBRACE, "\"}\" behind a class's body");
}

void ecmascript_class_definition(struct scope_parser *parser, bool is_declaration)
{
	struct naming naming = { .outer = parser->naming,
				 .kind = is_declaration ? NAMING_BINDING : NAMING_CLASS };
	struct own_name own = { .owner = OWNER_CLASS };
	uint32_t start = parser->scanner.token.start;

	if (!parser_enter(parser))
		return;
	parser_next(parser);
	if (token_is_identifier(&parser->scanner.token)) {
		naming.token = own.token = parser->scanner.token;
		own.has_token = true;
		parser->naming = &naming;
		parser_next(parser);
	}
	parser_begin_scope(parser, start, &own);
	if (parser_accept(parser, TOKEN_EXTENDS))
		parser->left_hand_side_expression(parser, true);
	class_body(parser);
	parser_end_scope(parser);
	parser->naming = naming.outer;
	parser_leave(parser);
}
