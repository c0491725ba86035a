/*
 * unwind.c -- the walk: one frame after the other, until there is no caller.
 *
 * The first way that gives a caller decides: when that is no caller a stack can have, the stack
 * ends there.
 */
#include "unwind/steps.h"

#define ADDRESS_FIRST  UINT64_C(4096)        /* below: a null pointer, the end of a stack */
#define APPLE_ADDRESS_LAST ((UINT64_C(1) << 47) - 1)

static const char *const trust_names[UNWIND_TRUSTS] = {
	"none", "scan", "cfiscan", "fp", "cfi", "prewalked", "context",
};

const char *unwind_trust_name(enum unwind_trust trust)
{
	return trust < UNWIND_TRUSTS ? trust_names[trust] : trust_names[UNWIND_TRUST_NONE];
}

/* Addresses reach as far as Apple's, or as the highest module does: what is above are
 * signatures. */
static uint64_t pointer_mask(const struct unwind_modules *modules)
{
	const struct unwind_module *last;
	uint64_t highest = APPLE_ADDRESS_LAST, end;

	if (modules->count > 0) {
		last = &modules->items[modules->count - 1];
		end = last->size > UINT64_MAX - last->address ? UINT64_MAX
							      : last->address + last->size;
		highest = end > highest ? end : highest;
	}
	/* All bits below the next power of two. */
	return UINT64_MAX >> __builtin_clzll(highest - 1);
}

/* The frame in hand becomes that of these registers. */
static void enter_at(struct unwind *walk, const struct unwind_registers *registers,
		     enum unwind_trust trust, uint64_t instruction)
{
	const struct unwind_arch_facts *facts = unwind_arch_facts(registers->arch);
	struct unwind_frame *frame = &walk->frame;

	walk->stackless_frames = registers->values[facts->sp] == frame->stack_pointer
				 ? walk->stackless_frames + 1 : 0;
	walk->registers = *registers;
	frame->resume_address = registers->values[facts->pc];
	frame->instruction = instruction;
	frame->stack_pointer = registers->values[facts->sp];
	frame->frame_pointer = facts->fp == UNWIND_NO_REGISTER ? 0 : registers->values[facts->fp];
	frame->module = unwind_module_at(walk->modules, frame->instruction);
	frame->trust = trust;
	if (frame->module != UNWIND_NO_MODULE)
		walk->modules->items[frame->module].is_touched = true;
	if (trust == UNWIND_TRUST_SCAN)
		walk->scanned_frames++;
	if (walk->frame_count < walk->capacity) {
		walk->frames[walk->frame_count] = *frame;
		if (walk->frame_registers)
			walk->frame_registers[walk->frame_count] = *registers;
	}
	walk->frame_count++;
	walk->modules->frame_count++;
}

static void enter(struct unwind *walk, const struct unwind_registers *registers,
		  enum unwind_trust trust)
{
	const struct unwind_arch_facts *facts = unwind_arch_facts(registers->arch);

	enter_at(walk, registers, trust, registers->values[facts->pc] -
		 (trust == UNWIND_TRUST_CONTEXT ? 0 : facts->call_bytes));
}

static void prepare(struct unwind *walk, const struct unwind_registers *registers)
{
	walk->frame_count = 0;
	walk->needed = UNWIND_NO_MODULE;
	walk->callee_parameter_bytes = 0;
	walk->pointer_mask = pointer_mask(walk->modules);
	walk->rule_bytes_left = UNWIND_LIMIT_RULE_BYTES;
	walk->scanned_frames = 0;
	walk->has_no_caller = false;
	walk->frame.stack_pointer = ~registers->values[unwind_arch_facts(registers->arch)->sp];
}

void unwind_begin(struct unwind *walk, const struct unwind_registers *registers)
{
	prepare(walk, registers);
	if (unwind_registers_has(registers, unwind_arch_facts(registers->arch)->pc))
		enter(walk, registers, UNWIND_TRUST_CONTEXT);
}

void unwind_begin_at(struct unwind *walk, const struct unwind_registers *registers,
		     const struct unwind_frame *frame)
{
	prepare(walk, registers);
	if (unwind_registers_has(registers, unwind_arch_facts(registers->arch)->pc))
		enter_at(walk, registers, frame->trust, frame->instruction);
}

