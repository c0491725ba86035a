/*
 * expression -- the postfix language of STACK records (Breakpad's symbol file format).
 *
 * Private to unwind.  Tokens stand between blanks and work on a stack of words of the processor's
 * width; arithmetic wraps.  Whatever cannot be computed has no value.
 */
#ifndef UNWIND_EXPRESSION_H
#define UNWIND_EXPRESSION_H

#include "base/text.h"
#include "unwind/regions.h"
#include "unwind/registers.h"

#define UNWIND_LIMIT_OPERANDS 64u    /* on the stack of one expression; real ones have four */

/* What an expression of a STACK CFI rule may refer to. */
struct unwind_scope {
	const struct unwind_memory *memory;
	const struct unwind_registers *registers;        /* the callee's */
	uint64_t hidden;             /* registers, as bits, that may not be referred to */
	uint64_t cfa;
	bool has_cfa;
};

/* The value of a whole expression; false: it has none, or leaves more than one. */
bool unwind_expression_value(const struct unwind_scope *scope, struct text expression,
			     uint64_t *value);

/* The next token; false: none is left. */
bool unwind_take_token(struct text *rest, struct text *token);

/* A decimal number, perhaps negative, in 64 bits; false: it is none. */
bool unwind_token_number(struct text token, int64_t *value);

/* Is it "+", "-", "*", "/", "%" or "@"? */
bool unwind_token_is_operator(struct text token);

/* left OPERATOR right, cut to `width` bytes; false: division by zero, or an alignment that is no
 * power of two. */
bool unwind_operate(char operator, uint64_t left, uint64_t right, unsigned width, uint64_t *value);

#endif
