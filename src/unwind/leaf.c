/*
 * leaf.c -- a caller of a function that needs no stack, where tables tell of all others: Windows on x64
 * and ARM64 (Microsoft, "x64 exception handling": a function without an entry is a leaf function).
 *
 * Code by hand need not keep to that, nor does what only looks like code, so what is found has to
 * be a return address as good as one on the stack is.
 */
#include "unwind/steps.h"

/* Is the address in a module whose tables tell nothing of it? */
static bool is_untold(struct unwind *walk, uint32_t number, uint64_t address)
{
	const struct unwind_module *module;
	struct cfi_rows rows;

	if (number == UNWIND_NO_MODULE)
		return false;
	module = &walk->modules->items[number];
	return module->state == UNWIND_CFI_OPEN && module->cfi->omits_leaves &&
	       !unwind_rows_at(walk->modules, module->cfi, address - module->address, &rows);
}

/* Guessed frames are no functions, as far as that goes. */
static bool may_be_leaf(struct unwind *walk)
{
	return (walk->frame.trust == UNWIND_TRUST_CONTEXT ||
		walk->frame.trust == UNWIND_TRUST_CFI) &&
	       is_untold(walk, walk->frame.module, walk->frame.instruction);
}

/* Leaf functions call nobody. */
static enum unwind_answer is_return_address(struct unwind *walk, uint64_t value,
					    enum unwind_state *state)
{
	enum unwind_answer answer = unwind_is_return_address(walk, value, state);

	return answer == UNWIND_YES && is_untold(walk, walk->needed, value - 1) ? UNWIND_NO : answer;
}

/* x64: the one word the call left. */
static bool read_from_stack(const struct unwind *walk, uint64_t *sp, uint64_t *pc)
{
	*sp = walk->registers.values[UNWIND_X86_64_RSP];
	if (!unwind_knows(walk, UNWIND_X86_64_RSP) || !unwind_read_word(walk, *sp, pc))
		return false;
	*sp += 8;
	return true;
}

/* ARM64: only a context's link register is the function's own. */
static bool read_from_link(const struct unwind *walk, uint64_t *sp, uint64_t *pc)
{
	*sp = walk->registers.values[UNWIND_ARM64_SP];
	*pc = walk->registers.values[UNWIND_ARM64_LR] & walk->pointer_mask;
	return walk->frame.trust == UNWIND_TRUST_CONTEXT && unwind_knows(walk, UNWIND_ARM64_SP) &&
	       unwind_knows(walk, UNWIND_ARM64_LR);
}

enum unwind_answer unwind_by_leaf(struct unwind *walk, struct unwind_registers *caller,
				  enum unwind_state *state)
{
	const struct unwind_arch_facts *facts = unwind_arch_facts(walk->registers.arch);
	enum unwind_answer answer;
	uint64_t sp, pc;
	bool is_read;

	if (!may_be_leaf(walk))
		return UNWIND_NO;
	if (walk->registers.arch == UNWIND_X86_64)
		is_read = read_from_stack(walk, &sp, &pc);
	else
		is_read = walk->registers.arch == UNWIND_ARM64 && read_from_link(walk, &sp, &pc);
	answer = is_read ? is_return_address(walk, pc, state) : UNWIND_NO;
	if (answer != UNWIND_YES)
		return answer;
	unwind_forward_saved(walk, caller);
	unwind_registers_set(caller, facts->sp, sp);
	unwind_registers_set(caller, facts->pc, pc);
	return UNWIND_YES;
}
