/* function_definition.c -- functions, arrow functions, parameters and bodies (ECMA-262 15.1 to 15.3). */
#include "ecmascript/productions.h"

static void formal_parameters(struct scope_parser *parser)
{
	if (!parser_expect(parser, TOKEN_LPAREN, "\"(\" before parameters"))
		return;
	while (!parser_at(parser, TOKEN_RPAREN) && !parser_at(parser, TOKEN_END)) {
		parser_accept(parser, TOKEN_ELLIPSIS);
		ecmascript_binding_element(parser);
		if (!parser_accept(parser, TOKEN_COMMA))
			break;
	}
	parser_expect(parser, TOKEN_RPAREN, "\")\" behind parameters");
}

static void function_body(struct scope_parser *parser)
{
	if (!parser_expect(parser, TOKEN_LBRACE, "\"{\" before a function's body"))
		return;
	parser->statement_list(parser);
	parser_expect(parser, TOKEN_RBRACE, "\"}\" behind a function's body");
}

/* What holds in one function only. */
struct function_state {
	struct naming naming;
	const struct naming *outer;
	bool is_async, is_generator;
};

static void enter_function(struct scope_parser *parser, struct function_state *state,
			   struct function_traits traits)
{
	state->outer = parser->naming;
	state->is_async = parser->is_async;
	state->is_generator = parser->is_generator;
	state->naming = (struct naming){ .outer = parser->naming, .kind = NAMING_FUNCTION };
	if (!traits.is_transparent)
		parser->naming = &state->naming;
	parser->is_async = traits.is_async;
	parser->is_generator = traits.is_generator;
}

static void leave_function(struct scope_parser *parser, const struct function_state *state)
{
	parser->naming = state->outer;
	parser->is_async = state->is_async;
	parser->is_generator = state->is_generator;
}

void ecmascript_function_rest(struct scope_parser *parser, struct function_traits traits)
{
	struct function_state state;

	enter_function(parser, &state, traits);
	formal_parameters(parser);
	function_body(parser);
	leave_function(parser, &state);
}

void ecmascript_function(struct scope_parser *parser, uint32_t start, bool is_async)
{
	struct own_name own = { .owner = OWNER_FUNCTION };
	struct function_traits traits = { .is_async = is_async };

	parser_next(parser);
	traits.is_generator = parser_accept(parser, TOKEN_STAR);
	own.token = parser->scanner.token;
	own.has_token = token_is_identifier(&own.token);
	if (own.has_token)
		parser_next(parser);
	parser_begin_scope(parser, start, &own);
	ecmascript_function_rest(parser, traits);
	parser_end_scope(parser);
}

void ecmascript_arrow_function(struct scope_parser *parser, uint32_t start, bool is_async,
			       const struct parser_mark *parameters, bool has_in)
{
	struct function_traits traits = { .is_async = is_async };
	struct own_name own = { .owner = OWNER_FUNCTION };
	bool reread = parameters && parser_reread(parser, parameters);
	struct function_state state;

	parser_begin_scope(parser, start, &own);
	enter_function(parser, &state, traits);
	if (reread)
		formal_parameters(parser);
	parser_expect(parser, TOKEN_ARROW, "\"=>\"");
	if (parser_at(parser, TOKEN_LBRACE))
		function_body(parser);
	else
		parser->assignment_expression(parser, has_in);
	leave_function(parser, &state);
	parser_end_scope(parser);
}
