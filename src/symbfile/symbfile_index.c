/* symbfile_index.c -- an index opened and asked: see symbfile_index.h. */
#include "symbfile/symbfile_index.h"

#include "base/err.h"
#include "base/limits.h"
#include "base/load.h"
#include "base/reader.h"
#include "base/search.h"
#include "symbfile/symbfile_layout.h"

static const uint8_t *take_array(struct reader *reader, uint64_t count, size_t size)
{
	return reader_take(reader, SYMBFILE_ALIGNED(count * size));
}

int symbfile_index_open(struct symbfile_index *index, const void *bytes, size_t size, struct err *err)
{
	struct reader reader = reader_over("symbfile index", bytes, size);
	struct symbfile_index_header header;
	const uint8_t *head = reader_take(&reader, sizeof(header));

	if (!head)
		return reader_check(&reader, err);
	memcpy(&header, head, sizeof(header));
	if (header.magic != SYMBFILE_INDEX_MAGIC)
		return err_set(err, ERR_MALFORMED, "it is no index of a symbfile");
	if (header.version != SYMBFILE_INDEX_VERSION)
		return err_set(err, ERR_UNSUPPORTED, "an index of version %u", header.version);
	*index = (struct symbfile_index){
		.bytes = bytes, .size = size, .segment_count = header.segments, .node_count = header.nodes,
		.range_count = header.ranges, .line_count = header.lines, .pad_count = header.pads,
		.call_count = header.calls, .string_bytes = header.string_bytes,
	};
	index->segments = take_array(&reader, header.segments, 8);
	index->segment_nodes = take_array(&reader, header.segments, 4);
	index->nodes = take_array(&reader, header.nodes, sizeof(struct symbfile_index_node));
	index->ranges = take_array(&reader, header.ranges, sizeof(struct symbfile_index_range));
	index->lines = take_array(&reader, header.lines, sizeof(struct symbfile_line));
	index->pads = take_array(&reader, header.pads, 8);
	index->pad_calls = take_array(&reader, header.pads, 4);
	index->calls = take_array(&reader, header.calls, sizeof(struct symbfile_index_call));
	index->strings = reader_take(&reader, header.string_bytes);
	return reader_check(&reader, err);
}

/* --- Reading in place ------------------------------------------------------------------------- */

static inline uint64_t u64_at(const uint8_t *array, size_t at)
{
	return load_u64(array + 8 * at);
}

static inline uint32_t u32_at(const uint8_t *array, size_t at)
{
	return load_u32(array + 4 * at);
}

/* Four bytes of its length, and it. */
static struct text string_at(const struct symbfile_index *index, uint32_t offset)
{
	uint32_t size;

	if (offset > index->string_bytes || index->string_bytes - offset < sizeof(size))
		return TEXT_NONE;
	memcpy(&size, index->strings + offset, sizeof(size));
	if (size > index->string_bytes - offset - sizeof(size))
		return TEXT_NONE;
	return (struct text){ (const char *)index->strings + offset + sizeof(size), size };
}

/* Index of the last of `count` ascending addresses that is not above it; count: there is none. */
static size_t last_at(const uint8_t *addresses, size_t count, uint64_t address)
{
	size_t at;

	SEARCH_PARTITION_POINT(at, 0, count, u64_at(addresses, at) <= address);
	return at > 0 ? at - 1 : count;
}

/* --- Ranges ------------------------------------------------------------------------------------ */

/* One range that covers the address. */
struct symbfile_level {
	const struct symbfile_index *index;
	struct symbfile_index_range range;
};

/* Those of one part, the outermost last. */
static size_t collect(const struct symbfile_index *index, uint64_t address, struct symbfile_level *levels,
		      size_t capacity)
{
	size_t segment = last_at(index->segments, index->segment_count, address), count = 0;
	uint32_t node;

	if (segment == index->segment_count)
		return 0;
	node = u32_at(index->segment_nodes, segment);
	while (count < capacity && node < index->node_count) {
		struct symbfile_index_node at;
		struct symbfile_level *level = &levels[count];

		memcpy(&at, index->nodes + (size_t)node * sizeof(at), sizeof(at));
		if (at.range >= index->range_count)
			break;
		level->index = index;
		memcpy(&level->range, index->ranges + (size_t)at.range * sizeof(level->range),
		       sizeof(level->range));
		count++;
		if (at.parent >= node)       /* parents come before; SYMBFILE_NO_NODE is above all */
			break;
		node = at.parent;
	}
	return count;
}

