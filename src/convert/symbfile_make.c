/*
 * symbfile_make.c -- in a cell: from a SymCache, and the executable with its code, to symbfiles.
 *
 * The SymCache has stacks of calls by address.  What one level says over adjoining addresses becomes one
 * range, until its function, its file or the place of its call changes.  A function is kept until it ends,
 * then written before what was inlined into it.
 */
#include "convert/convert_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/vec.h"
#include "convert/return_pads.h"
#include "demangle/demangle.h"
#include "object/object.h"
#include "sandbox/sandbox.h"
#include "symbfile/symbfile.h"
#include "symcache/symcache.h"

#define ARENA_BYTES ((size_t)512 << 20)
#define TEXT_BYTES ((size_t)64 << 20)
#define KNOWN_NAMES 256u
#define GO_ENTRY "runtime.goexit"            /* its return address is where goroutines end */

/* One level, from its beginning on. */
struct making_range {
	struct symbfile_range range;         /* its lines are set when it is written */
	struct text mangled;
	uint32_t entry;                      /* of the function in the SymCache */
	uint32_t line_first;                 /* of its chain of lines, or NONE */
	uint32_t line_last;
	size_t order;
};
struct making_line { struct symbfile_line line; uint32_t next; };
#define NONE UINT32_MAX

/* A name as the SymCache has it, and as people read it. */
struct known_name { struct text mangled; struct buf readable; };

struct symbfile_making {
	struct symcache cache;
	const struct object *object;
	uint64_t base;                       /* from relative to virtual addresses */
	struct symbfile_writer ranges, pads;
	bool has_pads;
	struct arena arena;                  /* texts of the function under way */
	struct buf scratch;
	struct known_name known[KNOWN_NAMES];
	struct symcache_frame frames[LIMIT_INLINE_DEPTH];        /* at the address under way */
	struct symcache_frame pad_frames[LIMIT_INLINE_DEPTH];    /* at a call */
	struct making_range open[LIMIT_INLINE_DEPTH];
	size_t open_count;
	struct making_range *done;           /* of that function */
	size_t done_count, done_capacity;
	struct making_line *lines;
	size_t line_count, line_capacity;
	struct symbfile_line *flat;
	size_t flat_capacity;
	uint64_t function_address, function_end;     /* relative: the code pads are looked for in */
	uint64_t range_total, pad_total, code_bytes;
};

static int err_memory(struct err *err)
{
	return err_set(err, ERR_NO_MEMORY, "no memory for a symbfile");
}

/* --- Texts --------------------------------------------------------------------------------------- */

static int keep_text(struct symbfile_making *making, struct text text, struct text *copy, struct err *err)
{
	char *bytes;

	if (!text_is_utf8(text)) {
		buf_clear(&making->scratch);
		buf_add_visible(&making->scratch, text);
		text = buf_text(&making->scratch);
	}
	bytes = arena_strndup(&making->arena, text.bytes ? text.bytes : "", text.size);
	*copy = (struct text){ bytes, text.size };
	return bytes ? 0 : err_memory(err);
}

/* Most names are asked for again and again: by all calls of a function. */
static int keep_name(struct symbfile_making *making, const struct symcache_frame *frame, struct text *name,
		     struct err *err)
{
	struct known_name *known = &making->known[(uintptr_t)frame->function.bytes / 4 % KNOWN_NAMES];

	if (known->mangled.bytes != frame->function.bytes || known->mangled.size != frame->function.size) {
		buf_clear(&known->readable);
		if (!demangle(frame->function, (enum language)frame->language, &known->readable))
			buf_add_text(&known->readable, frame->function);
		known->mangled = frame->function;
		if (buf_check(&known->readable, err) < 0) {
			known->mangled = TEXT_NONE;
			return -1;
		}
	}
	return keep_text(making, buf_text(&known->readable), name, err);
}

/* TEXT_NONE where it has no file. */
static int keep_path(struct symbfile_making *making, const struct symcache_frame *frame, struct text *path,
		     struct err *err)
{
	*path = TEXT_NONE;
	if (!frame->has_file)
		return 0;
	buf_clear(&making->scratch);
	symcache_frame_path(frame, &making->scratch);
	return making->scratch.size ? keep_text(making, buf_text(&making->scratch), path, err) : 0;
}

/* --- Return pads --------------------------------------------------------------------------------- */

