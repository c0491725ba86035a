/*
 * stacktext_threads.c -- which thread crashed, by all that the text said; and gdb's `info threads',
 * whose one frame is of no use where the thread's stack stands elsewhere.
 */
#include "stacktext/stacktext_internal.h"

#define MERGE_STEPS ((size_t)1 << 24)        /* stacks compared: 4,096 threads with as many in a list */

/* The stack of the thread that a list has; NULL: there is none. */
static struct stacktext_stack *find_stack(struct stacktext *text, const struct stacktext_stack *listed)
{
	for (size_t i = 0; i < text->stack_count; i++) {
		struct stacktext_stack *stack = &text->stacks[i];

		if (stack->is_listed)
			continue;
		if (stack->has_id && listed->has_id && stack->id == listed->id)
			return stack;
		/* A stack by itself is that of the current thread. */
		if (listed->is_crashed && !stack->has_id && !stack->has_number)
			return stack;
	}
	return NULL;
}

static void merge_listed(struct stacktext *text)
{
	size_t listed = 0, kept = 0;

	for (size_t i = 0; i < text->stack_count; i++)
		listed += text->stacks[i].is_listed;
	if (listed == 0 || listed > MERGE_STEPS / text->stack_count)
		return;
	for (size_t i = 0; i < text->stack_count; i++) {
		const struct stacktext_stack entry = text->stacks[i];
		struct stacktext_stack *stack = entry.is_listed ? find_stack(text, &entry) : NULL;

		if (!stack)
			continue;
		if (!stack->has_id) {
			stack->has_id = entry.has_id;
			stack->id = entry.id;
		}
		if (!stack->name.bytes)
			stack->name = entry.name;
		stack->is_crashed |= entry.is_crashed;
		text->stacks[i].count = 0;
	}
	for (size_t i = 0; i < text->stack_count; i++)
		if (text->stacks[i].count > 0)
			text->stacks[kept++] = text->stacks[i];
	text->stack_count = kept;
}

/* gdb counts from the thread a core is of. */
#define FIRST_OF_GDB 1u

static struct stacktext_stack *guess_crashed(struct stacktext *text)
{
	const struct stacktext_facts *facts = &text->facts;
	uint64_t number = facts->has_crashed_number ? facts->crashed_number : FIRST_OF_GDB;

	if (!facts->has_crashed_number && (!facts->reason.bytes || !text->stacks[0].has_number))
		return facts->reason.bytes || text->stack_count == 1 ? &text->stacks[0] : NULL;
	for (size_t i = 0; i < text->stack_count; i++)
		if (text->stacks[i].has_number && text->stacks[i].number == number)
			return &text->stacks[i];
	return facts->reason.bytes ? &text->stacks[0] : NULL;
}

void stacktext_threads_settle(struct stacktext *text)
{
	struct stacktext_stack *crashed = NULL;

	if (text->stack_count == 0)
		return;
	merge_listed(text);
	for (size_t i = 0; i < text->stack_count && !crashed; i++)
		if (text->stacks[i].is_crashed)
			crashed = &text->stacks[i];
	if (!crashed)
		crashed = guess_crashed(text);
	for (size_t i = 0; i < text->stack_count; i++)
		text->stacks[i].is_crashed = &text->stacks[i] == crashed;
}
