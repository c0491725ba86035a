/*
 * assignment.c -- assignments, and the operators below them (ECMA-262 13.6 to 13.16).
 *
 * Which operator binds closer makes no difference: an expression is operands with operators
 * between them, where all that follows "=" belongs to the assignment.  One loop reads it, so that a
 * thousand assignments in a row are no deep nesting.
 */
#include "ecmascript/productions.h"

static bool is_assignment(enum token_kind kind)
{
	return kind >= TOKEN_ASSIGN && kind <= TOKEN_SLASH_ASSIGN;
}

static bool is_binary(enum token_kind kind, bool has_in)
{
	return (kind >= TOKEN_SLASH && kind <= TOKEN_BINARY) || kind == TOKEN_INSTANCEOF ||
		(kind == TOKEN_IN && has_in);
}

/* Where operands began. */
struct assignment_start {
	struct parser_mark mark;
	uint32_t link_count;
};

/* What stands before "=" is what is assigned to: it names functions in it and behind it.  Its links
 * take the place of those of the target before it, at `first_link`. */
static void assign(struct scope_parser *parser, enum operand_kind operand,
		   const struct assignment_start *start, struct naming *target, uint32_t first_link)
{
	struct scope_builder *builder = &parser->builder;
	uint32_t count = (uint32_t)builder->link_count - start->link_count;

	if (operand == OPERAND_PATTERN && parser_at(parser, TOKEN_ASSIGN) &&
	    parser_reread(parser, &start->mark))
		ecmascript_assignment_pattern(parser);
	if (operand != OPERAND_MEMBER || count > NAMING_LINKS_MAX || parser->failed)
		return;
	target->kind = count == 1 && builder->links[start->link_count].token.kind != TOKEN_THIS
		? NAMING_BINDING : NAMING_TARGET;
	target->token = builder->links[start->link_count].token;
	target->first_link = start->link_count;
	target->link_count = count;
	parser->naming = target;
	if (parser_reread(parser, &start->mark))
		ecmascript_unary_expression(parser, true);
	if (builder->is_refused)
		return;
	memmove(builder->links + first_link, builder->links + start->link_count,
		count * sizeof(*builder->links));
	target->first_link = first_link;
	builder->link_count = first_link + count;
}

/* YieldExpression: true when an operand follows. */
static bool yield(struct scope_parser *parser)
{
	const struct token *token = &parser->scanner.token;

	parser_next(parser);
	if (token->newline_before)
		return false;
	if (parser_accept(parser, TOKEN_STAR))
		return true;
	switch (token->kind) {
	case TOKEN_RPAREN:
	case TOKEN_RBRACKET:
	case TOKEN_RBRACE:
	case TOKEN_TEMPLATE_MIDDLE:
	case TOKEN_TEMPLATE_TAIL:
	case TOKEN_COMMA:
	case TOKEN_SEMICOLON:
	case TOKEN_COLON:
	case TOKEN_IN:
	case TOKEN_OF:
	case TOKEN_END:
		return false;
	default:
		return true;
	}
}

/* Behind an operand: true when another one follows. */
static bool goes_on(struct scope_parser *parser, bool has_in)
{
	enum token_kind kind = parser_kind(parser);

	if (is_binary(kind, has_in)) {
		parser_next(parser);
		return true;
	}
	if (kind != TOKEN_QUESTION)
		return false;
	parser_next(parser);
	ecmascript_assignment_expression(parser, true);
	return parser_expect(parser, TOKEN_COLON, "\":\" of a condition");
}

static enum operand_kind operands(struct scope_parser *parser, bool has_in, struct naming *target)
{
	uint32_t first_link = (uint32_t)parser->builder.link_count;

	for (;;) {
		struct assignment_start start = { parser_mark(parser),
						  (uint32_t)parser->builder.link_count };
		enum operand_kind operand;

		if (parser->is_generator && parser_at(parser, TOKEN_YIELD)) {
			if (!yield(parser))
				return OPERAND_OTHER;
			continue;
		}
		operand = ecmascript_unary_expression(parser, has_in);
		if (is_assignment(parser_kind(parser))) {
			assign(parser, operand, &start, target, first_link);
			parser_next(parser);
			continue;
		}
		parser->builder.link_count = start.link_count;
		if (!goes_on(parser, has_in))
			return operand;
	}
}

enum operand_kind ecmascript_assignment_expression(struct scope_parser *parser, bool has_in)
{
	struct naming target = { .outer = parser->naming };
	size_t link_count = parser->builder.link_count;
	enum operand_kind operand;

	if (!parser_enter(parser))
		return OPERAND_OTHER;
	operand = operands(parser, has_in, &target);
	parser->naming = target.outer;
	parser->builder.link_count = link_count;
	parser_leave(parser);
	return operand;
}

enum operand_kind ecmascript_comma_expression(struct scope_parser *parser, bool has_in)
{
	enum operand_kind operand = ecmascript_assignment_expression(parser, has_in);

	while (parser_accept(parser, TOKEN_COMMA)) {
		ecmascript_assignment_expression(parser, has_in);
		operand = OPERAND_OTHER;
	}
	return operand;
}
