/*
 * postfix -- a DWARF expression as one in postfix notation (Breakpad's STACK records).
 *
 * Private to cfi.  What has no counterpart (branches, signed division, bits other than masks) is
 * refused; comparisons with a constant are said by a division where the other side is known to be
 * small enough, as in the expressions of linkage tables.
 *
 * May include: base.
 */
#ifndef CFI_POSTFIX_H
#define CFI_POSTFIX_H

#include "base/reader.h"
#include "cfi/cfi_registers.h"

#define POSTFIX_BYTES 512u

/* With the CFA on the stack, or nothing.  The size of what was written to `out`, 0 when it cannot
 * be said. */
size_t postfix_from_dwarf(struct reader expression, const struct cfi_registers *registers,
			  unsigned address_bytes, bool starts_with_cfa, char out[POSTFIX_BYTES]);

#endif