struct pad_search { struct symbfile_making *making; uint64_t address; };

static int write_pad(struct symbfile_making *making, uint64_t call, unsigned bytes, size_t most, struct err *err)
{
	struct symbfile_call calls[LIMIT_INLINE_DEPTH];
	struct symbfile_pad pad = { .address = making->base + call + bytes - 1, .calls = calls };
	struct arena_mark mark = arena_mark(&making->arena);
	size_t count = symcache_lookup(&making->cache, call, making->pad_frames, LIMIT_INLINE_DEPTH);
	int rc = 0;

	for (size_t i = count; i-- > 0 && pad.count < most && rc == 0; pad.count++) {
		struct symbfile_call *at = &calls[pad.count];

		at->line = most == 1 ? 0 : making->pad_frames[i].line;
		rc = keep_name(making, &making->pad_frames[i], &at->function, err);
		if (rc == 0)
			rc = keep_path(making, &making->pad_frames[i], &at->file, err);
		if (!at->file.bytes)
			at->file = TEXT("");
	}
	if (rc == 0 && pad.count > 0) {
		making->pad_total++;
		rc = symbfile_write_pad(&making->pads, &pad, err);
	}
	arena_rewind(&making->arena, mark);
	return rc;
}

static int take_call(void *payload, uint64_t call, unsigned bytes, struct err *err)
{
	const struct pad_search *search = payload;

	return write_pad(search->making, search->address + call, bytes, LIMIT_INLINE_DEPTH, err);
}

static int write_pads(struct symbfile_making *making, bool is_go_entry, struct err *err)
{
	struct pad_search search = { making, making->function_address };
	struct text code;

	if (!making->has_pads)
		return 0;
	code = object_image_at(making->object, making->function_address);
	if (!code.bytes)
		return 0;
	if (code.size > making->function_end - making->function_address)
		code.size = (size_t)(making->function_end - making->function_address);
	making->code_bytes += code.size;
	if (is_go_entry) {
		unsigned bytes = return_pads_first_bytes(making->object->arch, code);

		return bytes ? write_pad(making, making->function_address, bytes, 1, err) : 0;
	}
	return return_pads_find(making->object->arch, code, take_call, &search, err);
}

/* --- Functions ----------------------------------------------------------------------------------- */

