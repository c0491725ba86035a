/*
 * steps -- the ways to a caller, and what they share.
 *
 * Private to unwind.
 */
#ifndef UNWIND_STEPS_H
#define UNWIND_STEPS_H

#include "unwind/unwind.h"

/* Each gives the registers of the caller of walk->frame, or nothing. */
bool unwind_by_cfi(struct unwind *walk, struct unwind_registers *caller);
bool unwind_by_win(const struct unwind *walk, const struct cfi_win *win,
		   struct unwind_registers *caller);
/* NOT_YET: the walk needs what *state says of walk->needed. */
enum unwind_answer unwind_by_leaf(struct unwind *walk, struct unwind_registers *caller,
				  enum unwind_state *state);
bool unwind_by_frame_pointer(const struct unwind *walk, struct unwind_registers *caller);
/* NOT_YET: the walk needs what *state says of walk->needed. */
enum unwind_answer unwind_by_scan(struct unwind *walk, struct unwind_registers *caller,
				  enum unwind_state *state);

/* Does a call return to that address, as far as anybody knows? */
enum unwind_answer unwind_is_return_address(struct unwind *walk, uint64_t value,
					    enum unwind_state *state);

/* The caller's registers begin as those a called function hands back as they were. */
void unwind_forward_saved(const struct unwind *walk, struct unwind_registers *caller);

/* The record that covers an address of a module; looked up once for many frames. */
bool unwind_rows_at(struct unwind_modules *modules, const struct cfi *cfi, uint64_t address,
		    struct cfi_rows *rows);

/* A word of the processor's width. */
static inline bool unwind_read_word(const struct unwind *walk, uint64_t address, uint64_t *value)
{
	return unwind_memory_read(walk->memory, address,
				  unwind_arch_facts(walk->registers.arch)->word_bytes, value);
}

/* Of amd64, with 48 bits of address: the upper ones repeat bit 47. */
static inline bool unwind_is_canonical(uint64_t address)
{
	return address <= UINT64_C(0x00007fffffffffff) || address >= UINT64_C(0xffff800000000000);
}

static inline bool unwind_knows(const struct unwind *walk, unsigned number)
{
	return unwind_registers_has(&walk->registers, number);
}

#endif
