/*
 * fuzz_expression.c -- one text as a rule of STACK CFI for each processor, and as a program of
 * STACK WIN.
 *
 * What has a value has the same one again, and no more bits than the processor's words.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "unwind/expression.h"
#include "unwind/steps.h"

#define STACK_BYTES 256u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static uint8_t stack[STACK_BYTES];
static const struct unwind_region region = { 0x1000, stack, STACK_BYTES };

static void know_all(struct unwind_registers *registers, enum unwind_arch arch)
{
	unwind_registers_init(registers, arch);
	for (unsigned i = 0; i < unwind_arch_facts(arch)->register_count; i++)
		unwind_registers_set(registers, i, 0x1000 + 4 * i);
}

static void check_rule(struct text text, enum unwind_arch arch)
{
	const struct unwind_memory memory = { &region, 1, arch == UNWIND_SPARC };
	struct unwind_registers registers;
	struct unwind_scope scope = { .memory = &memory, .registers = &registers, .cfa = 0x1080,
				      .has_cfa = true };
	uint64_t value, again;

	know_all(&registers, arch);
	if (!unwind_expression_value(&scope, text, &value))
		return;
	if (!unwind_expression_value(&scope, text, &again) || value != again ||
	    (unwind_arch_facts(arch)->word_bytes == 4 && value > UINT32_MAX))
		abort();
	/* Without registers and memory only numbers are left, which are the same everywhere. */
	registers.valid = 0;
	scope.has_cfa = false;
	if (unwind_expression_value(&scope, text, &again) && value != again)
		abort();
}

static void check_program(struct text text)
{
	const struct unwind_memory memory = { &region, 1, false };
	struct unwind walk = { .memory = &memory };
	struct cfi_win win = { .type = CFI_WIN_FRAME_DATA, .start = 0, .size = 16,
			       .parameter_bytes = 4, .saved_register_bytes = 8, .local_bytes = 16,
			       .program = text };
	struct unwind_registers caller;

	know_all(&walk.registers, UNWIND_X86);
	unwind_registers_init(&caller, UNWIND_X86);
	if (unwind_by_win(&walk, &win, &caller) && caller.valid >> UNWIND_X86_EAX)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct text text = { size ? (const char *)bytes : "", size };

	for (size_t i = 0; i < STACK_BYTES; i++)
		stack[i] = i % 8 == 1 ? 0x10 : (uint8_t)(i % 8 == 0 ? i : 0);
	for (int arch = 0; arch < UNWIND_ARCHES; arch++)
		check_rule(text, (enum unwind_arch)arch);
	check_program(text);
	return 0;
}
