/*
 * stack_scan.c -- a caller by the first word on the stack that looks like a return address.
 *
 * A word looks like one when it points into a module and, as far as anybody knows, into a function.
 */
#include "unwind/steps.h"

#define MIPS_SCAN_BYTES     1024u
#define MIPS_ARGUMENT_WORDS 4u       /* at the bottom of every 32-bit frame that calls */
#define FRAME_GAP_MAX       (UINT64_C(128) << 10)    /* between saved frame pointers */
#define ARM64_ADDRESS_FIRST UINT64_C(0x1000)
#define ARM64_ADDRESS_LAST  UINT64_C(0x000fffffffffffff)
#define MIPS_ADDRESS_FIRST  UINT64_C(0x1000)

/* Which words are looked at. */
struct scan {
	uint64_t from;
	uint64_t words;
	unsigned word_bytes;
};

static bool is_mips(enum unwind_arch arch)
{
	return arch == UNWIND_MIPS || arch == UNWIND_MIPS64;
}

static struct scan scan_of(const struct unwind *walk)
{
	const struct unwind_arch_facts *facts = unwind_arch_facts(walk->registers.arch);
	bool is_context = walk->frame.trust == UNWIND_TRUST_CONTEXT;
	struct scan scan = { walk->registers.values[facts->sp], UNWIND_SCAN_WORDS,
			     facts->word_bytes };

	if (is_mips(walk->registers.arch))
		scan.words = MIPS_SCAN_BYTES / scan.word_bytes;
	else if (is_context || walk->frame.trust == UNWIND_TRUST_CFI)
		scan.words = UNWIND_SCAN_WORDS_EXTENDED;
	if (walk->registers.arch == UNWIND_MIPS && !is_context) {
		scan.from += (uint64_t)MIPS_ARGUMENT_WORDS * scan.word_bytes;
		scan.words -= MIPS_ARGUMENT_WORDS;
	}
	return scan;
}

/* --- Does a word look like a return address? ------------------------------------------------- */

static bool may_be_code(enum unwind_arch arch, uint64_t value)
{
	switch (arch) {
	case UNWIND_X86_64:
		return unwind_is_canonical(value);
	case UNWIND_ARM64:
		return value >= ARM64_ADDRESS_FIRST && value <= ARM64_ADDRESS_LAST;
	case UNWIND_MIPS:
	case UNWIND_MIPS64:
		return value >= MIPS_ADDRESS_FIRST;
	default:
		return true;
	}
}

/* What CFI and symbols make of an address; both may have to be waited for. */
static enum unwind_answer is_function(struct unwind *walk, uint64_t address,
				      enum unwind_state *state)
{
	const struct unwind_symbols *symbols = walk->symbols;
	const struct unwind_module *module = &walk->modules->items[walk->needed];
	struct cfi_rows rows;

	*state = UNWIND_NEEDS_CFI;
	if (!symbols || !symbols->has_function)
		return UNWIND_YES;
	if (!symbols->decides_alone) {
		if (module->state == UNWIND_CFI_WANTED)
			return UNWIND_NOT_YET;
		if (module->state == UNWIND_CFI_ABSENT || module->cfi->text.size == 0 ||
		    unwind_rows_at(walk->modules, module->cfi, address, &rows))
			return UNWIND_YES;
	}
	*state = UNWIND_NEEDS_SYMBOLS;
	return symbols->has_function(symbols->payload, walk->needed, address);
}

enum unwind_answer unwind_is_return_address(struct unwind *walk, uint64_t value,
					    enum unwind_state *state)
{
	uint32_t module;

	if (value <= 1 || !may_be_code(walk->registers.arch, value))
		return UNWIND_NO;
	module = unwind_module_at(walk->modules, value - 1);
	if (module == UNWIND_NO_MODULE)
		return UNWIND_NO;
	walk->modules->items[module].is_touched = true;
	walk->needed = module;
	return is_function(walk, value - 1 - walk->modules->items[module].address, state);
}

/* --- The caller's frame pointer --------------------------------------------------------------- */

/* Is it `fp`, saved right before the return address, at the beginning of a chain? */
static bool is_saved_fp(uint64_t fp, uint64_t slot, unsigned word)
{
	return fp > slot && fp - (slot - word) <= FRAME_GAP_MAX;
}

/* From the word before the return address, or as it was; 0: unknown. */
static uint64_t x86_fp(const struct unwind *walk, uint64_t slot)
{
	uint64_t old = walk->registers.values[UNWIND_X86_EBP], saved, word;

	if (!unwind_read_word(walk, slot - 4, &saved))
		return 0;
	if (is_saved_fp(saved, slot, 4))
		return unwind_read_word(walk, saved, &word) ? saved : 0;
	return unwind_knows(walk, UNWIND_X86_EBP) && old >= slot + 4 &&
	       unwind_read_word(walk, old, &word) ? old : 0;
}

static uint64_t x86_64_fp(const struct unwind *walk, uint64_t slot)
{
	uint64_t old = walk->registers.values[UNWIND_X86_64_RBP], saved, word;

	if (!unwind_knows(walk, UNWIND_X86_64_RBP) || !unwind_read_word(walk, slot - 8, &saved))
		return 0;
	if (old == slot - 8 && is_saved_fp(saved, slot, 8))
		return unwind_read_word(walk, saved, &word) ? saved : 0;
	return old >= slot + 8 ? old : 0;
}

static void give(const struct unwind *walk, const struct scan *scan, uint64_t slot, uint64_t value,
		 struct unwind_registers *caller)
{
	const struct unwind_arch_facts *facts = unwind_arch_facts(walk->registers.arch);
	uint64_t fp = 0;

	unwind_registers_init(caller, walk->registers.arch);
	unwind_registers_set(caller, facts->pc, value);
	unwind_registers_set(caller, facts->sp, slot + scan->word_bytes);
	if (slot == scan->from)      /* the whole frame is the return address */
		return;
	if (walk->registers.arch == UNWIND_X86)
		fp = x86_fp(walk, slot);
	else if (walk->registers.arch == UNWIND_X86_64)
		fp = x86_64_fp(walk, slot);
	if (fp)
		unwind_registers_set(caller, facts->fp, fp);
}

enum unwind_answer unwind_by_scan(struct unwind *walk, struct unwind_registers *caller,
				  enum unwind_state *state)
{
	struct scan scan = scan_of(walk);
	uint64_t slot = scan.from, value;

	if (!unwind_knows(walk, unwind_arch_facts(walk->registers.arch)->sp) ||
	    walk->scanned_frames >= UNWIND_LIMIT_SCANNED_FRAMES ||
	    walk->registers.arch >= UNWIND_PPC)
		return UNWIND_NO;
	for (uint64_t i = 0; i < scan.words; i++, slot += scan.word_bytes) {
		enum unwind_answer answer;

		if (slot < scan.from || !unwind_read_word(walk, slot, &value))
			return UNWIND_NO;
		answer = unwind_is_return_address(walk, value, state);
		if (answer == UNWIND_YES)
			give(walk, &scan, slot, value, caller);
		if (answer != UNWIND_NO)
			return answer;
	}
	return UNWIND_NO;
}