/* Levels of another part into ours, both deepest first; where both have a depth ours stays. */
static size_t merge(struct symbfile_level *levels, size_t count, const struct symbfile_level *others,
		    size_t other_count, size_t capacity)
{
	for (size_t i = 0; i < other_count && count < capacity; i++) {
		size_t at = 0;

		while (at < count && levels[at].range.depth > others[i].range.depth)
			at++;
		if (at < count && levels[at].range.depth == others[i].range.depth)
			continue;
		memmove(levels + at + 1, levels + at, (count - at) * sizeof(*levels));
		levels[at] = others[i];
		count++;
	}
	return count;
}

/* The line of the last entry that is not above the offset; a later one of equals. */
static uint32_t line_of(const struct symbfile_level *level, uint64_t address)
{
	const struct symbfile_index *index = level->index;
	size_t first = level->range.line_first, count = level->range.line_count, at;
	uint64_t offset = address - level->range.address;
	const uint8_t *lines;

	if (first > index->line_count || count > index->line_count - first)
		return 0;
	lines = index->lines + 8 * first;
	SEARCH_PARTITION_POINT(at, 0, count, u32_at(lines, 2 * at) <= offset);
	return at > 0 ? u32_at(lines, 2 * (at - 1) + 1) : 0;
}

/* What calls were made from has its place in what was called.  A file that is not named there is
 * that of the caller itself. */
static void write_frames(const struct symbfile_level *levels, size_t count, uint64_t address,
			 struct symbfile_frame *frames)
{
	for (size_t i = 0; i < count; i++) {
		const struct symbfile_level *level = &levels[i], *inner = i ? &levels[i - 1] : NULL;
		struct text file = inner ? string_at(inner->index, inner->range.call_file) : TEXT_NONE;

		frames[i] = (struct symbfile_frame){
			.function = string_at(level->index, level->range.function),
			.file = file.size ? file : string_at(level->index, level->range.file),
			.line = inner ? inner->range.call_line : line_of(level, address),
			.entry = level->range.address, .has_entry = i + 1 == count && level->range.depth == 0,
		};
		if (!frames[i].file.size)
			frames[i].file = TEXT_NONE;
	}
}

size_t symbfile_lookup(const struct symbfile_index *parts, size_t part_count, uint64_t address,
		       struct symbfile_frame *frames, size_t capacity)
{
	struct symbfile_level levels[LIMIT_SYMBFILE_LEVELS], others[LIMIT_SYMBFILE_LEVELS];
	size_t count = 0;

	if (capacity > LIMIT_SYMBFILE_LEVELS)
		capacity = LIMIT_SYMBFILE_LEVELS;
	for (size_t i = 0; i < part_count; i++) {
		size_t more;

		if (count == 0) {
			count = collect(&parts[i], address, levels, capacity);
			continue;
		}
		more = collect(&parts[i], address, others, capacity);
		count = merge(levels, count, others, more, capacity);
	}
	write_frames(levels, count, address, frames);
	return count;
}

/* --- Return pads ------------------------------------------------------------------------------- */

static size_t read_pad(const struct symbfile_index *index, size_t pad, struct symbfile_frame *frames,
		       size_t capacity)
{
	size_t first = u32_at(index->pad_calls, pad), count;
	size_t end = pad + 1 < index->pad_count ? u32_at(index->pad_calls, pad + 1) : index->call_count;

	if (first > end || end > index->call_count)
		return 0;
	count = end - first < capacity ? end - first : capacity;
	for (size_t i = 0; i < count; i++) {
		struct symbfile_index_call call;
		struct text file;

		memcpy(&call, index->calls + (end - 1 - i) * sizeof(call), sizeof(call));
		file = string_at(index, call.file);
		frames[i] = (struct symbfile_frame){
			.function = string_at(index, call.function), .file = file.size ? file : TEXT_NONE,
			.line = call.line,
		};
	}
	return count;
}

size_t symbfile_lookup_pad(const struct symbfile_index *parts, size_t part_count, uint64_t address,
			   struct symbfile_frame *frames, size_t capacity)
{
	for (size_t i = 0; i < part_count; i++) {
		size_t at = last_at(parts[i].pads, parts[i].pad_count, address);
		size_t count;

		if (at == parts[i].pad_count || u64_at(parts[i].pads, at) != address)
			continue;
		count = read_pad(&parts[i], at, frames, capacity);
		if (count > 0)
			return count;
	}
	return 0;
}
