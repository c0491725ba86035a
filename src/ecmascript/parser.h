/*
 * parser -- what the productions of the grammar have in common.
 *
 * Each production of ECMA-262 that is told apart here is a function that bears its name; it is called
 * with its first token current and leaves the token behind it.  What makes no difference to
 * scopes is not told apart: precedence of operators, cover grammars until they matter, early errors.
 *
 * 1. A failure makes all tokens END, so that every production returns; the innermost list of
 *    statements or class elements goes on behind the part that failed (parser_recover).
 * 2. What turned out to be another production than it looked (arrow parameters, patterns, targets,
 *    computed keys) is read again, if functions were found in it whose names depend on that.  All
 *    rereading together is bounded by the size of the text.
 */
#ifndef ECMASCRIPT_PARSER_H
#define ECMASCRIPT_PARSER_H

#include "ecmascript/scanner.h"
#include "ecmascript/scope_builder.h"

#define PARSER_DEPTH_MAX 2000u     /* nesting; each level takes less than a KB of stack */

/* What an operand is, for what may follow it. */
enum operand_kind {
	OPERAND_OTHER,
	OPERAND_MEMBER,          /* an identifier, "this", or their members: its links are on the builder */
	OPERAND_PATTERN,         /* an array or object literal */
	OPERAND_ARROW
};

struct scope_parser {
	struct scanner scanner;
	struct scope_builder builder;
	const struct naming *naming;
	/* The productions that others below them contain. */
	enum operand_kind (*assignment_expression)(struct scope_parser *parser, bool has_in);
	enum operand_kind (*expression)(struct scope_parser *parser, bool has_in);
	enum operand_kind (*left_hand_side_expression)(struct scope_parser *parser, bool has_in);
	void (*statement_list)(struct scope_parser *parser);
	struct scanner_mark failed_at;
	struct token regexp;             /* the last regular expression */
	uint64_t reread_bytes_left;
	uint32_t depth;
	bool is_async, is_generator;     /* the function around the current token */
	bool failed;
};

struct parser_mark {
	struct scanner_mark scanner;
	size_t scope_count, part_count;
};

static inline enum token_kind parser_kind(const struct scope_parser *parser)
{
	return (enum token_kind)parser->scanner.token.kind;
}

static inline bool parser_at(const struct scope_parser *parser, enum token_kind kind)
{
	return parser->scanner.token.kind == kind;
}

static inline void parser_next(struct scope_parser *parser)
{
	scanner_next(&parser->scanner);
}

static inline bool parser_accept(struct scope_parser *parser, enum token_kind kind)
{
	if (!parser_at(parser, kind))
		return false;
	parser_next(parser);
	return true;
}

/* `words`: what was expected. */
void parser_fail(struct scope_parser *parser, const char *words);
/* Told, but reading goes on where it is. */
void parser_remark(struct scope_parser *parser, const char *words);

static inline bool parser_expect(struct scope_parser *parser, enum token_kind kind, const char *words)
{
	if (parser_accept(parser, kind))
		return true;
	parser_fail(parser, words);
	return false;
}

/* One level of nesting more; false: too many, and failed. */
static inline bool parser_enter(struct scope_parser *parser)
{
	if (parser->depth >= PARSER_DEPTH_MAX) {
		parser_fail(parser, "less nesting");
		return false;
	}
	parser->depth++;
	return true;
}

static inline void parser_leave(struct scope_parser *parser)
{
	parser->depth--;
}

static inline struct parser_mark parser_mark(const struct scope_parser *parser)
{
	return (struct parser_mark){ scanner_mark(&parser->scanner), parser->builder.out->count,
				     parser->builder.out->part_count };
}

/* Have scopes begun since? */
static inline bool parser_has_scopes_since(const struct scope_parser *parser,
					   const struct parser_mark *mark)
{
	return parser->builder.out->count > mark->scope_count;
}

/* Back to `mark`, to read what has scopes in it as something else; false: not worth it, or not allowed. */
bool parser_reread(struct scope_parser *parser, const struct parser_mark *mark);

void parser_begin_scope(struct scope_parser *parser, uint32_t start, const struct own_name *own);
void parser_end_scope(struct scope_parser *parser);

/* Behind a failure: skips the rest of the statement or class element in a list at `depth` of
 * braces, and ends the scopes opened in it (`open`: what was the innermost before). */
void parser_recover(struct scope_parser *parser, int32_t depth, uint32_t open);

#endif
