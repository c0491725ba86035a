/*
 * return_pads -- where in a function's code calls are, for whom their return addresses matter.
 *
 * May include: base, and the disassembler.
 */
#ifndef CONVERT_RETURN_PADS_H
#define CONVERT_RETURN_PADS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct err;

/* `call` is where the instruction begins, `bytes` how long it is; both in the code.  Nonzero stops with -1. */
typedef int return_pads_fn(void *payload, uint64_t call, unsigned bytes, struct err *err);

/* Do we know that architecture's calls?  (enum arch) */
bool return_pads_may(uint32_t arch);
/* Every call in straight order, up to what is no instruction. */
int  return_pads_find(uint32_t arch, struct text code, return_pads_fn *fn, void *payload, struct err *err)
	__attribute__((warn_unused_result));
/* How long the first instruction is; 0: it is none. */
unsigned return_pads_first_bytes(uint32_t arch, struct text code);

#endif
