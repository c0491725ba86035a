/*
 * fuzz_stacktext.c -- stacks and mappings out of any text.
 *
 * Stacks follow each other and cover all frames, everything that is handed out lies in the text,
 * and an address of a mapping is found in one that holds it.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "stacktext/stacktext.h"

#define ARENA_BYTES ((size_t)1 << 30)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_borrowed(struct text whole, struct text part)
{
	if (!part.bytes)
		return;
	if (part.bytes < whole.bytes || part.bytes > whole.bytes + whole.size ||
	    part.size > (size_t)(whole.bytes + whole.size - part.bytes))
		abort();
}

static void check_frame(struct text whole, const struct stacktext_frame *frame)
{
	check_borrowed(whole, frame->module);
	check_borrowed(whole, frame->symbol);
	check_borrowed(whole, frame->build_id);
	check_borrowed(whole, frame->function);
	check_borrowed(whole, frame->file);
	for (size_t i = 0; i < frame->build_id.size; i++)
		if (ascii_hex_value(frame->build_id.bytes[i]) < 0)
			abort();
}

static void check_stacks(struct text whole, const struct stacktext *read)
{
	size_t next = 0;

	for (size_t i = 0; i < read->stack_count; i++) {
		if (read->stacks[i].first != next || read->stacks[i].count == 0)
			abort();
		next += read->stacks[i].count;
		check_borrowed(whole, read->stacks[i].title);
	}
	if (next != read->frame_count)
		abort();
	for (size_t i = 0; i < read->frame_count; i++)
		check_frame(whole, &read->frames[i]);
}

static void check_mapping(struct text whole, const struct stacktext *read,
			  const struct stacktext_mapping *mapping)
{
	const struct stacktext_mapping *found = stacktext_mapping_at(read, mapping->end - 1);

	check_borrowed(whole, mapping->path);
	if (mapping->start >= mapping->end)
		abort();
	if (mapping->path.bytes && !found)
		abort();
	if (found && (mapping->end - 1 < found->start || mapping->end - 1 >= found->end))
		abort();
	if (mapping->path.bytes)
		(void)stacktext_base(read, mapping->path);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct text whole = { (const char *)bytes, size };
	struct stacktext read = { .frame_count = 0 };
	struct err err = ERR_INIT;
	struct arena arena;

	arena_init(&arena, ARENA_BYTES);
	if (stacktext_read(&read, whole, &arena, &err) == 0) {
		check_stacks(whole, &read);
		for (size_t i = 0; i < read.mapping_count; i++)
			check_mapping(whole, &read, &read.mappings[i]);
	} else if (err.kind != ERR_LIMIT && err.kind != ERR_TOO_LARGE) {
		abort();
	}
	arena_release(&arena);
	return 0;
}
