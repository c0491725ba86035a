/* operand.c -- primary, member, call and unary expressions (ECMA-262 13.2 to 13.5). */
#include "ecmascript/productions.h"

static void link(struct scope_parser *parser, const struct token *token, bool is_bracketed)
{
	scope_builder_link(&parser->builder, token, is_bracketed);
	if (parser->builder.is_refused)
		parser_fail(parser, "memory");
}

/* TemplateLiteral */
static void template_literal(struct scope_parser *parser)
{
	if (parser_accept(parser, TOKEN_TEMPLATE))
		return;
	do {
		parser_next(parser);
		parser->expression(parser, true);
	} while (parser_at(parser, TOKEN_TEMPLATE_MIDDLE));
	parser_expect(parser, TOKEN_TEMPLATE_TAIL, "\"}\" in a template");
}

/* Arguments, and what is in the parentheses of an expression or of arrow parameters. */
static void parenthesized(struct scope_parser *parser)
{
	parser_next(parser);
	while (!parser_at(parser, TOKEN_RPAREN) && !parser_at(parser, TOKEN_END)) {
		parser_accept(parser, TOKEN_ELLIPSIS);
		parser->assignment_expression(parser, true);
		if (!parser_accept(parser, TOKEN_COMMA))
			break;
	}
	parser_expect(parser, TOKEN_RPAREN, "\")\"");
}

static bool at_arrow(const struct scope_parser *parser)
{
	return parser_at(parser, TOKEN_ARROW) && !parser->scanner.token.newline_before;
}

/* CoverParenthesizedExpressionAndArrowParameterList */
static enum operand_kind parentheses(struct scope_parser *parser, uint32_t start, bool is_async, bool has_in)
{
	struct parser_mark mark = parser_mark(parser);
	bool is_empty;

	parenthesized(parser);
	is_empty = parser->scanner.last_end == mark.scanner.token.end + 1;
	if (at_arrow(parser)) {
		ecmascript_arrow_function(parser, start, is_async, &mark, has_in);
		return OPERAND_ARROW;
	}
	if (is_empty && !is_async && !parser->failed)
		parser_remark(parser, "an expression in \"()\"");
	return OPERAND_OTHER;
}

static enum operand_kind identifier(struct scope_parser *parser, bool has_in)
{
	struct token token = parser->scanner.token;

	parser_next(parser);
	if (at_arrow(parser)) {
		ecmascript_arrow_function(parser, token.start, false, NULL, has_in);
		return OPERAND_ARROW;
	}
	link(parser, &token, false);
	return OPERAND_MEMBER;
}

/* "async": of a function, an arrow function or call arguments like one, or a name. */
static enum operand_kind async_operand(struct scope_parser *parser, bool has_in)
{
	struct token token = parser->scanner.token, next = scanner_peek(&parser->scanner);

	if (token.is_escaped || next.newline_before)
		return identifier(parser, has_in);
	if (next.kind == TOKEN_FUNCTION) {
		parser_next(parser);
		ecmascript_function(parser, token.start, true);
		return OPERAND_OTHER;
	}
	if (next.kind == TOKEN_LPAREN) {
		parser_next(parser);
		return parentheses(parser, token.start, true, has_in);
	}
	if (token_is_identifier(&next)) {
		struct parser_mark mark = parser_mark(parser);

		parser_next(parser);
		parser_next(parser);
		if (at_arrow(parser)) {
			ecmascript_arrow_function(parser, token.start, true, NULL, has_in);
			return OPERAND_ARROW;
		}
		scanner_rewind(&parser->scanner, &mark.scanner);
	}
	return identifier(parser, has_in);
}

/* ImportCall, import.meta and the likes of it. */
static enum operand_kind import_operand(struct scope_parser *parser)
{
	parser_next(parser);
	if (parser_accept(parser, TOKEN_DOT)) {
		if (token_is_word(&parser->scanner.token))
			parser_next(parser);
		else
			parser_fail(parser, "a name behind \"import.\"");
	}
	return OPERAND_OTHER;
}

static enum operand_kind regular_expression(struct scope_parser *parser)
{
	scanner_regexp(&parser->scanner);
	parser->regexp = parser->scanner.token;
	if (!parser_accept(parser, TOKEN_REGEXP))
		parser_fail(parser, "a regular expression with an end");
	return OPERAND_OTHER;
}

