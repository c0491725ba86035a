/*
 * win.c -- STACK WIN: how x86 code of Windows without frame pointers is left
 * (Breakpad's symbol file format, STACK WIN records).
 *
 * Records of type 4 hold a program that assigns variables; of type 0 only sizes.
 */
#include "unwind/expression.h"
#include "unwind/steps.h"

#define WORD_BYTES          4u
#define LIMIT_VARIABLES     64u      /* of one program; real ones have twenty */

struct variable {
	struct text name;
	uint32_t value;
	bool is_set;
};

/* A name on the stack is looked up when a value is asked of it. */
struct operand {
	struct text name;            /* TEXT_NONE: a value */
	uint32_t value;
};

struct program {
	const struct unwind_memory *memory;
	struct variable variables[LIMIT_VARIABLES];
	size_t variable_count;
	struct operand operands[UNWIND_LIMIT_OPERANDS];
	size_t operand_count;
};

/* --- Variables ----------------------------------------------------------------------- */

static struct variable *find(struct program *program, struct text name)
{
	for (size_t i = 0; i < program->variable_count; i++)
		if (text_equal(program->variables[i].name, name))
			return &program->variables[i];
	return NULL;
}

static bool assign(struct program *program, struct text name, uint32_t value)
{
	struct variable *variable = find(program, name);

	if (!variable) {
		if (program->variable_count == LIMIT_VARIABLES)
			return false;
		variable = &program->variables[program->variable_count++];
	}
	*variable = (struct variable){ name, value, true };
	return true;
}

static void begin(struct program *program, const struct unwind *walk, const struct cfi_win *win)
{
	const uint64_t *registers = walk->registers.values;
	uint32_t esp = (uint32_t)registers[UNWIND_X86_ESP];
	uint32_t ebp = (uint32_t)registers[UNWIND_X86_EBP];
	uint32_t search = esp + win->local_bytes + win->saved_register_bytes +
			  walk->callee_parameter_bytes;
	const struct { struct text name; uint32_t value; } known[] = {
		{ TEXT("$esp"), esp },
		{ TEXT("$ebp"), ebp },
		{ TEXT(".cbParams"), win->parameter_bytes },
		{ TEXT(".cbCalleeParams"), walk->callee_parameter_bytes },
		{ TEXT(".cbSavedRegs"), win->saved_register_bytes },
		{ TEXT(".cbLocals"), win->local_bytes },
		{ TEXT(".raSearch"), search },
		{ TEXT(".raSearchStart"), search },
	};

	program->memory = walk->memory;
	program->operand_count = 0;
	program->variable_count = 0;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		program->variables[program->variable_count++] =
			(struct variable){ known[i].name, known[i].value, true };
	if (unwind_knows(walk, UNWIND_X86_EBX))
		program->variables[program->variable_count++] = (struct variable){
			TEXT("$ebx"), (uint32_t)registers[UNWIND_X86_EBX], true };
	/* Code that aligns its stack finds what was pushed before by its frame pointer. */
	if (memchr(win->program.bytes, '@', win->program.size)) {
		find(program, TEXT(".raSearch"))->value = ebp + WORD_BYTES;
		find(program, TEXT(".raSearchStart"))->value = ebp + WORD_BYTES;
	}
}

/* --- Running ------------------------------------------------------------------------- */

static bool push(struct program *program, struct text name, uint64_t value)
{
	if (program->operand_count == UNWIND_LIMIT_OPERANDS)
		return false;
	program->operands[program->operand_count++] = (struct operand){ name, (uint32_t)value };
	return true;
}

static bool pop_value(struct program *program, uint64_t *value)
{
	const struct operand *operand;
	const struct variable *variable;

	if (program->operand_count == 0)
		return false;
	operand = &program->operands[--program->operand_count];
	if (!operand->name.bytes) {
		*value = operand->value;
		return true;
	}
	variable = find(program, operand->name);
	if (!variable || !variable->is_set)
		return false;
	*value = variable->value;
	return true;
}

