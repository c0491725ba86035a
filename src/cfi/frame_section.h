/*
 * frame_section -- .debug_frame and .eh_frame: common entries (CIE), the entries of functions that
 * refer to them (FDE), and what their instructions say (DWARF5 §6.4, LSB 5.0 core §10.6).
 *
 * Private to cfi.
 *
 * May include: base, object.
 */
#ifndef CFI_FRAME_SECTION_H
#define CFI_FRAME_SECTION_H

#include "base/reader.h"
#include "cfi/cfi_writer.h"
#include "cfi/frame_rows.h"

struct frame_common {
	uint64_t offset;             /* of the CIE, */
	bool is_known;               /* when one was read */
	bool has_data;               /* FDEs say how long their augmentation is */
	bool is_usual;               /* it is, and their addresses are 32 bits from themselves */
	uint8_t encoding;            /* of their addresses: DW_EH_PE_* */
	unsigned address_bytes;
	uint64_t code_factor;
	int64_t data_factor;
	uint32_t return_column;
	uint64_t instructions_at, instructions_end;
};

/* One FDE. */
struct frame_description {
	const struct frame_common *common;   /* until the next is read */
	uint64_t start, size;        /* not relative */
	uint64_t instructions_at, instructions_end;
};

#define FRAME_COMMONS 256u           /* remembered, by the place of each */

struct frame_section {
	const struct object_unwind *section;
	struct reader reader;        /* over all of it */
	uint64_t load_address;
	const struct cfi_registers *registers;
	struct frame_common commons[FRAME_COMMONS];
	struct frame_rows rows;
};

/* Give back with mem_give_back(). */
int frame_section_new(struct frame_section **frames, const struct object_unwind *section,
		      uint64_t load_address, struct err *err) __attribute__((warn_unused_result));

/* What stands at `offset`: 1 an FDE, 0 something else (a CIE, the end), -1 it cannot be read.
 * *next is behind it, or 0 when that cannot be told. */
int frame_section_read(struct frame_section *frames, uint64_t offset, uint64_t *next,
		       struct frame_description *description, struct err *err)
	__attribute__((warn_unused_result));

/* Is the code one of this module? */
bool frame_section_has_code(const struct frame_section *frames,
			    const struct frame_description *description);

#endif