static enum operand_kind nested_operand(struct scope_parser *parser)
{
	switch (parser_kind(parser)) {
	case TOKEN_FUNCTION:
		ecmascript_function(parser, parser->scanner.token.start, false);
		return OPERAND_OTHER;
	case TOKEN_LBRACE:
		ecmascript_object_literal(parser);
		return OPERAND_PATTERN;
	case TOKEN_LBRACKET:
		ecmascript_array_literal(parser);
		return OPERAND_PATTERN;
	case TOKEN_AT:
		ecmascript_decorators(parser);
		if (parser_at(parser, TOKEN_CLASS))
			ecmascript_class_definition(parser, false);
		else
			parser_fail(parser, "a class behind decorators");
		return OPERAND_OTHER;
	case TOKEN_CLASS:
		ecmascript_class_definition(parser, false);
		return OPERAND_OTHER;
	default:
		parser_fail(parser, "an expression");
		return OPERAND_OTHER;
	}
}

/* PrimaryExpression, and the heads of member expressions that are none. */
static enum operand_kind primary_expression(struct scope_parser *parser, bool has_in)
{
	struct token token = parser->scanner.token;

	switch (token.kind) {
	case TOKEN_THIS:
		parser_next(parser);
		link(parser, &token, false);
		return OPERAND_MEMBER;
	case TOKEN_NUMBER:
	case TOKEN_BIGINT:
	case TOKEN_STRING:
	case TOKEN_PRIVATE_NAME:
	case TOKEN_FALSE:
	case TOKEN_NULL:
	case TOKEN_SUPER:
	case TOKEN_TRUE:
		parser_next(parser);
		return OPERAND_OTHER;
	case TOKEN_LPAREN:
		return parentheses(parser, token.start, false, has_in);
	case TOKEN_TEMPLATE:
	case TOKEN_TEMPLATE_HEAD:
		template_literal(parser);
		return OPERAND_OTHER;
	case TOKEN_SLASH:
	case TOKEN_SLASH_ASSIGN:
		return regular_expression(parser);
	case TOKEN_ASYNC:
		return async_operand(parser, has_in);
	case TOKEN_IMPORT:
		return import_operand(parser);
	default:
		if (token_is_identifier(&token))
			return identifier(parser, has_in);
		return nested_operand(parser);
	}
}

/* A member of `operand`, whose links begin at `first_link`: one with too many gives no name. */
static enum operand_kind still_member(const struct scope_parser *parser, enum operand_kind operand,
				      size_t first_link)
{
	return operand == OPERAND_MEMBER && parser->builder.link_count - first_link < NAMING_LINKS_MAX
		? OPERAND_MEMBER : OPERAND_OTHER;
}

/* ".x" and ".#x", behind the dot */
static enum operand_kind property(struct scope_parser *parser, enum operand_kind operand, size_t first_link)
{
	const struct token *token = &parser->scanner.token;

	if (!token_is_word(token) && token->kind != TOKEN_PRIVATE_NAME) {
		parser_fail(parser, "a name behind \".\"");
		return OPERAND_OTHER;
	}
	operand = still_member(parser, operand, first_link);
	if (operand == OPERAND_MEMBER)
		link(parser, token, false);
	parser_next(parser);
	return operand == OPERAND_MEMBER ? OPERAND_MEMBER : OPERAND_OTHER;
}

/* What a link says of brackets: the token that is all there is in them, or the bracket itself. */
static struct token bracket_token(const struct scope_parser *parser, const struct token *bracket,
				  const struct token *first)
{
	uint32_t end = parser->scanner.last_end;

	switch (first->kind) {
	case TOKEN_SLASH:
	case TOKEN_SLASH_ASSIGN:
		return parser->regexp.start == first->start && parser->regexp.end == end
			? parser->regexp : *bracket;
	case TOKEN_NUMBER:
	case TOKEN_BIGINT:
	case TOKEN_STRING:
	case TOKEN_FALSE:
	case TOKEN_NULL:
	case TOKEN_TRUE:
		return end == first->end ? *first : *bracket;
	default:
		return end == first->end && token_is_identifier(first) ? *first : *bracket;
	}
}

static enum operand_kind bracketed(struct scope_parser *parser, enum operand_kind operand, size_t first_link)
{
	struct token bracket = parser->scanner.token, first, shown;

	operand = still_member(parser, operand, first_link);
	parser_next(parser);
	first = parser->scanner.token;
	parser->expression(parser, true);
	if (operand == OPERAND_MEMBER) {
		shown = bracket_token(parser, &bracket, &first);
		link(parser, &shown, true);
	}
	parser_expect(parser, TOKEN_RBRACKET, "\"]\"");
	return operand == OPERAND_MEMBER ? OPERAND_MEMBER : OPERAND_OTHER;
}

