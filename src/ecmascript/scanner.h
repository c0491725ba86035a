/*
 * scanner -- the lexical grammar (ECMA-262 clause 12), a token at a time, from the text in place.
 *
 * 1. `pos` is behind the current token.  Tokens follow each other; only a mark goes back.
 * 2. Whether "/" begins a regular expression is the parser's to say: scanner_regexp() reads the
 *    current "/" again.  Whether "}" goes on with a template the scanner knows: it remembers at which
 *    depth of braces each "${" stands.
 * 3. Past the end there are END tokens, as many as wanted.
 */
#ifndef ECMASCRIPT_SCANNER_H
#define ECMASCRIPT_SCANNER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define SCANNER_TEMPLATES 1024u          /* templates within templates; deeper ones end the text */

enum token_kind {
	TOKEN_END, TOKEN_ILLEGAL,
	TOKEN_NUMBER, TOKEN_BIGINT, TOKEN_STRING, TOKEN_REGEXP,
	TOKEN_TEMPLATE, TOKEN_TEMPLATE_HEAD, TOKEN_TEMPLATE_MIDDLE, TOKEN_TEMPLATE_TAIL,
	TOKEN_PRIVATE_NAME,
	TOKEN_LBRACE, TOKEN_RBRACE, TOKEN_LPAREN, TOKEN_RPAREN, TOKEN_LBRACKET, TOKEN_RBRACKET,
	TOKEN_DOT, TOKEN_OPTIONAL, TOKEN_ELLIPSIS, TOKEN_SEMICOLON, TOKEN_COMMA, TOKEN_COLON,
	TOKEN_QUESTION, TOKEN_ARROW, TOKEN_AT,
	TOKEN_ASSIGN, TOKEN_ASSIGN_OP, TOKEN_SLASH_ASSIGN,
	TOKEN_SLASH, TOKEN_STAR, TOKEN_PLUS_MINUS, TOKEN_BINARY,
	TOKEN_NOT, TOKEN_UPDATE,         /* "!" and "~"; "++" and "--" */
	/* Words that may be identifiers */
	TOKEN_NAME, TOKEN_ACCESSOR, TOKEN_AS, TOKEN_ASYNC, TOKEN_AWAIT, TOKEN_FROM, TOKEN_GET, TOKEN_LET,
	TOKEN_OF, TOKEN_SET, TOKEN_STATIC, TOKEN_USING, TOKEN_YIELD,
	/* Reserved words */
	TOKEN_BREAK, TOKEN_CASE, TOKEN_CATCH, TOKEN_CLASS, TOKEN_CONST, TOKEN_CONTINUE, TOKEN_DEBUGGER,
	TOKEN_DEFAULT, TOKEN_DELETE, TOKEN_DO, TOKEN_ELSE, TOKEN_ENUM, TOKEN_EXPORT, TOKEN_EXTENDS,
	TOKEN_FALSE, TOKEN_FINALLY, TOKEN_FOR, TOKEN_FUNCTION, TOKEN_IF, TOKEN_IMPORT, TOKEN_IN,
	TOKEN_INSTANCEOF, TOKEN_NEW, TOKEN_NULL, TOKEN_RETURN, TOKEN_SUPER, TOKEN_SWITCH, TOKEN_THIS,
	TOKEN_THROW, TOKEN_TRUE, TOKEN_TRY, TOKEN_TYPEOF, TOKEN_VAR, TOKEN_VOID, TOKEN_WHILE, TOKEN_WITH,
	TOKEN_KINDS
};

struct token {
	uint32_t start, end;             /* of its bytes */
	uint8_t kind;
	bool newline_before;
	bool is_escaped;                 /* a name with "\u" in it: never a reserved word */
};

struct scanner {
	const uint8_t *bytes;
	uint32_t size, pos;
	uint32_t last_end;               /* where the token before the current one ended */
	int32_t braces;                  /* open ones, the current token included */
	uint32_t template_count;         /* open "${" */
	uint64_t regexp_bytes_left;      /* what looking for the end of one in vain may cost, together */
	bool is_module;                  /* "<!--" and "-->" are operators */
	struct token token;
	int32_t templates[SCANNER_TEMPLATES];    /* `braces` within each "${" */
};

/* Reads the first token too. */
void scanner_init(struct scanner *scanner, struct text text);
void scanner_next(struct scanner *scanner);
/* The current token is "/" or "/=" where an operand is expected. */
void scanner_regexp(struct scanner *scanner);
/* The token behind the current one. */
struct token scanner_peek(struct scanner *scanner);

/* What a return to the current token takes. */
struct scanner_mark {
	struct token token;
	uint32_t last_end, template_count;
	int32_t braces;
};

static inline struct scanner_mark scanner_mark(const struct scanner *scanner)
{
	return (struct scanner_mark){ scanner->token, scanner->last_end, scanner->template_count,
				      scanner->braces };
}

static inline void scanner_rewind(struct scanner *scanner, const struct scanner_mark *mark)
{
	scanner->token = mark->token;
	scanner->pos = mark->token.end;
	scanner->last_end = mark->last_end;
	scanner->template_count = mark->template_count;
	scanner->braces = mark->braces;
}

/* The depth of braces the current token stands in. */
int32_t scanner_depth(const struct scanner *scanner);

static inline bool token_is_word(const struct token *token)      /* IdentifierName */
{
	return token->kind >= TOKEN_NAME;
}

static inline bool token_is_identifier(const struct token *token)
{
	return token->kind >= TOKEN_NAME && token->kind < TOKEN_BREAK;
}

/* Behind a token that may end an operand "/" divides: a guess, for text that is skipped. */
bool token_may_end_operand(const struct token *token);

#endif
