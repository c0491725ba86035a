/*
 * symbfile_index_write.c -- from records in any order to segments in ascending order.
 *
 * A sweep over the addresses where ranges begin and end.  Of each depth there is a stack of the ranges that
 * are open, the latest on top; the tops of all depths are the calls at an address.  A stack of calls is a
 * chain of nodes, outermost first made: when a range begins or ends, the nodes of lesser depths stay.
 */
#include "symbfile/symbfile_index.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "symbfile/symbfile_layout.h"

#define NONE UINT32_MAX
#define SLOTS_FIRST 4096u
#define STEPS_PER_RANGE 64u          /* of nodes made: code nests, it does not interleave */
#define STEPS_FREE ((uint64_t)1 << 20)

struct at_address { uint64_t address; uint32_t index; };

struct open_range {
	uint64_t end;                /* the first address that is not its own; 0: never ends */
	uint32_t below;              /* in its depth's stack */
	bool is_over;
};

struct open_level { uint32_t depth, top, node; };

struct index_maker {
	size_t memory_bytes, held_bytes;
	struct symbfile_index_range *ranges;
	struct open_range *open;
	size_t range_count, range_capacity, open_capacity;
	struct symbfile_line *lines;
	size_t line_count, line_capacity;
	struct at_address *pads;
	uint32_t *pad_calls;
	size_t pad_count, pad_capacity, pad_calls_capacity;
	struct symbfile_index_call *calls;
	size_t call_count, call_capacity;
	struct buf strings;
	uint32_t *slots;
	uint64_t *slot_hashes;
	size_t slot_count, string_count;
	/* The sweep */
	struct at_address *starts, *ends;
	struct open_level *levels;   /* by depth, ascending */
	size_t level_count, level_capacity;
	struct symbfile_index_node *nodes;
	size_t node_count, node_capacity;
	uint64_t *segments;
	uint32_t *segment_nodes;
	size_t segment_count, segment_capacity, segment_nodes_capacity;
	uint64_t steps;
};

/* --- Memory ------------------------------------------------------------------------------------- */

static int grow(struct index_maker *maker, void *items, size_t *capacity, size_t need, size_t size,
		struct err *err)
{
	size_t before = *capacity;

