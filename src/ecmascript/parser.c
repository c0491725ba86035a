/* parser.c -- see parser.h. */
#include "ecmascript/parser.h"

static void stop_scanning(struct scope_parser *parser)
{
	parser->scanner.token.kind = TOKEN_END;
	parser->scanner.pos = parser->scanner.size;
}

void parser_remark(struct scope_parser *parser, const char *words)
{
	struct ecmascript_scopes *out = parser->builder.out;

	if (out->error_count++ > 0)
		return;
	out->error_offset = parser->scanner.token.start;
	out->error_words = words;
}

void parser_fail(struct scope_parser *parser, const char *words)
{
	if (parser->failed)
		return;
	parser_remark(parser, words);
	parser->failed = true;
	parser->failed_at = scanner_mark(&parser->scanner);
	stop_scanning(parser);
}

bool parser_reread(struct scope_parser *parser, const struct parser_mark *mark)
{
	uint64_t bytes = parser->scanner.token.start - mark->scanner.token.start;

	if (parser->failed || !parser_has_scopes_since(parser, mark) || parser->builder.is_refused ||
	    bytes > parser->reread_bytes_left)
		return false;
	parser->reread_bytes_left -= bytes;
	scanner_rewind(&parser->scanner, &mark->scanner);
	parser->builder.out->count = mark->scope_count;
	parser->builder.out->part_count = mark->part_count;
	return true;
}

void parser_begin_scope(struct scope_parser *parser, uint32_t start, const struct own_name *own)
{
	scope_builder_begin(&parser->builder, parser->naming, start, own);
	if (parser->builder.is_refused)
		parser_fail(parser, "memory");
}

void parser_end_scope(struct scope_parser *parser)
{
	if (!parser->failed)
		scope_builder_end(&parser->builder, parser->scanner.last_end);
}

static bool is_statement_word(enum token_kind kind)
{
	switch (kind) {
	case TOKEN_BREAK:
	case TOKEN_CLASS:
	case TOKEN_CONST:
	case TOKEN_CONTINUE:
	case TOKEN_DEBUGGER:
	case TOKEN_DO:
	case TOKEN_EXPORT:
	case TOKEN_FOR:
	case TOKEN_FUNCTION:
	case TOKEN_IF:
	case TOKEN_IMPORT:
	case TOKEN_LET:
	case TOKEN_RETURN:
	case TOKEN_SWITCH:
	case TOKEN_THROW:
	case TOKEN_TRY:
	case TOKEN_VAR:
	case TOKEN_WHILE:
		return true;
	default:
		return false;
	}
}

/* May a statement begin with the current token, behind `last` of the skipped part? */
static bool may_go_on(const struct scope_parser *parser, enum token_kind last)
{
	const struct token *token = &parser->scanner.token;

	if (last == TOKEN_SEMICOLON)
		return true;
	if (last == TOKEN_RBRACE)
		return token->newline_before || (token_is_word(token) && token->kind != TOKEN_IN &&
						 token->kind != TOKEN_INSTANCEOF);
	return token->newline_before && is_statement_word(parser_kind(parser));
}

/* The next token, where nothing is known but the one before. */
static void skip_token(struct scope_parser *parser)
{
	struct token last = parser->scanner.token;

	parser_next(parser);
	if ((parser_at(parser, TOKEN_SLASH) || parser_at(parser, TOKEN_SLASH_ASSIGN)) &&
	    !token_may_end_operand(&last))
		scanner_regexp(&parser->scanner);
}

void parser_recover(struct scope_parser *parser, int32_t depth, uint32_t open)
{
	struct scanner *scanner = &parser->scanner;

	parser->failed = false;
	scanner_rewind(scanner, &parser->failed_at);
	if (parser->builder.is_refused)
		stop_scanning(parser);
	while (!parser_at(parser, TOKEN_END)) {
		enum token_kind kind = parser_kind(parser);

		if (kind == TOKEN_RBRACE && scanner_depth(scanner) <= depth)
			break;
		skip_token(parser);
		if (scanner_depth(scanner) == depth && may_go_on(parser, kind))
			break;
	}
	scope_builder_end_since(&parser->builder, open, scanner->last_end);
}
