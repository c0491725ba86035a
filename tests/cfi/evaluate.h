/*
 * evaluate -- the rules at an address as values, in a world made up: every register and every word
 * of memory has a value of its own, so that two rules are the same when their values are.
 */
#ifndef CFI_TEST_EVALUATE_H
#define CFI_TEST_EVALUATE_H

#include <stdbool.h>
#include <stdint.h>

#include "cfi/cfi.h"

#define EVALUATE_RULES 128u

struct evaluated {
	char name[16], expression[512];
	bool is_known;               /* false: ".undef", or it cannot be evaluated */
	uint64_t value;
};

struct evaluation {
	struct evaluated rules[EVALUATE_RULES];
	unsigned count;
};

/* False: no record covers the address, or its rules are none. */
bool evaluate_at(const struct cfi *cfi, uint64_t address, struct evaluation *evaluation);
/* NULL: there is no rule of that name. */
const struct evaluated *evaluate_find(const struct evaluation *evaluation, const char *name);

#endif