	if (need <= before)
		return 0;
	if (need > UINT32_MAX - 1)
		return err_set(err, ERR_LIMIT, "more than an index may hold");
	if (maker->held_bytes + 2 * need * size > maker->memory_bytes)
		return err_set(err, ERR_LIMIT, "its index needs more than %zu bytes", maker->memory_bytes);
	if (vec_reserve(items, capacity, need, size) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for an index");
	maker->held_bytes += (*capacity - before) * size;
	return 0;
}

/* --- Strings ------------------------------------------------------------------------------------ */

static int grow_slots(struct index_maker *maker, struct err *err)
{
	size_t count = maker->slot_count ? 2 * maker->slot_count : SLOTS_FIRST;
	size_t bytes = count * (sizeof(*maker->slots) + sizeof(*maker->slot_hashes));
	uint32_t *slots;
	uint64_t *hashes;

	if (maker->held_bytes + bytes > maker->memory_bytes)
		return err_set(err, ERR_LIMIT, "its index needs more than %zu bytes", maker->memory_bytes);
	slots = mem_get_array(count, sizeof(*slots));
	hashes = mem_get_array(count, sizeof(*hashes));
	if (!slots || !hashes) {
		mem_give_back(slots);
		mem_give_back(hashes);
		return err_set(err, ERR_NO_MEMORY, "no memory for an index");
	}
	memset(slots, 0xff, count * sizeof(*slots));
	for (size_t i = 0; i < maker->slot_count; i++) {
		size_t at = maker->slot_hashes[i] & (count - 1);

		if (maker->slots[i] == NONE)
			continue;
		while (slots[at] != NONE)
			at = (at + 1) & (count - 1);
		slots[at] = maker->slots[i];
		hashes[at] = maker->slot_hashes[i];
	}
	mem_give_back(maker->slots);
	mem_give_back(maker->slot_hashes);
	maker->held_bytes += bytes / 2;
	maker->slots = slots;
	maker->slot_hashes = hashes;
	maker->slot_count = count;
	return 0;
}

static bool is_string(const struct index_maker *maker, uint32_t offset, struct text text)
{
	uint32_t size;

	memcpy(&size, maker->strings.bytes + offset, sizeof(size));
	return size == text.size && (size == 0 ||
	       memcmp(maker->strings.bytes + offset + sizeof(size), text.bytes, size) == 0);
}

static int intern(struct index_maker *maker, struct text text, uint32_t *offset, struct err *err)
{
	uint32_t size = (uint32_t)text.size;
	uint64_t hash;
	size_t at;

	*offset = SYMBFILE_NO_STRING;
	if (!text.bytes)
		return 0;
	if (2 * (maker->string_count + 1) > maker->slot_count && grow_slots(maker, err) < 0)
		return -1;
	hash = hash_fast(text.bytes, text.size);
	for (at = hash & (maker->slot_count - 1); maker->slots[at] != NONE; at = (at + 1) & (maker->slot_count - 1)) {
		if (maker->slot_hashes[at] != hash || !is_string(maker, maker->slots[at], text))
			continue;
		*offset = maker->slots[at];
		return 0;
	}
	*offset = (uint32_t)maker->strings.size;
	maker->slots[at] = *offset;
	maker->slot_hashes[at] = hash;
	maker->string_count++;
	buf_add(&maker->strings, &size, sizeof(size));
	buf_add_text(&maker->strings, text);
	return buf_check(&maker->strings, err);
}

/* --- Records ------------------------------------------------------------------------------------ */

static int keep_lines(struct index_maker *maker, const struct symbfile_range *from,
		      struct symbfile_index_range *range, struct err *err)
{
	if (grow(maker, &maker->lines, &maker->line_capacity, maker->line_count + from->line_count,
		 sizeof(*maker->lines), err) < 0)
		return -1;
	range->line_first = (uint32_t)maker->line_count;
	range->line_count = (uint32_t)from->line_count;
	if (from->line_count)
		memcpy(maker->lines + maker->line_count, from->lines, from->line_count * sizeof(*from->lines));
	maker->line_count += from->line_count;
	return 0;
}

static int keep_range(void *payload, const struct symbfile_range *from, struct err *err)
{
	struct symbfile_index_range range = {
		.address = from->address, .call_line = from->call_line, .depth = from->depth,
	};
	struct index_maker *maker = payload;
	uint64_t end;

	if (from->length == 0)
		return 0;                    /* it covers nothing */
	if (__builtin_add_overflow(from->address, from->length, &end))
		end = 0;
	if (grow(maker, &maker->ranges, &maker->range_capacity, maker->range_count + 1,
		 sizeof(*maker->ranges), err) < 0 ||
	    grow(maker, &maker->open, &maker->open_capacity, maker->range_count + 1, sizeof(*maker->open),
		 err) < 0 ||
	    intern(maker, from->function, &range.function, err) < 0 ||
	    intern(maker, from->file, &range.file, err) < 0 ||
	    intern(maker, from->call_file, &range.call_file, err) < 0 ||
	    keep_lines(maker, from, &range, err) < 0)
		return -1;
	maker->ranges[maker->range_count] = range;
	maker->open[maker->range_count++] = (struct open_range){ .end = end, .below = NONE };
	return 0;
}

static int keep_pad(void *payload, const struct symbfile_pad *pad, struct err *err)
{
	struct index_maker *maker = payload;

	if (pad->count == 0)
		return 0;
	if (grow(maker, &maker->pads, &maker->pad_capacity, maker->pad_count + 1, sizeof(*maker->pads),
		 err) < 0 ||
	    grow(maker, &maker->pad_calls, &maker->pad_calls_capacity, maker->pad_count + 1,
		 sizeof(*maker->pad_calls), err) < 0 ||
	    grow(maker, &maker->calls, &maker->call_capacity, maker->call_count + pad->count,
		 sizeof(*maker->calls), err) < 0)
		return -1;
	maker->pads[maker->pad_count] = (struct at_address){ pad->address, (uint32_t)maker->pad_count };
	maker->pad_calls[maker->pad_count++] = (uint32_t)maker->call_count;
	for (size_t i = 0; i < pad->count; i++) {
		struct symbfile_index_call call = { .line = pad->calls[i].line };

		if (intern(maker, pad->calls[i].function, &call.function, err) < 0 ||
		    intern(maker, pad->calls[i].file, &call.file, err) < 0)
			return -1;
		maker->calls[maker->call_count++] = call;
	}
	return 0;
}

/* --- The sweep ---------------------------------------------------------------------------------- */

/* By address; what came first in the file stays first. */
static int compare_addresses(const void *left, const void *right)
{
	const struct at_address *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

static void sort_addresses(struct at_address *items, size_t count)
{
	size_t i = 1;

	while (i < count && compare_addresses(&items[i - 1], &items[i]) < 0)
		i++;
	if (i < count)
		qsort(items, count, sizeof(*items), compare_addresses);
}

static int list_events(struct index_maker *maker, struct err *err)
{
	size_t starts = 0, ends = 0, end_count = 0;

	if (grow(maker, &maker->starts, &starts, maker->range_count, sizeof(*maker->starts), err) < 0 ||
	    grow(maker, &maker->ends, &ends, maker->range_count, sizeof(*maker->ends), err) < 0)
		return -1;
	for (size_t i = 0; i < maker->range_count; i++) {
		maker->starts[i] = (struct at_address){ maker->ranges[i].address, (uint32_t)i };
		maker->ends[end_count++] = (struct at_address){
			maker->open[i].end ? maker->open[i].end : UINT64_MAX, (uint32_t)i };
	}
	sort_addresses(maker->starts, maker->range_count);
	sort_addresses(maker->ends, end_count);
	return 0;
}

/* Index of the level of that depth, or where it would stand. */
static size_t level_at(const struct index_maker *maker, uint32_t depth)
{
	size_t at = maker->level_count;

	while (at > 0 && maker->levels[at - 1].depth >= depth)
		at--;
	return at;
}

/* Nodes from `changed` on are made again. */
static void note_change(size_t *changed, size_t level)
{
	if (level < *changed)
		*changed = level;
}

static int open_one(struct index_maker *maker, uint32_t range, size_t *changed, struct err *err)
{
	uint32_t depth = maker->ranges[range].depth;
	size_t at = level_at(maker, depth);

	maker->steps += maker->level_count - at;
	note_change(changed, at);
	if (at < maker->level_count && maker->levels[at].depth == depth) {
		uint32_t top = maker->levels[at].top;

		/* Of two that begin at once the first counts. */
		if (maker->ranges[top].address == maker->ranges[range].address && !maker->open[top].is_over) {
			maker->open[range].below = maker->open[top].below;
			maker->open[top].below = range;
			return 0;
		}
		maker->open[range].below = top;
		maker->levels[at].top = range;
		return 0;
	}
	if (grow(maker, &maker->levels, &maker->level_capacity, maker->level_count + 1,
		 sizeof(*maker->levels), err) < 0)
		return -1;
	memmove(maker->levels + at + 1, maker->levels + at,
		(maker->level_count - at) * sizeof(*maker->levels));
	maker->levels[at] = (struct open_level){ depth, range, NONE };
	maker->level_count++;
	return 0;
}

static void close_one(struct index_maker *maker, uint32_t range, size_t *changed)
{
	size_t at = level_at(maker, maker->ranges[range].depth);
	struct open_level *level = &maker->levels[at];

	maker->steps += maker->level_count - at;
	maker->open[range].is_over = true;
	if (level->top != range)
		return;                      /* it goes when it comes to the top */
	note_change(changed, at);
	while (level->top != NONE && maker->open[level->top].is_over)
		level->top = maker->open[level->top].below;
	if (level->top != NONE)
		return;
	memmove(level, level + 1, (maker->level_count - at - 1) * sizeof(*level));
	maker->level_count--;
}

static int make_nodes(struct index_maker *maker, size_t changed, struct err *err)
{
	for (size_t i = changed; i < maker->level_count; i++) {
		if (grow(maker, &maker->nodes, &maker->node_capacity, maker->node_count + 1,
			 sizeof(*maker->nodes), err) < 0)
			return -1;
		maker->nodes[maker->node_count] = (struct symbfile_index_node){
			maker->levels[i].top, i ? maker->levels[i - 1].node : SYMBFILE_NO_NODE };
		maker->levels[i].node = (uint32_t)maker->node_count++;
		maker->steps++;
	}
	if (maker->steps > STEPS_FREE + STEPS_PER_RANGE * maker->range_count)
		return err_set(err, ERR_LIMIT, "its ranges overlap in more ways than code can");
	return 0;
}

static int add_segment(struct index_maker *maker, uint64_t address, struct err *err)
{
	uint32_t node = maker->level_count ? maker->levels[maker->level_count - 1].node : SYMBFILE_NO_NODE;

	if (maker->segment_count && maker->segment_nodes[maker->segment_count - 1] == node)
		return 0;
	if (grow(maker, &maker->segments, &maker->segment_capacity, maker->segment_count + 1,
		 sizeof(*maker->segments), err) < 0 ||
	    grow(maker, &maker->segment_nodes, &maker->segment_nodes_capacity, maker->segment_count + 1,
		 sizeof(*maker->segment_nodes), err) < 0)
		return -1;
	maker->segments[maker->segment_count] = address;
	maker->segment_nodes[maker->segment_count++] = node;
	return 0;
}

/* All that ends at an address, and then all that begins there. */
struct sweep_place { size_t start, end; };

static void close_all(struct index_maker *maker, uint64_t address, struct sweep_place *at, size_t *changed)
{
	for (; at->end < maker->range_count; at->end++) {
		uint32_t range = maker->ends[at->end].index;

		if (maker->open[range].end != address)
			break;
		close_one(maker, range, changed);
	}
}

static int open_all(struct index_maker *maker, uint64_t address, struct sweep_place *at, size_t *changed,
		    struct err *err)
{
	for (; at->start < maker->range_count && maker->starts[at->start].address == address; at->start++)
		if (open_one(maker, maker->starts[at->start].index, changed, err) < 0)
			return -1;
	return 0;
}

/* False: all that is left reaches to the end of the address space. */
static bool next_address(const struct index_maker *maker, const struct sweep_place *at, uint64_t *address)
{
	bool begins = at->start < maker->range_count;
	bool ends = at->end < maker->range_count && maker->open[maker->ends[at->end].index].end != 0;

	if (begins)
		*address = maker->starts[at->start].address;
	if (ends && (!begins || maker->ends[at->end].address < *address))
		*address = maker->ends[at->end].address;
	return begins || ends;
}

static int sweep(struct index_maker *maker, struct err *err)
{
	struct sweep_place at = { 0, 0 };
	uint64_t address = 0;

	if (list_events(maker, err) < 0)
		return -1;
	while (next_address(maker, &at, &address)) {
		size_t changed = SIZE_MAX;

		close_all(maker, address, &at, &changed);
		if (open_all(maker, address, &at, &changed, err) < 0)
			return -1;
		if (changed != SIZE_MAX && (make_nodes(maker, changed, err) < 0 ||
					    add_segment(maker, address, err) < 0))
			return -1;
	}
	return 0;
}

/* --- The file ----------------------------------------------------------------------------------- */

static int write_array(int fd, const void *items, uint64_t bytes, uint64_t *total, struct err *err)
{
	static const uint8_t padding[8];
	uint64_t rest = SYMBFILE_ALIGNED(bytes) - bytes;

	if ((bytes && file_write_all(fd, items, bytes, err) < 0) ||
	    (rest && file_write_all(fd, padding, rest, err) < 0))
		return -1;
	*total += bytes + rest;
	return 0;
}

/* Sorted by address; of one address the first of the file stays. */
static int sort_pads(struct index_maker *maker, struct err *err)
{
	struct symbfile_index_call *calls = NULL;
	uint32_t *firsts = NULL;
	size_t kept = 0, used = 0, firsts_capacity = 0, calls_capacity = 0;

	sort_addresses(maker->pads, maker->pad_count);
	if (grow(maker, &firsts, &firsts_capacity, maker->pad_count, sizeof(*firsts), err) < 0 ||
	    grow(maker, &calls, &calls_capacity, maker->call_count, sizeof(*calls), err) < 0) {
		mem_give_back(firsts);
		return -1;
	}
	for (size_t i = 0; i < maker->pad_count; i++) {
		struct at_address pad = maker->pads[i];
		size_t first = maker->pad_calls[pad.index];
		size_t end = pad.index + 1 < maker->pad_count ? maker->pad_calls[pad.index + 1]
							      : maker->call_count;

		if (kept && maker->pads[kept - 1].address == pad.address)
			continue;
		memcpy(calls + used, maker->calls + first, (end - first) * sizeof(*calls));
		maker->pads[kept] = pad;
		firsts[kept++] = (uint32_t)used;
		used += end - first;
	}
	mem_give_back(maker->calls);
	mem_give_back(maker->pad_calls);
	maker->calls = calls;
	maker->pad_calls = firsts;
	maker->pad_count = kept;
	maker->call_count = used;
	return 0;
}

static int write_pads(const struct index_maker *maker, int fd, uint64_t *total, struct err *err)
{
	struct buf addresses;
	int rc;

	buf_init(&addresses, SIZE_MAX / 2);
	for (size_t i = 0; i < maker->pad_count; i++)
		buf_add(&addresses, &maker->pads[i].address, 8);
	rc = buf_check(&addresses, err);
	if (rc == 0)
		rc = write_array(fd, addresses.bytes, addresses.size, total, err);
	buf_release(&addresses);
	if (rc < 0 || write_array(fd, maker->pad_calls, maker->pad_count * 4, total, err) < 0)
		return -1;
	return write_array(fd, maker->calls, maker->call_count * sizeof(*maker->calls), total, err);
}

static int write_index(const struct index_maker *maker, int fd, uint64_t *total, struct err *err)
{
	const struct symbfile_index_header header = {
		.magic = SYMBFILE_INDEX_MAGIC, .version = SYMBFILE_INDEX_VERSION,
		.segments = (uint32_t)maker->segment_count, .nodes = (uint32_t)maker->node_count,
		.ranges = (uint32_t)maker->range_count, .lines = (uint32_t)maker->line_count,
		.pads = (uint32_t)maker->pad_count, .calls = (uint32_t)maker->call_count,
		.string_bytes = maker->strings.size,
	};

	if (write_array(fd, &header, sizeof(header), total, err) < 0 ||
	    write_array(fd, maker->segments, maker->segment_count * 8, total, err) < 0 ||
	    write_array(fd, maker->segment_nodes, maker->segment_count * 4, total, err) < 0 ||
	    write_array(fd, maker->nodes, maker->node_count * sizeof(*maker->nodes), total, err) < 0 ||
	    write_array(fd, maker->ranges, maker->range_count * sizeof(*maker->ranges), total, err) < 0 ||
	    write_array(fd, maker->lines, maker->line_count * sizeof(*maker->lines), total, err) < 0 ||
	    write_pads(maker, fd, total, err) < 0)
		return -1;
	return write_array(fd, maker->strings.bytes, maker->strings.size, total, err);
}

static void release(struct index_maker *maker)
{
	void *const blocks[] = {
		maker->ranges, maker->open, maker->lines, maker->pads, maker->pad_calls, maker->calls,
		maker->slots, maker->slot_hashes, maker->starts, maker->ends, maker->levels, maker->nodes,
		maker->segments, maker->segment_nodes,
	};

	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		mem_give_back(blocks[i]);
	buf_release(&maker->strings);
}

int symbfile_index_write(const void *bytes, size_t size, size_t memory_bytes, int fd,
			 struct symbfile_index_report *report, struct err *err)
{
	struct index_maker maker = { .memory_bytes = memory_bytes };
	const struct symbfile_sink sink = { &maker, keep_range, keep_pad };
	int rc;

	*report = (struct symbfile_index_report){ .bytes = 0 };
	buf_init(&maker.strings, memory_bytes < SYMBFILE_NO_STRING - 8 ? memory_bytes : SYMBFILE_NO_STRING - 8);
	rc = symbfile_read(bytes, size, &sink, &report->read, err);
	if (rc == 0)
		rc = sweep(&maker, err);
	if (rc == 0)
		rc = sort_pads(&maker, err);
	if (rc == 0)
		rc = write_index(&maker, fd, &report->bytes, err);
	report->segments = maker.segment_count;
	release(&maker);
	return rc < 0 ? err_while(err, "indexing symbfile") : 0;
}
