/* evaluate.c -- see evaluate.h. */
#include "cfi/evaluate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 32u

static uint64_t scramble(uint64_t value)
{
	value ^= value >> 31;
	value *= UINT64_C(0x7fb5d329728ea185);
	value ^= value >> 27;
	return value * UINT64_C(0x81dadef4bc2dd44d);
}

static uint64_t of_register(const char *name, uint64_t address)
{
	uint64_t sum = 0;

	if (strcmp(name, "$rip") == 0 || strcmp(name, "$eip") == 0)
		return address;
	for (; *name; name++)
		sum = scramble(sum + (unsigned char)*name);
	return sum & ~UINT64_C(15);
}

static bool apply(char operator, uint64_t *stack, unsigned *depth)
{
	uint64_t b;

	if (operator == '^' && *depth > 0) {
		stack[*depth - 1] = scramble(stack[*depth - 1]);
		return true;
	}
	if (*depth < 2)
		return false;
	b = stack[--*depth];
	switch (operator) {
	case '+': stack[*depth - 1] += b; return true;
	case '-': stack[*depth - 1] -= b; return true;
	case '*': stack[*depth - 1] *= b; return true;
	case '/': return b && (stack[*depth - 1] /= b, true);
	case '%': return b && (stack[*depth - 1] %= b, true);
	case '@': stack[*depth - 1] &= ~(b - 1); return true;
	default: return false;
	}
}

static bool evaluate(const char *expression, uint64_t address, const struct evaluated *cfa,
		     uint64_t *value)
{
	uint64_t stack[DEPTH];
	unsigned depth = 0;
	char word[64];

	for (int used; sscanf(expression, "%63s%n", word, &used) == 1; expression += used) {
		if (strlen(word) == 1 && strchr("+-*/%@^", word[0])) {
			if (!apply(word[0], stack, &depth))
				return false;
			continue;
		}
		if (depth == DEPTH || strcmp(word, ".undef") == 0)
			return false;
		if (strcmp(word, ".cfa") == 0) {
			if (!cfa || !cfa->is_known)
				return false;
			stack[depth++] = cfa->value;
		} else if (strspn(word, "-0123456789") == strlen(word)) {
			stack[depth++] = (uint64_t)strtoll(word, NULL, 10);
		} else {
			stack[depth++] = of_register(word, address);
		}
	}
	*value = stack[0];
	return depth == 1;
}

const struct evaluated *evaluate_find(const struct evaluation *evaluation, const char *name)
{
	for (unsigned i = 0; i < evaluation->count; i++)
		if (strcmp(evaluation->rules[i].name, name) == 0)
			return &evaluation->rules[i];
	return NULL;
}

/* A later rule for a register takes the place of an earlier one. */
static void keep(struct evaluation *evaluation, const struct cfi_rule *rule)
{
	struct evaluated made = { .is_known = false }, *had;

	snprintf(made.name, sizeof(made.name), "%.*s", (int)rule->name.size, rule->name.bytes);
	snprintf(made.expression, sizeof(made.expression), "%.*s", (int)rule->expression.size,
		 rule->expression.bytes);
	had = (struct evaluated *)evaluate_find(evaluation, made.name);
	if (had)
		*had = made;
	else if (evaluation->count < EVALUATE_RULES)
		evaluation->rules[evaluation->count++] = made;
}

bool evaluate_at(const struct cfi *cfi, uint64_t address, struct evaluation *evaluation)
{
	struct cfi_rules rules;
	struct cfi_rows rows;
	struct cfi_rule rule;
	struct evaluated *cfa;
	int rc;

	evaluation->count = 0;
	if (!cfi_find(cfi, address, &rows))
		return false;
	cfi_rules_begin(&rules, &rows);
	while ((rc = cfi_rules_next(&rules, &rule)) > 0)
		keep(evaluation, &rule);
	cfa = (struct evaluated *)evaluate_find(evaluation, ".cfa");
	if (cfa)
		cfa->is_known = evaluate(cfa->expression, address, NULL, &cfa->value);
	for (unsigned i = 0; i < evaluation->count; i++) {
		struct evaluated *each = &evaluation->rules[i];

		if (each != cfa)
			each->is_known = evaluate(each->expression, address, cfa, &each->value);
	}
	return rc == 0;
}
