/* expression.c -- see expression.h. */
#include "unwind/expression.h"

struct operands {
	uint64_t values[UNWIND_LIMIT_OPERANDS];
	size_t count;
};

static bool push(struct operands *operands, uint64_t value)
{
	if (operands->count == UNWIND_LIMIT_OPERANDS)
		return false;
	operands->values[operands->count++] = value;
	return true;
}

static bool pop(struct operands *operands, uint64_t *value)
{
	if (operands->count == 0)
		return false;
	*value = operands->values[--operands->count];
	return true;
}

bool unwind_take_token(struct text *rest, struct text *token)
{
	size_t at = 0, end;

	while (at < rest->size && ascii_is_blank(rest->bytes[at]))
		at++;
	end = at;
	while (end < rest->size && !ascii_is_blank(rest->bytes[end]))
		end++;
	*token = (struct text){ rest->bytes + at, end - at };
	rest->bytes += end;
	rest->size -= end;
	return token->size > 0;
}

bool unwind_token_number(struct text token, int64_t *value)
{
	bool is_negative = token.size > 1 && token.bytes[0] == '-';
	uint64_t most = (uint64_t)INT64_MAX + is_negative;
	uint64_t number = 0;

	if (token.size == 0)
		return false;
	for (size_t i = is_negative; i < token.size; i++) {
		unsigned digit = (unsigned)(token.bytes[i] - '0');

		if (!ascii_is_digit(token.bytes[i]) || number > (most - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	*value = (int64_t)(is_negative ? 0 - number : number);
	return true;
}

bool unwind_token_is_operator(struct text token)
{
	return token.size == 1 && token.bytes[0] != '\0' && strchr("+-*/%@", token.bytes[0]);
}

bool unwind_operate(char operator, uint64_t left, uint64_t right, unsigned width, uint64_t *value)
{
	uint64_t mask = width == 4 ? UINT32_MAX : UINT64_MAX;

	switch (operator) {
	case '+':
		*value = (left + right) & mask;
		return true;
	case '-':
		*value = (left - right) & mask;
		return true;
	case '*':
		*value = (left * right) & mask;
		return true;
	case '@':
		*value = left & ~(right - 1) & mask;
		return right != 0 && (right & (right - 1)) == 0;
	default:
		if (right == 0)
			return false;
		*value = operator == '/' ? left / right : left % right;
		return true;
	}
}

static bool push_operand(const struct unwind_scope *scope, struct operands *operands,
			 struct text token)
{
	unsigned width = unwind_arch_facts(scope->registers->arch)->word_bytes;
	unsigned number;
	int64_t constant;

	if (text_is(token, ".cfa"))
		return scope->has_cfa && push(operands, scope->cfa);
	if (unwind_token_number(token, &constant))
		return push(operands, width == 4 ? (uint32_t)constant : (uint64_t)constant);
	number = unwind_register_named(scope->registers->arch, token);
	return unwind_registers_has(scope->registers, number) && !(scope->hidden >> number & 1) &&
	       push(operands, scope->registers->values[number]);
}

static bool take_in(const struct unwind_scope *scope, struct operands *operands, struct text token)
{
	unsigned width = unwind_arch_facts(scope->registers->arch)->word_bytes;
	uint64_t left, right;

	if (unwind_token_is_operator(token))
		return pop(operands, &right) && pop(operands, &left) &&
		       unwind_operate(token.bytes[0], left, right, width, &left) &&
		       push(operands, left);
	if (text_is(token, "^"))
		return pop(operands, &left) &&
		       unwind_memory_read(scope->memory, left, width, &left) &&
		       push(operands, left);
	return push_operand(scope, operands, token);
}

bool unwind_expression_value(const struct unwind_scope *scope, struct text expression,
			     uint64_t *value)
{
	struct operands operands;
	struct text token;

	operands.count = 0;
	while (unwind_take_token(&expression, &token))
		if (!take_in(scope, &operands, token))
			return false;
	return operands.count == 1 && pop(&operands, value);
}
