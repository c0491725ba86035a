/* inline_frames.c -- see inline_frames.h: one table, emptied for each function, tells both apart. */
#include "symcache/inline_frames.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "symcache/symcache_layout.h"

#define SEEN_FIRST_ROOM ((size_t)64)

/* What stands in the table: which of the function's frames or calls. */
enum seen_kind { SEEN_FRAME, SEEN_CALL };

static uint32_t seen_mark(uint32_t index, enum seen_kind kind)
{
	return index * 2 + kind + 1;
}

/* Each frame brings one call at most: twice as many slots as there may be of both. */
static int make_seen(struct inline_frames *frames, size_t most, struct err *err)
{
	size_t capacity = SEEN_FIRST_ROOM;

	while (capacity < most * 4)
		capacity *= 2;
	if (capacity > frames->seen_capacity) {
		budget_give_back(frames->budget, &frames->seen.at, frames->seen_capacity,
				 sizeof(*frames->seen.at));
		frames->seen.capacity = frames->seen_capacity = 0;
		if (budget_count(frames->budget, capacity * sizeof(*frames->seen.at), err) < 0)
			return -1;
		frames->seen_capacity = capacity;
		frames->seen.at = mem_get_array(capacity, sizeof(*frames->seen.at));
		if (!frames->seen.at)
			return err_set(err, ERR_NO_MEMORY, "no room for a table of %zu slots", capacity);
	} else {
		memset(frames->seen.at, 0, capacity * sizeof(*frames->seen.at));
	}
	frames->seen.capacity = capacity;
	return 0;
}

int inline_frames_begin(struct inline_frames *frames, size_t most, struct err *err)
{
	frames->first_frame = frames->frame_count;
	frames->first_call = frames->call_count;
	return most > 1 ? make_seen(frames, most, err) : 0;
}

static int append_frame(struct inline_frames *frames, const struct inline_frame *frame,
			uint32_t *number,
			struct err *err)
{
	if (budget_reserve(frames->budget, &frames->frames, &frames->frame_capacity,
			(size_t)frames->frame_count + 1, sizeof(*frames->frames), err) < 0)
		return -1;
	*number = frames->frame_count;
	frames->frames[frames->frame_count++] = *frame;
	return 0;
}

int inline_frames_add_root(struct inline_frames *frames, uint32_t function, uint32_t *number,
			   struct err *err)
{
	return append_frame(frames, &(struct inline_frame){ function, SYMC_NONE }, number, err);
}

static int add_call(struct inline_frames *frames, const struct inline_call *call, uint32_t *number,
		    struct err *err)
{
	size_t mask = frames->seen.capacity - 1;
	size_t slot = hash_words((uint64_t)call->line << 32 | call->file, call->parent) & mask;
	uint32_t mark;

	for (; (mark = frames->seen.at[slot]) != 0; slot = (slot + 1) & mask) {
		*number = frames->first_call + (mark - 1) / 2;
		if ((mark - 1) % 2 == SEEN_CALL &&
		    memcmp(&frames->calls[*number], call, sizeof(*call)) == 0)
			return 0;
	}
	if (budget_reserve(frames->budget, &frames->calls, &frames->call_capacity,
			(size_t)frames->call_count + 1, sizeof(*frames->calls), err) < 0)
		return -1;
	*number = frames->call_count;
	frames->calls[frames->call_count++] = *call;
	frames->seen.at[slot] = seen_mark(*number - frames->first_call, SEEN_CALL);
	return 0;
}

int inline_frames_add(struct inline_frames *frames, uint32_t function,
		      const struct inline_call *call,
		      uint32_t *number, struct err *err)
{
	struct inline_frame frame = { .function = function };
	size_t mask = frames->seen.capacity - 1, slot;
	uint32_t mark;

	if (add_call(frames, call, &frame.call, err) < 0)
		return -1;
	frame.call -= frames->first_call;
	slot = hash_words(frame.function, (uint64_t)frame.call << 32) & mask;
	for (; (mark = frames->seen.at[slot]) != 0; slot = (slot + 1) & mask) {
		*number = frames->first_frame + (mark - 1) / 2;
		if ((mark - 1) % 2 == SEEN_FRAME &&
		    memcmp(&frames->frames[*number], &frame, sizeof(frame)) == 0)
			return 0;
	}
	if (append_frame(frames, &frame, number, err) < 0)
		return -1;
	frames->seen.at[slot] = seen_mark(*number - frames->first_frame, SEEN_FRAME);
	return 0;
}

void inline_frames_finish(struct inline_frames *frames)
{
	budget_give_back(frames->budget, &frames->seen.at, frames->seen_capacity,
			 sizeof(*frames->seen.at));
	frames->seen.capacity = frames->seen_capacity = 0;
}

void inline_frames_release(struct inline_frames *frames)
{
	inline_frames_finish(frames);
	mem_give_back(frames->frames);
	mem_give_back(frames->calls);
	*frames = (struct inline_frames){ .budget = frames->budget };
}
