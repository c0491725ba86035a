/* object_literal.c -- ObjectLiteral and ArrayLiteral (ECMA-262 13.2.4 and 13.2.5). */
#include "ecmascript/productions.h"

/* A getter or setter: named after what is around the literal, as functions in it are. */
static void accessor(struct scope_parser *parser, const struct method_start *method)
{
	const struct own_name own = { .owner = OWNER_ACCESSOR, .has_token = true,
				      .token = parser->scanner.token, .accessor = method->accessor };
	struct token key;

	parser_begin_scope(parser, method->start, &own);
	if (ecmascript_property_name(parser, &key))
		ecmascript_function_rest(parser, (struct function_traits){ .is_transparent = true });
	parser_end_scope(parser);
}

static void value(struct scope_parser *parser, const struct token *key)
{
	struct naming naming = { .outer = parser->naming, .kind = NAMING_KEY, .token = *key };

	if (!parser_accept(parser, TOKEN_COLON)) {
		ecmascript_initializer(parser);
		return;
	}
	if (token_is_word(key))
		parser->naming = &naming;
	parser->assignment_expression(parser, true);
	parser->naming = naming.outer;
}

static void property_definition(struct scope_parser *parser)
{
	struct method_start method = { .start = parser->scanner.token.start };
	struct token key;

	if (parser_accept(parser, TOKEN_ELLIPSIS)) {
		parser->assignment_expression(parser, true);
		return;
	}
	ecmascript_method_modifiers(parser, &method);
	if (method.accessor)
		accessor(parser, &method);
	else if (!ecmascript_method(parser, &method, NAMING_KEY, &key))
		value(parser, &key);
}

void ecmascript_object_literal(struct scope_parser *parser)
{
	struct naming naming = { .outer = parser->naming, .kind = NAMING_OBJECT };

	parser->naming = &naming;
	parser_next(parser);
	while (!parser_at(parser, TOKEN_RBRACE) && !parser_at(parser, TOKEN_END)) {
		property_definition(parser);
		if (!parser_accept(parser, TOKEN_COMMA))
			break;
	}
	parser_expect(parser, TOKEN_RBRACE, "\"}\" behind an object");
	parser->naming = naming.outer;
}

void ecmascript_array_literal(struct scope_parser *parser)
{
	parser_next(parser);
	while (!parser_at(parser, TOKEN_RBRACKET) && !parser_at(parser, TOKEN_END)) {
		if (parser_accept(parser, TOKEN_COMMA))
			continue;
		parser_accept(parser, TOKEN_ELLIPSIS);
		parser->assignment_expression(parser, true);
		if (!parser_accept(parser, TOKEN_COMMA))
			break;
	}
	parser_expect(parser, TOKEN_RBRACKET, "\"]\" behind an array");
}