static int compare_ranges(const void *left, const void *right)
{
	const struct making_range *a = left, *b = right;

	if (a->range.address != b->range.address)
		return a->range.address < b->range.address ? -1 : 1;
	if (a->range.depth != b->range.depth)
		return a->range.depth < b->range.depth ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static int write_one(struct symbfile_making *making, struct making_range *one, struct err *err)
{
	size_t count = 0;

	for (uint32_t at = one->line_first; at != NONE; at = making->lines[at].next) {
		if (vec_reserve(&making->flat, &making->flat_capacity, count + 1, sizeof(*making->flat)) < 0)
			return err_memory(err);
		making->flat[count++] = making->lines[at].line;
	}
	one->range.lines = making->flat;
	one->range.line_count = count;
	one->range.address += making->base;
	making->range_total++;
	return symbfile_write_range(&making->ranges, &one->range, err);
}

/* The function and all that was inlined into it. */
static int write_function(struct symbfile_making *making, struct err *err)
{
	bool is_go_entry = making->done_count > 0 && text_is(making->done[0].mangled, GO_ENTRY);
	int rc = 0;

	if (making->done_count == 0)
		return 0;
	qsort(making->done, making->done_count, sizeof(*making->done), compare_ranges);
	for (size_t i = 0; i < making->done_count && rc == 0; i++)
		rc = write_one(making, &making->done[i], err);
	making->done_count = making->line_count = 0;
	if (rc == 0)
		rc = write_pads(making, is_go_entry, err);
	arena_rewind(&making->arena, (struct arena_mark){ NULL, 0 });
	return rc;
}

static int close_from(struct symbfile_making *making, size_t level, uint64_t address, struct err *err)
{
	while (making->open_count > level) {
		struct making_range *range = &making->open[--making->open_count];

		range->range.length = address - range->range.address;
		range->order = making->done_count;
		if (vec_reserve(&making->done, &making->done_capacity, making->done_count + 1,
				sizeof(*making->done)) < 0)
			return err_memory(err);
		making->done[making->done_count++] = *range;
	}
	return 0;
}

/* --- Levels -------------------------------------------------------------------------------------- */

/* What a frame, and the one it was called from, say of a level. */
struct making_level {
	const struct symcache_frame *frame;
	const struct symcache_frame *caller; /* its file and line are those of the call; NULL: none */
	bool is_innermost;
};

static bool is_same_path(const struct symcache_frame *a, const struct symcache_frame *b)
{
	return a->has_file == b->has_file && text_equal(a->name, b->name) &&
	       text_equal(a->directory, b->directory) && text_equal(a->comp_dir, b->comp_dir);
}

/* The frame that was there when a level was opened says what it is about; kept beside the range. */
struct making_seen { struct symcache_frame frame, caller; bool has_own_file; };

static bool goes_on(const struct making_seen *seen, const struct making_level *level)
{
	if (!text_equal(seen->frame.function, level->frame->function) ||
	    seen->frame.entry != level->frame->entry)
		return false;
	if (level->caller && (seen->caller.line != level->caller->line ||
			      !is_same_path(&seen->caller, level->caller)))
		return false;
	return !level->is_innermost || !seen->has_own_file || is_same_path(&seen->frame, level->frame);
}

static int open_level(struct symbfile_making *making, const struct making_level *level, uint32_t depth,
		      uint64_t address, struct making_seen *seen, struct err *err)
{
	struct making_range *range = &making->open[depth];

	*range = (struct making_range){ .mangled = level->frame->function, .entry = level->frame->entry,
					.line_first = NONE, .line_last = NONE };
	range->range.address = address;
	range->range.depth = depth;
	range->range.call_line = level->caller ? level->caller->line : 0;
	*seen = (struct making_seen){ .frame = *level->frame };
	if (level->caller)
		seen->caller = *level->caller;
	making->open_count = depth + 1;
	if (keep_name(making, level->frame, &range->range.function, err) < 0 ||
	    (level->caller && keep_path(making, level->caller, &range->range.call_file, err) < 0))
		return -1;
	return 0;
}

/* The innermost call has a line of its own here. */
static int add_line(struct symbfile_making *making, const struct symcache_frame *frame, uint64_t address,
		    struct making_seen *seen, struct err *err)
{
	struct making_range *range = &making->open[making->open_count - 1];
	uint64_t offset = address - range->range.address;

	if (!seen->has_own_file) {
		seen->frame = *frame;
		seen->has_own_file = true;
		if (keep_path(making, frame, &range->range.file, err) < 0)
			return -1;
	}
	if ((range->line_last == NONE && frame->line == 0) || offset > UINT32_MAX ||
	    (range->line_last != NONE && making->lines[range->line_last].line.line == frame->line))
		return 0;
	if (making->line_count >= NONE ||
	    vec_reserve(&making->lines, &making->line_capacity, making->line_count + 1,
			sizeof(*making->lines)) < 0)
		return err_memory(err);
	making->lines[making->line_count] = (struct making_line){ { (uint32_t)offset, frame->line }, NONE };
	if (range->line_last == NONE)
		range->line_first = (uint32_t)making->line_count;
	else
		making->lines[range->line_last].next = (uint32_t)making->line_count;
	range->line_last = (uint32_t)making->line_count++;
	return 0;
}

static struct making_level level_at(const struct symbfile_making *making, size_t count, size_t depth)
{
	size_t frame = count - 1 - depth;

	return (struct making_level){ &making->frames[frame], depth ? &making->frames[frame + 1] : NULL,
				      frame == 0 };
}

/* Is it another function's code that begins here? */
static bool begins_function(const struct symbfile_making *making, const struct making_seen *seen, size_t count)
{
	const struct symcache_frame *outer = count ? &making->frames[count - 1] : NULL;

	return making->open_count == 0 || !outer || outer->entry != seen[0].frame.entry ||
	       !text_equal(outer->function, seen[0].frame.function);
}

static int end_function(struct symbfile_making *making, uint64_t address, struct err *err)
{
	if (making->open_count == 0)
		return 0;
	making->function_end = address;
	return close_from(making, 0, address, err) < 0 ? -1 : write_function(making, err);
}

static int take_piece(struct symbfile_making *making, uint64_t address, size_t count, struct making_seen *seen,
		      struct err *err)
{
	size_t depth = 0;

	if (begins_function(making, seen, count)) {
		if (end_function(making, address, err) < 0)
			return -1;
		making->function_address = address;
	}
	if (count == 0)
		return 0;
	for (; depth < count && depth < making->open_count; depth++) {
		struct making_level level = level_at(making, count, depth);

		if (!goes_on(&seen[depth], &level))
			break;
	}
	if (close_from(making, depth, address, err) < 0)
		return -1;
	for (; depth < count; depth++) {
		struct making_level level = level_at(making, count, depth);

		if (open_level(making, &level, (uint32_t)depth, address, &seen[depth], err) < 0)
			return -1;
	}
	return add_line(making, &making->frames[0], address, &seen[count - 1], err);
}

static bool is_named(const struct symcache_frame *frame)
{
	return frame->function.size > 0 && !text_is(frame->function, "?") && !text_is(frame->function, "??");
}

static int make_all(struct symbfile_making *making, struct err *err)
{
	struct making_seen *seen = mem_get_array(LIMIT_INLINE_DEPTH, sizeof(*seen));
	uint32_t address = 0;
	int rc = 0;

	if (!seen)
		return err_memory(err);
	for (uint32_t i = 0; i < making->cache.range_count && rc == 0; i++) {
		size_t count;

		address = symcache_range_address(&making->cache, i);
		count = symcache_lookup(&making->cache, address, making->frames, LIMIT_INLINE_DEPTH);
		if (count > 0 && !is_named(&making->frames[count - 1]))
			count = 0;
		rc = take_piece(making, address, count, seen, err);
	}
	/* What the SymCache leaves open ends there: it says nothing of how far it reaches. */
	if (rc == 0 && making->open_count > 0)
		rc = end_function(making, (uint64_t)address + 1, err);
	mem_give_back(seen);
	return rc;
}

/* --- The operation ------------------------------------------------------------------------------- */

static void write_reply(const struct symbfile_making *making, struct buf *out)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	json_member_u64(&json, "ranges", making->range_total);
	json_member_u64(&json, "pads", making->pad_total);
	json_member_u64(&json, "code_bytes", making->code_bytes);
	json_object_end(&json);
}

