/* ecmascript.c -- see ecmascript.h. */
#include "ecmascript/ecmascript.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/mem.h"
#include "ecmascript/productions.h"

#define REREAD_BYTES_FREE 65536u         /* beside as many as the text has */

static void parser_init(struct scope_parser *parser, struct ecmascript_scopes *scopes,
			struct text text, struct arena *arena)
{
	scanner_init(&parser->scanner, text);
	parser->builder = (struct scope_builder){
		.out = scopes, .arena = arena, .bytes = parser->scanner.bytes, .open = SCOPE_NONE };
	parser->naming = NULL;
	parser->assignment_expression = ecmascript_assignment_expression;
	parser->expression = ecmascript_comma_expression;
	parser->left_hand_side_expression = ecmascript_left_hand_side_expression;
	parser->statement_list = ecmascript_statement_list;
	parser->reread_bytes_left = (uint64_t)text.size + REREAD_BYTES_FREE;
	parser->depth = 0;
	parser->is_async = parser->is_generator = false;
	parser->failed = false;
	parser->regexp = (struct token){ .kind = TOKEN_END };
}

int ecmascript_scopes_read(struct ecmascript_scopes *scopes, struct text text, struct arena *arena,
			   struct err *err)
{
	struct scope_parser parser;
	int rc;

	*scopes = (struct ecmascript_scopes){ .scopes = NULL };
	if (text.size >= UINT32_MAX)
		return err_set(err, ERR_LIMIT, "a text of %zu bytes is too large", text.size);
	if (!text.bytes)
		text.bytes = "";
	parser_init(&parser, scopes, text, arena);
	ecmascript_program(&parser);
	scope_builder_end_since(&parser.builder, SCOPE_NONE, (uint32_t)text.size);
	rc = scope_builder_finish(&parser.builder, text, err);
	mem_give_back(parser.builder.links);
	if (rc < 0)
		ecmascript_scopes_release(scopes);
	return rc;
}

void ecmascript_scopes_release(struct ecmascript_scopes *scopes)
{
	mem_give_back(scopes->scopes);
	mem_give_back(scopes->parts);
	*scopes = (struct ecmascript_scopes){ .scopes = NULL };
}