/* Is it a frame that may be above the one in hand? */
static bool is_above(const struct unwind *walk, const struct unwind_registers *caller,
		     enum unwind_trust trust)
{
	const struct unwind_arch_facts *facts = unwind_arch_facts(caller->arch);
	uint64_t pc = caller->values[facts->pc], sp = caller->values[facts->sp];
	uint64_t callee_sp = walk->registers.values[facts->sp];
	bool is_context = walk->frame.trust == UNWIND_TRUST_CONTEXT;

	if (pc < ADDRESS_FIRST || sp < callee_sp)
		return false;
	if (sp > callee_sp)
		return true;
	if (walk->stackless_frames >= UNWIND_LIMIT_STACKLESS)
		return false;
	/* Functions that leave their return address in a register need no stack. */
	switch (caller->arch) {
	case UNWIND_ARM:
	case UNWIND_MIPS:
	case UNWIND_MIPS64:
		return is_context;
	case UNWIND_ARM64:
		return pc != walk->registers.values[facts->pc] &&
		       (is_context || trust == UNWIND_TRUST_CFI);
	default:
		return false;
	}
}

/* Of the function of the frame in hand; only STACK WIN wants to know. */
static uint32_t parameter_bytes(const struct unwind *walk)
{
	const struct unwind_symbols *symbols = walk->symbols;
	const struct unwind_module *module;
	struct cfi_win win;
	uint64_t address;

	if (walk->registers.arch != UNWIND_X86 || walk->frame.module == UNWIND_NO_MODULE ||
	    !symbols || !symbols->parameter_bytes)
		return 0;
	module = &walk->modules->items[walk->frame.module];
	address = walk->frame.instruction - module->address;
	if (module->state == UNWIND_CFI_OPEN && cfi_find_win(module->cfi, address, &win))
		return win.parameter_bytes;
	return symbols->parameter_bytes(symbols->payload, walk->frame.module, address);
}

/* The caller of the frame in hand.  NOT_YET: see *state. */
static enum unwind_answer find_caller(struct unwind *walk, struct unwind_registers *caller,
				      enum unwind_trust *trust, enum unwind_state *state)
{
	uint32_t module = walk->frame.module;
	enum unwind_answer answer;

	if (module != UNWIND_NO_MODULE &&
	    walk->modules->items[module].state == UNWIND_CFI_WANTED) {
		walk->needed = module;
		*state = UNWIND_NEEDS_CFI;
		return UNWIND_NOT_YET;
	}
	*trust = UNWIND_TRUST_CFI;
	if (unwind_by_cfi(walk, caller))
		return UNWIND_YES;
	if (walk->has_no_caller)
		return UNWIND_NO;
	answer = unwind_by_leaf(walk, caller, state);
	if (answer != UNWIND_NO)
		return answer;
	*trust = UNWIND_TRUST_FP;
	if (unwind_by_frame_pointer(walk, caller) &&
	    (!walk->passes_bad_pointers || is_above(walk, caller, UNWIND_TRUST_FP)))
		return UNWIND_YES;
	*trust = UNWIND_TRUST_SCAN;
	return unwind_by_scan(walk, caller, state);
}

enum unwind_state unwind_walk(struct unwind *walk)
{
	struct unwind_registers caller;
	enum unwind_trust trust = UNWIND_TRUST_NONE;
	enum unwind_state state = UNWIND_END;

	if (walk->frame_count == 0 || walk->memory->count == 0)
		return UNWIND_END;
	while (walk->frame_count < UNWIND_LIMIT_FRAMES &&
	       walk->modules->frame_count < UNWIND_LIMIT_ALL_FRAMES) {
		enum unwind_answer answer = find_caller(walk, &caller, &trust, &state);

		if (answer == UNWIND_NOT_YET)
			return state;
		if (answer == UNWIND_NO || !is_above(walk, &caller, trust))
			break;
		walk->callee_parameter_bytes = parameter_bytes(walk);
		enter(walk, &caller, trust);
	}
	walk->needed = UNWIND_NO_MODULE;
	return UNWIND_END;
}
