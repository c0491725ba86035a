/*
 * cfi_registers -- what Breakpad text calls the registers DWARF numbers, and what
 * a caller's frame takes over from its callee's.
 *
 * Private to cfi.
 *
 * May include: base.
 */
#ifndef CFI_CFI_REGISTERS_H
#define CFI_CFI_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define CFI_COLUMNS 96u              /* DWARF registers that rules are kept for */
#define CFI_NO_COLUMN UINT32_MAX

struct cfi_registers {
	const struct text *names;    /* CFI_COLUMNS of them; TEXT_NONE: has none */
	uint32_t stack_pointer;
	/* Where the return address is when nothing is said; CFI_NO_COLUMN: nowhere. */
	uint32_t link;
	uint64_t kept;               /* a bit for each of the first 64: callee-saved */
};

/* NULL: none are known for this processor (enum arch). */
const struct cfi_registers *cfi_registers_of(uint32_t arch);

/* The same by the numbers of __eh_frame in Mach-O files: on x86 those of ESP and EBP are
 * swapped, as Apple's compilers have it since ever. */
const struct cfi_registers *cfi_registers_of_macho(uint32_t arch);

static inline struct text cfi_register_name(const struct cfi_registers *registers, uint64_t column)
{
	return column < CFI_COLUMNS ? registers->names[column] : TEXT_NONE;
}

static inline bool cfi_register_is_kept(const struct cfi_registers *registers, uint32_t column)
{
	return column < 64 && (registers->kept >> column & 1);
}

#endif