/* NAME VALUE =, where the value may be .undef. */
static bool run_assignment(struct program *program)
{
	const struct operand *top = program->operands + program->operand_count;
	struct variable *variable;
	struct text name;
	uint64_t value;

	if (program->operand_count < 2 || !top[-2].name.bytes)
		return false;
	name = top[-2].name;
	if (text_is(top[-1].name, ".undef")) {
		program->operand_count -= 2;
		variable = find(program, name);
		if (variable)
			variable->is_set = false;
		return true;
	}
	if (!pop_value(program, &value))
		return false;
	program->operand_count--;
	return assign(program, name, (uint32_t)value);
}

static bool run_token(struct program *program, struct text token)
{
	uint64_t left, right;
	int64_t constant;

	if (unwind_token_is_operator(token))
		return pop_value(program, &right) && pop_value(program, &left) &&
		       unwind_operate(token.bytes[0], left, right, WORD_BYTES, &left) &&
		       push(program, TEXT_NONE, left);
	if (text_is(token, "^"))
		return pop_value(program, &left) &&
		       unwind_memory_read(program->memory, left, WORD_BYTES, &left) &&
		       push(program, TEXT_NONE, left);
	if (token.bytes[0] == '$' || token.bytes[0] == '.')
		return push(program, token, 0);
	return unwind_token_number(token, &constant) && constant >= INT32_MIN &&
	       constant <= INT32_MAX && push(program, TEXT_NONE, (uint32_t)constant);
}

static bool run(struct program *program, struct text text)
{
	struct text token;

	while (unwind_take_token(&text, &token)) {
		/* Some programs have "=$eip" for "= $eip". */
		if (token.bytes[0] == '=') {
			if (!run_assignment(program))
				return false;
			token.bytes++;
			token.size--;
		}
		if (token.size > 0 && !run_token(program, token))
			return false;
	}
	return true;
}

static bool by_frame_data(const struct unwind *walk, const struct cfi_win *win,
			  struct unwind_registers *caller)
{
	static const struct { struct text name; unsigned number; } results[] = {
		{ { "$eip", 4 }, UNWIND_X86_EIP }, { { "$esp", 4 }, UNWIND_X86_ESP },
		{ { "$ebp", 4 }, UNWIND_X86_EBP }, { { "$ebx", 4 }, UNWIND_X86_EBX },
		{ { "$esi", 4 }, UNWIND_X86_ESI }, { { "$edi", 4 }, UNWIND_X86_EDI },
	};
	struct program program;
	const struct variable *variable;

	if (!unwind_knows(walk, UNWIND_X86_EBP))
		return false;
	begin(&program, walk, win);
	if (!run(&program, win->program))
		return false;
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
		variable = find(&program, results[i].name);
		if (variable && variable->is_set)
			unwind_registers_set(caller, results[i].number, variable->value);
	}
	return true;
}

/* --- Frames without program ------------------------------------------------------------- */

static bool by_fpo(const struct unwind *walk, const struct cfi_win *win,
		   struct unwind_registers *caller)
{
	uint32_t esp = (uint32_t)walk->registers.values[UNWIND_X86_ESP];
	uint32_t at = esp + win->local_bytes + win->saved_register_bytes +
		      walk->callee_parameter_bytes;
	uint32_t saved_ebp = esp + walk->callee_parameter_bytes + win->saved_register_bytes -
			     2 * WORD_BYTES;
	uint64_t eip, ebp = walk->registers.values[UNWIND_X86_EBP];

	if (!unwind_read_word(walk, at, &eip))
		return false;
	/* System calls return to where a return address is left over: the next word is ours. */
	if (walk->frame.trust == UNWIND_TRUST_CONTEXT &&
	    eip == walk->registers.values[UNWIND_X86_EIP]) {
		at += WORD_BYTES;
		if (!unwind_read_word(walk, at, &eip))
			return false;
	}
	if (win->allocates_base_pointer ? !unwind_read_word(walk, saved_ebp, &ebp)
					: !unwind_knows(walk, UNWIND_X86_EBP))
		return false;
	unwind_registers_set(caller, UNWIND_X86_EIP, eip);
	unwind_registers_set(caller, UNWIND_X86_ESP, at + WORD_BYTES);
	unwind_registers_set(caller, UNWIND_X86_EBP, ebp);
	return true;
}

bool unwind_by_win(const struct unwind *walk, const struct cfi_win *win,
		   struct unwind_registers *caller)
{
	return win->type == CFI_WIN_FRAME_DATA ? by_frame_data(walk, win, caller)
					       : by_fpo(walk, win, caller);
}
