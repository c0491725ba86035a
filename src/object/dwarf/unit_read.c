/* unit_read.c -- one unit read from its header to its last line row, from a section or a buffer. */
#include "object/dwarf/dwarf_internal.h"

#include <stdio.h>

#define NAME_ARENA_BYTES ((size_t)64 << 20)
#define UNIT_STEPS             32u       /* beside what is in it */

static int load_listed(struct unit_context *context, const struct info_section *info_section, struct unit_head head,
		       struct err *err)
{
	const struct dwarf *dwarf = context->dwarf;

	if (head.broken && head_read(&head, info_section->sections, head.offset, err) < 0)
		return -1;
	context->unit = context->line_unit = &context->listed;
	return unit_load(&context->listed, dwarf, info_section, &head, NULL, NULL, &context->work,
			 context->scratch, err);
}

/* The split unit takes the skeleton's place.  Without it the skeleton stands for itself:
 * some compilers leave the inlined calls in it. */
static int load_split(struct unit_context *context, struct err *err)
{
	struct split split;
	int found = split_find(context->dwarf, context->listed.dwo_id, &split, &context->work, err);

	if (found <= 0)
		return found;
	work_allowance_add(&context->work, split.head.end - split.head.offset);
	if (unit_load(&context->split, context->dwarf, split.info_section, &split.head,
		      &split.contribution, &context->listed, &context->work, context->scratch,
		      err) < 0)
		return err_while(err, "reading its split unit %016llx",
				 (unsigned long long)context->listed.dwo_id);
	context->unit = &context->split;
	return 0;
}

static int read_loaded(struct unit_context *context, struct err *err)
{
	if (context->listed.is_discarded)
		return 0;
	if (load_split(context, err) < 0 || name_prepare(context, err) < 0)
		return -1;
	if (walk_unit(context, err) < 0 || gap_emit(context, err) < 0)
		return -1;
	if (context->work.is_over)
		return work_allowance_refuse(&context->work, err);
	if (context->listed.info_section->copies && context->listed.info_section->copies->ran_out)
		context->ran_out = true;
	return context->ran_out ? pool_no_capacity(err) : 0;
}

int unit_read(const struct dwarf *dwarf, const struct info_section *info_section, const struct unit_head *head,
	      uint64_t offset, struct arena *scratch, const struct object_sink *sink,
	      struct err *err)
{
	struct arena_mark mark = arena_mark(scratch);
	struct unit_context *context = arena_alloc(scratch, 1, sizeof(*context));
	bool sink_stopped;
	int result;

	if (!context)
		return pool_no_capacity(err);
	context->dwarf = dwarf;
	context->scratch = scratch;
	context->sink = sink;
	work_allowance_begin(&context->work, dwarf->input.work, head->end - head->offset);
	err_clear(err);
	result = work_charge(&context->work, UNIT_STEPS, err);
	if (result == 0)
		result = load_listed(context, info_section, *head, err);
	if (result == 0)
		result = read_loaded(context, err);
	sink_stopped = context->sink_stopped;
	work_allowance_end(&context->work);
	arena_rewind(scratch, mark);
	if (result < 0 && !sink_stopped)
		return err_while(err, "reading .debug_info unit at %#llx",
				 (unsigned long long)offset);
	return result;
}

void unit_describe(const struct dwarf *dwarf, const struct info_section *info_section,
		   const struct unit_head *head, uint64_t offset, size_t number, char *out,
		   size_t capacity)
{
	struct err ignored = ERR_INIT;
	struct arena arena;
	struct unit loaded;
	struct work_allowance work;
	struct text name = TEXT_NONE;

	work_allowance_begin(&work, NULL, head->end - head->offset);
	arena_init(&arena, NAME_ARENA_BYTES);
	if (!head->broken && unit_load(&loaded, dwarf, info_section, head, NULL, NULL, &work, &arena,
				       &ignored) == 0)
		name = loaded.name;
	snprintf(out, capacity, "unit %zu at .debug_info+%#llx%s%.*s%s", number,
		 (unsigned long long)offset, name.size ? " (" : "",
		 (int)(name.size > 4096 ? 4096 : name.size), name.size ? name.bytes : "",
		 name.size ? ")" : "");
	arena_release(&arena);
}
