/*
 * frame_names.c -- all names of an answer, each once, and what is done when they come back.
 */
#include "kinds/native/native.h"

#include "base/arena.h"
#include "base/hash.h"

static int make_table(struct name_table *names, size_t most, struct arena *arena, struct err *err)
{
	struct convert_name *list = arena_alloc_raw(arena, most, sizeof(*list));
	size_t slot_count = 16;
	uint32_t *slots;

	while (slot_count < 2 * most)
		slot_count *= 2;
	slots = arena_alloc_raw(arena, slot_count, sizeof(*slots));
	if (!list || !slots)
		return err_no_memory(err);
	memset(slots, 0xff, slot_count * sizeof(*slots));
	*names = (struct name_table){ list, 0, slots, slot_count };
	return 0;
}

static uint32_t intern(struct name_table *names, struct text name, enum language language)
{
	size_t at = (size_t)hash_fast(name.bytes, name.size) + language;

	for (;; at++) {
		uint32_t *slot = &names->slots[at & (names->slot_count - 1)];
		const struct convert_name *there = &names->names[*slot];

		if (*slot == NO_NAME) {
			*slot = (uint32_t)names->count;
			names->names[names->count++] = (struct convert_name){
				.name = name, .language = language,
			};
			return *slot;
		}
		if (there->language == language && text_equal(there->name, name))
			return *slot;
	}
}

/* Names of these are written as people read them. */
static bool is_never_mangled(uint32_t language)
{
	switch (language) {
	case LANGUAGE_C:
	case LANGUAGE_D:
	case LANGUAGE_GO:
	case LANGUAGE_CSHARP:
	case LANGUAGE_VISUALBASIC:
	case LANGUAGE_FSHARP:
		return true;
	default:
		return false;
	}
}

/* A frame nothing was found for may still carry one name: either of two. */
static struct text only_name(const struct native_frame *frame)
{
	if (frame->function.bytes && frame->symbol.bytes)
		return TEXT_NONE;
	return frame->function.bytes ? frame->function : frame->symbol;
}

static void name_frame(struct name_table *names, struct native_frame *frame)
{
	enum language language = LANGUAGE_UNKNOWN;
	struct text name = frame->symbol;

	if (frame->status != FRAME_SYMBOLICATED)
		name = only_name(frame);
	else if (frame->is_managed || is_never_mangled(frame->language))
		return;
	else if (frame->language < LANGUAGES)
		language = (enum language)frame->language;
	if (name.size)
		frame->name = intern(names, name, language);
}

int frame_names_collect(struct symbolication *native, struct err *err)
{
	size_t most = 0;

	for (size_t i = 0; i < native->request.report.trace_count; i++)
		most += native->traces[i].count;
	if (most >= NO_NAME)
		return err_no_memory(err);
	if (make_table(&native->names, most, &native->work->arena, err) < 0)
		return -1;
	for (size_t i = 0; i < native->request.report.trace_count; i++)
		for (size_t j = 0; j < native->traces[i].count; j++)
			name_frame(&native->names, &native->traces[i].frames[j]);
	return 0;
}

/* --- Afterwards -------------------------------------------------------------------------- */

static void put_readable(const struct name_table *names, struct native_frame *frame)
{
	struct text readable;

	if (frame->name == NO_NAME)
		return;
	readable = names->names[frame->name].readable;
	if (!readable.bytes)
		return;
	if (frame->status != FRAME_SYMBOLICATED && frame->function.bytes)
		frame->symbol = frame->function;
	frame->function = readable;
}

/* Stack scanning guesses, and the end of a stack often holds one address too many. */
static bool is_useless(const struct native_frame *frame, const struct native_frame *previous,
		       size_t last_index)
{
	bool nowhere = frame->status == FRAME_UNKNOWN_IMAGE;

	if (frame->raw->trust == TRUST_SCAN &&
	    (nowhere || frame->status == FRAME_MISSING_SYMBOL))
		return true;
	return nowhere && frame->original_index == last_index && previous &&
	       text_is(previous->function, "_start");
}

static void finish_trace(const struct name_table *names, struct native_trace *trace,
			 size_t last_index)
{
	size_t kept = 0;

	for (size_t i = 0; i < trace->count; i++) {
		struct native_frame *frame = &trace->frames[i];

		put_readable(names, frame);
		if (is_useless(frame, kept ? &trace->frames[kept - 1] : NULL, last_index))
			continue;
		if (kept != i)
			trace->frames[kept] = *frame;
		kept++;
	}
	trace->count = kept;
}

void frame_names_settle(struct symbolication *native)
{
	for (size_t i = 0; i < native->request.report.trace_count; i++)
		finish_trace(&native->names, &native->traces[i],
			     native->request.report.traces[i].frame_count - 1);
}
