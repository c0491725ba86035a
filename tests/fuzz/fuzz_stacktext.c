/*
 * fuzz_stacktext.c -- stacks and mappings out of any text.
 *
 * Stacks follow each other and overlap nowhere, one at most crashed, everything that is handed out lies
 * in the text, an address of a mapping is found in one that holds it, and a frame in a module that does.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "stacktext/stacktext_images.h"

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
	size_t next = 0, crashed = 0;

	for (size_t i = 0; i < read->stack_count; i++) {
		if (read->stacks[i].first < next || read->stacks[i].count == 0)
			abort();
		next = read->stacks[i].first + read->stacks[i].count;
		check_borrowed(whole, read->stacks[i].title);
		check_borrowed(whole, read->stacks[i].name);
		crashed += read->stacks[i].is_crashed;
	}
	if (next > read->frame_count || crashed > 1)
		abort();
	for (size_t i = 0; i < read->frame_count; i++)
		check_frame(whole, &read->frames[i]);
}

static void check_facts(struct text whole, const struct stacktext *read)
{
	check_borrowed(whole, read->facts.reason);
	check_borrowed(whole, read->facts.details);
	check_borrowed(whole, read->facts.os_name);
	check_borrowed(whole, read->facts.os_version);
	check_borrowed(whole, read->facts.cpu);
	for (size_t i = 0; i < read->module_count; i++) {
		check_borrowed(whole, read->modules[i].path);
		check_borrowed(whole, read->modules[i].debug_file);
		check_borrowed(whole, read->modules[i].debug_id);
		if (read->modules[i].start >= read->modules[i].end)
			abort();
	}
}

static void check_images(const struct stacktext *read, struct arena *arena)
{
	struct stacktext_images images;
	struct err err = ERR_INIT;

	if (stacktext_images_find(&images, read, arena, &err) < 0)
		return;
	for (size_t i = 0; i < images.frame_count; i++) {
		const struct stacktext_frame *frame = &read->frames[i];
		const struct stacktext_image *image = &images.images[images.of_frames[i]];

		if (images.of_frames[i] == STACKTEXT_NO_IMAGE)
			continue;
		if (images.of_frames[i] >= images.count || image->end < image->base)
			abort();
		if (frame->has_address ? frame->address < image->base : !frame->has_offset)
			abort();
	}
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
		check_facts(whole, &read);
		check_images(&read, &arena);
		for (size_t i = 0; i < read.mapping_count; i++)
			check_mapping(whole, &read, &read.mappings[i]);
	} else if (err.kind != ERR_LIMIT && err.kind != ERR_TOO_LARGE) {
		abort();
	}
	arena_release(&arena);
	return 0;
}
