/*
 * frame_pointer.c -- a caller by the chain of saved frame pointers.
 *
 * What is found is not checked further than each processor's code says: to check more is to hand
 * ends of stacks over to the scan, which finds callers where there are none.
 */
#include "unwind/steps.h"

#define AMD64_WINDOWS_STEPS   16u    /* a frame register points up to 240 bytes into its frame, */
#define AMD64_WINDOWS_STEP    16u    /* ... in steps of 16 */
#define ARM64_ADDRESS_FIRST   UINT64_C(0x1000)
#define ARM64_ADDRESS_LAST    UINT64_C(0x000fffffffffffff)
#define SPARC_WINDOW_I6       (14u * 4)      /* where the window of a frame is saved */
#define SPARC_WINDOW_I7       (15u * 4)

/* The pair at an address: the frame pointer saved there and the return address behind it. */
struct record {
	uint64_t fp, ra;
};

static bool read_record(const struct unwind *walk, uint64_t address, struct record *record)
{
	unsigned word = unwind_arch_facts(walk->registers.arch)->word_bytes;
	uint64_t most = word == 4 ? UINT32_MAX : UINT64_MAX;

	return address < most - 2 * word &&
	       unwind_read_word(walk, address + word, &record->ra) &&
	       unwind_read_word(walk, address, &record->fp);
}

static void give(const struct unwind *walk, struct unwind_registers *caller,
		 uint64_t pc, uint64_t sp, uint64_t fp)
{
	const struct unwind_arch_facts *facts = unwind_arch_facts(walk->registers.arch);

	unwind_registers_init(caller, walk->registers.arch);
	unwind_registers_set(caller, facts->pc, pc);
	unwind_registers_set(caller, facts->sp, sp);
	unwind_registers_set(caller, facts->fp, fp);
}

static bool x86(const struct unwind *walk, struct unwind_registers *caller)
{
	uint64_t ebp = walk->registers.values[UNWIND_X86_EBP];
	struct record record;

	if (!unwind_knows(walk, UNWIND_X86_EBP) || !read_record(walk, ebp, &record))
		return false;
	give(walk, caller, record.ra, ebp + 8, record.fp);
	return true;
}

static bool x86_64(const struct unwind *walk, struct unwind_registers *caller)
{
	unsigned steps = walk->os == UNWIND_OS_WINDOWS ? AMD64_WINDOWS_STEPS : 1;
	uint64_t rsp = walk->registers.values[UNWIND_X86_64_RSP];
	uint64_t rbp = walk->registers.values[UNWIND_X86_64_RBP];
	struct record record;
	uint64_t word;

	if (!unwind_knows(walk, UNWIND_X86_64_RBP) || !unwind_knows(walk, UNWIND_X86_64_RSP))
		return false;
	for (unsigned i = 0; i < steps; i++, rbp += AMD64_WINDOWS_STEP) {
		if (!read_record(walk, rbp, &record))
			return false;
		if (record.fp < rbp + 16)
			continue;
		if (!unwind_read_word(walk, record.fp, &word))
			return false;
		if (!unwind_is_canonical(record.ra) || rbp + 16 <= rsp ||
		    !unwind_read_word(walk, rbp + 16, &word))
			continue;
		give(walk, caller, record.ra, rbp + 16, record.fp);
		return true;
	}
	return false;
}

/* Only iOS keeps to frame pointers; one of 0 ends the stack there. */
static bool arm(const struct unwind *walk, struct unwind_registers *caller)
{
	uint64_t fp = walk->registers.values[UNWIND_ARM_FP];
	struct record record;

	if (walk->os != UNWIND_OS_IOS || !unwind_knows(walk, UNWIND_ARM_FP) ||
	    !unwind_knows(walk, UNWIND_ARM_SP))
		return false;
	if (fp == 0) {
		give(walk, caller, 0, walk->registers.values[UNWIND_ARM_SP], 0);
		return true;
	}
	if (!read_record(walk, fp, &record))
		return false;
	give(walk, caller, record.ra, fp + 8, record.fp);
	return true;
}

static bool arm64(const struct unwind *walk, struct unwind_registers *caller)
{
	uint64_t fp = walk->registers.values[UNWIND_ARM64_FP];
	struct record record, next;

	if (!unwind_knows(walk, UNWIND_ARM64_FP) || !unwind_knows(walk, UNWIND_ARM64_SP) ||
	    fp == 0 || !read_record(walk, fp, &record))
		return false;
	record.fp &= walk->pointer_mask;
	record.ra &= walk->pointer_mask;
	if (record.ra < ARM64_ADDRESS_FIRST || record.ra > ARM64_ADDRESS_LAST)
		return false;
	give(walk, caller, record.ra, fp + 16, record.fp);
	if (record.fp != 0 && record.fp < UINT64_MAX - 16 &&
	    unwind_read_word(walk, record.fp + 8, &next.ra))
		unwind_registers_set(caller, UNWIND_ARM64_LR, next.ra & walk->pointer_mask);
	return true;
}

/* The back chain: a frame begins with the address of the caller's, where the return address stands
 * behind it (System V ABI; macOS has one word more between the two, as 64-bit frames have). */
static bool ppc(const struct unwind *walk, struct unwind_registers *caller)
{
	const struct unwind_arch_facts *facts = unwind_arch_facts(walk->registers.arch);
	unsigned words = facts->word_bytes == 8 || walk->os == UNWIND_OS_MACOS ? 2 : 1;
	uint64_t sp = walk->registers.values[UNWIND_PPC_R1], next, ra;

	if (!unwind_knows(walk, UNWIND_PPC_R1) || !unwind_read_word(walk, sp, &next) ||
	    next > UINT64_MAX - 16 ||
	    !unwind_read_word(walk, next + words * facts->word_bytes, &ra))
		return false;
	unwind_registers_init(caller, walk->registers.arch);
	unwind_registers_set(caller, UNWIND_PPC_SRR0, ra);
	unwind_registers_set(caller, UNWIND_PPC_R1, next);
	return true;
}

/* Each frame's register window is saved where its stack pointer points.  The call stands at i7, and
 * what comes back goes on behind its delay slot. */
static bool sparc(const struct unwind *walk, struct unwind_registers *caller)
{
	uint64_t sp = walk->registers.values[UNWIND_SPARC_I6], fp, call;

	if (!unwind_knows(walk, UNWIND_SPARC_I6) || !unwind_knows(walk, UNWIND_SPARC_I7) ||
	    !unwind_read_word(walk, sp + SPARC_WINDOW_I6, &fp) ||
	    !unwind_read_word(walk, sp + SPARC_WINDOW_I7, &call))
		return false;
	give(walk, caller, walk->registers.values[UNWIND_SPARC_I7] + 8, sp, fp);
	unwind_registers_set(caller, UNWIND_SPARC_I7, call);
	return true;
}

bool unwind_by_frame_pointer(const struct unwind *walk, struct unwind_registers *caller)
{
	static bool (*const ways[UNWIND_ARCHES])(const struct unwind *, struct unwind_registers *) = {
		[UNWIND_X86] = x86, [UNWIND_X86_64] = x86_64, [UNWIND_ARM] = arm,
		[UNWIND_ARM64] = arm64, [UNWIND_PPC] = ppc, [UNWIND_PPC64] = ppc,
		[UNWIND_SPARC] = sparc,      /* mips has no chain */
	};

	return ways[walk->registers.arch] && ways[walk->registers.arch](walk, caller);
}
