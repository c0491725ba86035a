/*
 * own_symbols -- the names of this program's own code, looked up without a lock or an allocation.
 *
 * For the handler of a crash: what it needs is found and mapped before.
 */
#ifndef SUPERVISOR_OWN_SYMBOLS_H
#define SUPERVISOR_OWN_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct own_place {
	struct text module;          /* base name of its file; TEXT_NONE: in none */
	uint64_t offset;             /* in the module */
	struct text function;        /* of the program alone, where its symbols were not stripped; TEXT_NONE */
	uint64_t function_offset;
};

/* Once, before; what cannot be had is done without. */
void own_symbols_open(void);
/* May be called anywhere, in signal handlers too. */
void own_symbols_find(uint64_t address, struct own_place *place);

#endif
