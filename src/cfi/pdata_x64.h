/*
 * pdata_x64 -- what an x64 function has on its stack, and its epilogues found in the code.
 *
 * Private to cfi.
 *
 * May include: base.
 */
#ifndef CFI_PDATA_X64_H
#define CFI_PDATA_X64_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reader.h"

#define X64_REGISTERS    16u
#define X64_CODES_MAX    256u
#define X64_NOT_SAVED    INT64_MIN   /* 0 is the first word above the return address */
#define X64_RETURN_BYTES 8           /* the return address */

struct x64_frame {
	int64_t size;                /* from the stack pointer to the CFA */
	bool has_frame;              /* the CFA is told from a frame register: */
	uint8_t frame_register;
	int64_t frame_size;          /* ... by this */
	int64_t saves_size;          /* from where saves count to the CFA */
	int64_t saved[X64_REGISTERS];        /* relative to the CFA, or X64_NOT_SAVED */
	bool is_machine;
	uint8_t pushes[X64_CODES_MAX];       /* what epilogues pop, the last first; X64_REGISTERS: nobody's */
	unsigned push_count;
};

/* The instructions that give a frame back and leave the function. */
struct x64_epilog {
	size_t at;                   /* in the function */
	unsigned begin_bytes;        /* of the one that frees what is below the pushed registers, or 0 */
	uint8_t popped[X64_REGISTERS];
	unsigned pop_count;
	size_t end;                  /* behind the return or jump */
};

#define X64_EPILOG_AHEAD 16u         /* bytes behind a function that its epilogue may end in */

/* The next one that begins at the reader's position or later, and before `before`; the reader moves
 * behind it.  False: there is none.  `code` is that of the function from its beginning, `size` bytes
 * and some that follow: of a function told in parts, an epilogue may end in the next.  What is found is
 * what the unwinder of Windows takes for one, as far as it gives back just this frame. */
bool x64_epilog_next(const struct x64_frame *frame, struct reader *code, uint64_t before,
		     uint64_t size, struct x64_epilog *epilog);

/* "pop" of the high registers has a prefix. */
static inline unsigned x64_pop_bytes(uint8_t number)
{
	return number >= 8 && number < X64_REGISTERS ? 2 : 1;
}

#endif