static int make(struct cell *cell, struct symbfile_making *making, struct err *err)
{
	int pads = cell_output(cell, "pads");

	making->base = making->object->load_address;
	making->has_pads = pads >= 0 && return_pads_may(making->object->arch);
	if (symbfile_writer_init(&making->ranges, cell_output(cell, "ranges"), err) < 0 ||
	    (pads >= 0 && symbfile_writer_init(&making->pads, pads, err) < 0) ||
	    make_all(making, err) < 0 || symbfile_writer_end(&making->ranges, err) < 0 ||
	    (pads >= 0 && symbfile_writer_end(&making->pads, err) < 0))
		return -1;
	write_reply(making, cell->reply);
	return buf_check(cell->reply, err);
}

int convert_run_symbfile_make(struct cell *cell, struct err *err)
{
	struct symbfile_making *making = mem_get(sizeof(*making));
	struct file_map cache = { NULL, 0 }, file = { NULL, 0 };
	struct object object = { 0 };
	struct arena arena;
	int rc = -1;

	if (!making)
		return err_memory(err);
	arena_init(&arena, cell->memory_bytes);
	arena_init(&making->arena, ARENA_BYTES);
	buf_init(&making->scratch, TEXT_BYTES);
	for (size_t i = 0; i < KNOWN_NAMES; i++)
		buf_init(&making->known[i].readable, TEXT_BYTES);
	making->object = &object;
	if (file_map_fd(&cache, cell_input(cell, "symcache"), err) == 0 &&
	    file_map_fd(&file, cell_input(cell, "object"), err) == 0 &&
	    symcache_open(&making->cache, cache.bytes, cache.size, err) == 0 &&
	    object_open(&object, file.bytes, file.size, &arena, err) == 0) {
		rc = make(cell, making, err);
		object_release(&object);
	}
	symbfile_writer_release(&making->ranges);
	symbfile_writer_release(&making->pads);
	mem_give_back(making->done);
	mem_give_back(making->lines);
	mem_give_back(making->flat);
	buf_release(&making->scratch);
	for (size_t i = 0; i < KNOWN_NAMES; i++)
		buf_release(&making->known[i].readable);
	arena_release(&making->arena);
	mem_give_back(making);
	file_unmap(&cache);
	file_unmap(&file);
	arena_release(&arena);
	return rc;
}
