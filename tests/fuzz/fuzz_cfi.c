/* fuzz_cfi.c -- opens a text of STACK records and searches it. */
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "cfi/cfi.h"

#define ADDRESSES 64u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static volatile uint64_t total;

static uint64_t sum_of(struct text text)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < text.size; i++)
		sum += (unsigned char)text.bytes[i];
	return sum;
}

static void take_rows(const struct cfi_rows *rows, uint64_t address)
{
	struct cfi_rules rules;
	struct cfi_rule rule;
	size_t most = rows->init.size + rows->deltas.size;

	if (address < rows->start || address - rows->start >= rows->size)
		abort();
	cfi_rules_begin(&rules, rows);
	while (cfi_rules_next(&rules, &rule) > 0) {
		if (rule.name.size == 0 || rule.expression.size == 0 || most-- == 0)
			abort();
		total += sum_of(rule.name) + sum_of(rule.expression);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct err err = ERR_INIT;
	struct cfi_rows rows;
	struct cfi_win win;
	struct cfi cfi;

	if (cfi_open(&cfi, bytes, size, &err) < 0)
		return 0;
	total += sum_of(cfi.module);
	for (uint64_t i = 0; i < ADDRESSES; i++) {
		uint64_t address = i < 48 ? i * 16 : UINT64_C(1) << i;

		if (cfi_find(&cfi, address, &rows))
			take_rows(&rows, address);
		if (cfi_find_win(&cfi, address, &win))
			total += sum_of(win.program) + win.size;
	}
	return 0;
}