/* OptionalChain: what is assigned to through one has no name. */
static void optional_chain(struct scope_parser *parser)
{
	parser_next(parser);
	if (token_is_word(&parser->scanner.token) || parser_at(parser, TOKEN_PRIVATE_NAME))
		parser_next(parser);
	else if (!parser_at(parser, TOKEN_LBRACKET) && !parser_at(parser, TOKEN_LPAREN) &&
		 !parser_at(parser, TOKEN_TEMPLATE) && !parser_at(parser, TOKEN_TEMPLATE_HEAD))
		parser_fail(parser, "a name, \"[\" or \"(\" behind \"?.\"");
}

/* What may follow the head of a member or call expression. */
static enum operand_kind chain(struct scope_parser *parser, enum operand_kind operand, size_t first_link)
{
	for (;;) {
		switch (parser_kind(parser)) {
		case TOKEN_DOT:
			parser_next(parser);
			operand = property(parser, operand, first_link);
			break;
		case TOKEN_LBRACKET:
			operand = bracketed(parser, operand, first_link);
			break;
		case TOKEN_LPAREN:
			parenthesized(parser);
			operand = OPERAND_OTHER;
			break;
		case TOKEN_OPTIONAL:
			optional_chain(parser);
			operand = OPERAND_OTHER;
			break;
		case TOKEN_TEMPLATE:
		case TOKEN_TEMPLATE_HEAD:
			template_literal(parser);
			operand = OPERAND_OTHER;
			break;
		default:
			return operand;
		}
	}
}

enum operand_kind ecmascript_left_hand_side_expression(struct scope_parser *parser, bool has_in)
{
	size_t first_link = parser->builder.link_count;
	bool is_new = false;
	enum operand_kind operand;

	while (parser_accept(parser, TOKEN_NEW)) {
		is_new = true;
		if (parser_accept(parser, TOKEN_DOT)) {          /* new.target */
			property(parser, OPERAND_OTHER, 0);
			return chain(parser, OPERAND_OTHER, 0);
		}
	}
	operand = primary_expression(parser, has_in);
	if (operand == OPERAND_ARROW)
		return operand;
	return chain(parser, is_new ? OPERAND_OTHER : operand, first_link);
}

/* Is "await" an operator here?  In modules, and where nothing else can be meant. */
static bool is_await(struct scope_parser *parser)
{
	struct token next;

	if (parser->scanner.token.is_escaped)
		return false;
	if (parser->is_async)
		return true;
	next = scanner_peek(&parser->scanner);
	if (next.newline_before)
		return false;
	switch (next.kind) {
	case TOKEN_NUMBER:
	case TOKEN_STRING:
	case TOKEN_LBRACE:
	case TOKEN_NOT:
	case TOKEN_CLASS:
	case TOKEN_FALSE:
	case TOKEN_FUNCTION:
	case TOKEN_IMPORT:
	case TOKEN_NEW:
	case TOKEN_NULL:
	case TOKEN_SUPER:
	case TOKEN_THIS:
	case TOKEN_TRUE:
	case TOKEN_TYPEOF:
	case TOKEN_VOID:
		return true;
	case TOKEN_SLASH:
	case TOKEN_SLASH_ASSIGN:
		return parser->scanner.is_module;
	default:
		return token_is_identifier(&next) && next.kind != TOKEN_OF;
	}
}

static bool is_prefix(struct scope_parser *parser)
{
	switch (parser_kind(parser)) {
	case TOKEN_NOT:
	case TOKEN_PLUS_MINUS:
	case TOKEN_UPDATE:
	case TOKEN_DELETE:
	case TOKEN_TYPEOF:
	case TOKEN_VOID:
		return true;
	case TOKEN_AWAIT:
		return is_await(parser);
	default:
		return false;
	}
}

/* UnaryExpression and UpdateExpression */
enum operand_kind ecmascript_unary_expression(struct scope_parser *parser, bool has_in)
{
	bool has_prefix = false;
	enum operand_kind operand;

	while (is_prefix(parser)) {
		has_prefix = true;
		parser_next(parser);
	}
	operand = ecmascript_left_hand_side_expression(parser, has_in);
	if (parser_at(parser, TOKEN_UPDATE) && !parser->scanner.token.newline_before) {
		parser_next(parser);
		return OPERAND_OTHER;
	}
	return has_prefix && operand != OPERAND_ARROW ? OPERAND_OTHER : operand;
}
