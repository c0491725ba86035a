/*
 * emit.c -- three walks over the segments: one numbers, one counts, one writes.
 *
 * The first walk is made by one thread, because numbers follow the order of addresses.  The
 * others are made slice by slice, by as many threads as there are: what the second has counted
 * tells the third where in the file each slice begins.  Nothing of which the file has one per range or per call is
 * held in memory as a whole.
 */
#include "symcache/emit.h"

#include <errno.h>
#include <unistd.h>

#include "base/err.h"
#include "base/limits.h"
#include "base/mem.h"
#include "symcache/symcache_layout.h"
#include "symcache/renumber.h"
#include "symcache/parallel.h"

#define OUT_BYTES     ((size_t)64 * 1024)
#define EMIT_SLICES   64u        /* of the segments */
#define EMIT_TEXTS    16u        /* and of the string table */
#define EMIT_JOBS     (1 + EMIT_TEXTS + EMIT_SLICES)

struct location_record {
	uint32_t file, line, function, inlined_into;
};

/* Where a walk stands. */
struct mark {
	uint64_t range_count;
	uint32_t call_count;
	struct location_record first, last; /* of the ranges so far */
	bool any;                    /* there is one */
};

/* Where the sections begin. */
struct places {
	uint64_t files, functions, locations, ranges, strings, end;
};

struct emission {
	const struct emit_input *input;
	struct renumber renumber;
	uint32_t *first_calls;       /* of each range: its number in the file + 1 */
	struct mark marks[EMIT_SLICES + 1];      /* at the start of each slice, and at the end */
	struct mark counted[EMIT_SLICES];        /* in each slice by itself */
	struct places places;
	uint8_t *buffers;            /* of each thread that writes */
	int fd;
};

/* --- Output -------------------------------------------------------------------------- */

/* One section being written at its own place in the file. */
struct out {
	int fd;
	off_t at;                    /* where the buffer goes */
	size_t used;
	uint8_t *bytes;              /* OUT_BYTES */
};

static int out_flush(struct out *out, struct err *err)
{
	size_t done = 0;

	while (done < out->used) {
		ssize_t wrote = pwrite(out->fd, out->bytes + done, out->used - done, out->at);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return err_os(err, wrote < 0 ? errno : ENOSPC, "writing the lookup file");
		done += (size_t)wrote;
		out->at += wrote;
	}
	out->used = 0;
	return 0;
}

static int out_add(struct out *out, const void *bytes, size_t size, struct err *err)
{
	const uint8_t *from = bytes;

	while (size > 0) {
		size_t shard = OUT_BYTES - out->used;

		if (shard > size)
			shard = size;
		memcpy(out->bytes + out->used, from, shard);
		out->used += shard;
		from += shard;
		size -= shard;
		if (out->used == OUT_BYTES && out_flush(out, err) < 0)
			return -1;
	}
	return 0;
}

/* The same for what is small and comes often. */
static inline int out_put(struct out *out, const void *bytes, size_t size, struct err *err)
{
	if (OUT_BYTES - out->used <= size)
		return out_add(out, bytes, size, err);
	memcpy(out->bytes + out->used, bytes, size);
	out->used += size;
	return 0;
}

/* --- The walk over the segments ------------------------------------------------------ */

/* Where the walk puts what it finds; NULL: it only counts. */
struct slice_out {
	struct out calls, locations, ranges;
};

static const struct location_record no_location = { SYMC_NONE, SYMC_NONE, SYMC_NONE, SYMC_NONE };

/* One range, unless it says what the one before says. */
static inline int add_range(struct mark *mark, struct slice_out *to, uint32_t address,
			    const struct location_record *location, struct err *err)
{
	if (mark->any && memcmp(&mark->last, location, sizeof(*location)) == 0)
		return 0;
	if (!mark->any)
		mark->first = *location;
	mark->any = true;
	mark->last = *location;
	mark->range_count++;
	if (!to)
		return 0;
	if (out_put(&to->ranges, &address, sizeof(address), err) < 0)
		return -1;
	return out_put(&to->locations, location, sizeof(*location), err);
}

/* The number in the file of a call of a range that has been numbered. */
static inline uint32_t call_number(const struct emission *emission,
				   const struct function_range *range,
				   uint32_t call)
{
	if (call == SYMC_NONE)
		return SYMC_NONE;
	return emission->first_calls[range - emission->input->ranges] - 1 + call;
}

static inline struct location_record entry_location(const struct emission *emission,
						    const struct segment *segment,
						    const struct line_entry *entry)
{
	const struct renumber *renumber = &emission->renumber;
	uint32_t shard = segment->range->shard;
	const struct inline_frame *frame = &renumber->shards[shard].frames.frames[entry->frame];
	struct location_record location = { .file = renumber_file(renumber, shard, entry->file),
				     .line = entry->line, .inlined_into = SYMC_NONE };

	if (segment->symbol != SYMC_NONE) {
		location.function = renumber_symbol(renumber, segment->symbol);
	} else {
		location.function = renumber_function(renumber, shard, frame->function);
		location.inlined_into = call_number(emission, segment->range, frame->call);
	}
	return location;
}

static int write_calls(const struct emission *emission, const struct function_range *range,
		       struct out *out, struct err *err)
{
	const struct renumber *renumber = &emission->renumber;
	const struct inline_frames *frames = &renumber->shards[range->shard].frames;

	for (uint32_t i = 0; i < range->call_count; i++) {
		struct inline_call call = shard_call(&renumber->shards[range->shard], range, i);
		const struct inline_frame *parent = &frames->frames[call.parent];
		struct location_record location = {
			renumber_file(renumber, range->shard, call.file), call.line,
			renumber_function(renumber, range->shard, parent->function),
			call_number(emission, range, parent->call),
		};

		if (out_put(out, &location, sizeof(location), err) < 0)
			return -1;
	}
	return 0;
}

/* A range's calls are written where it is first met. */
static int pass_calls(const struct emission *emission, struct mark *mark,
		      const struct function_range *range, struct slice_out *to, struct err *err)
{
	uint32_t first = emission->first_calls[range - emission->input->ranges] - 1;

	if (range->call_count == 0 || first != mark->call_count)
		return 0;
	mark->call_count += range->call_count;
	return to ? write_calls(emission, range, &to->calls, err) : 0;
}

static struct location_record symbol_location(const struct emission *emission, uint32_t symbol)
{
	return (struct location_record){ .file = renumber_symbol_file(&emission->renumber, symbol),
				  .function = renumber_symbol(&emission->renumber, symbol),
				  .inlined_into = SYMC_NONE };
}

static int walk_segment(const struct emission *emission, struct mark *mark,
			const struct segment *segment, struct slice_out *to, struct err *err)
{
	struct location_record location;

	if (!segment->range) {
		location = symbol_location(emission, segment->symbol);
		return add_range(mark, to, segment->from, &location, err);
	}
	if (segment->symbol == SYMC_NONE &&
	    pass_calls(emission, mark, segment->range, to, err) < 0)
		return -1;
	for (uint32_t i = 0; i < segment->count; i++) {
		struct line_entry entry = shard_entry(&emission->input->shards[segment->range->shard],
						      segment->range, segment->first + i);

		location = entry_location(emission, segment, &entry);
		if (add_range(mark, to, i == 0 ? segment->from : entry.address, &location,
			      err) < 0)
			return -1;
	}
	return 0;
}

/* Where nothing follows, a range says so; the top of the address space stays open. */
static int walk_end(const struct emission *emission, struct mark *mark, size_t index,
		    struct slice_out *to, struct err *err)
{
	const struct overlap_segments *segments = emission->input->segments;
	const struct segment *segment = &segments->items[index];

	if (segment->to == UINT32_MAX ||
	    (index + 1 < segments->count && segment[1].from <= segment->to))
		return 0;
	return add_range(mark, to, segment->to, &no_location, err);
}

static size_t slice_start(const struct emission *emission, size_t slice)
{
	return emission->input->segments->count * slice / EMIT_SLICES;
}

/* --- The first walk: numbers --------------------------------------------------------- */

/* Functions and files of a range that is met for the first time. */
static int number_range(struct emission *emission, struct mark *mark,
			const struct function_range *range, struct err *err)
{
	uint32_t *first_call = &emission->first_calls[range - emission->input->ranges];
	const struct shard *shard = &emission->input->shards[range->shard];
	const struct inline_frames *frames = &shard->frames;

	if (*first_call)
		return 0;
	if ((uint64_t)mark->call_count + range->call_count >= UINT32_MAX)
		return err_set(err, ERR_LIMIT, "more inlined calls than 32 bits can count");
	*first_call = mark->call_count + 1;
	mark->call_count += range->call_count;
	for (uint32_t i = 0; i < range->frame_count; i++)
		if (renumber_add_function(&emission->renumber, range->shard,
					  frames->frames[range->first_frame + i].function,
					  err) < 0)
			return -1;
	for (uint32_t i = 0; i < range->call_count; i++)
		if (renumber_add_file(&emission->renumber, range->shard,
				      shard_call(shard, range, i).file, err) < 0)
			return -1;
	return 0;
}

static int number_segment(struct emission *emission, struct mark *mark,
			  const struct segment *segment, struct err *err)
{
	struct renumber *renumber = &emission->renumber;
	const struct function_range *range = segment->range;

	if (segment->symbol != SYMC_NONE && renumber_add_symbol(renumber, segment->symbol, err) < 0)
		return -1;
	if (!range)
		return renumber_add_symbol_file(renumber, segment->symbol, err);
	if (segment->symbol == SYMC_NONE && number_range(emission, mark, range, err) < 0)
		return -1;
	for (uint32_t i = 0; i < segment->count; i++) {
		struct line_entry entry = shard_entry(&emission->input->shards[range->shard], range,
						      segment->first + i);

		if (!renumber_has_file(renumber, range->shard, entry.file) &&
		    renumber_add_file(renumber, range->shard, entry.file, err) < 0)
			return -1;
	}
	return 0;
}

static int number_slice(struct emission *emission, size_t slice, struct mark *mark,
			struct err *err)
{
	const struct segment *segments = emission->input->segments->items;

	for (size_t i = slice_start(emission, slice); i < slice_start(emission, slice + 1); i++)
		if (number_segment(emission, mark, &segments[i], err) < 0)
			return -1;
	return 0;
}

static int number_all(struct emission *emission, struct err *err)
{
	struct mark mark = { .any = false };

	for (size_t slice = 0; slice < EMIT_SLICES; slice++) {
		emission->marks[slice].call_count = mark.call_count;
		if (number_slice(emission, slice, &mark, err) < 0)
			return -1;
	}
	emission->marks[EMIT_SLICES].call_count = mark.call_count;
	renumber_finish(&emission->renumber);
	return 0;
}

/* --- The second walk: counts --------------------------------------------------------- */

static int count_slice(void *payload, unsigned thread, unsigned slice, struct err *err)
{
	struct emission *emission = payload;
	const struct segment *segments = emission->input->segments->items;
	struct mark *mark = &emission->counted[slice];

	(void)thread;
	mark->call_count = emission->marks[slice].call_count;
	for (size_t i = slice_start(emission, slice); i < slice_start(emission, slice + 1); i++)
		if (walk_segment(emission, mark, &segments[i], NULL, err) < 0 ||
		    walk_end(emission, mark, i, NULL, err) < 0)
			return -1;
	return 0;
}

/* A slice's first range may say what the last before it says: then it is none. */
static void sum_up(struct emission *emission)
{
	for (size_t slice = 0; slice < EMIT_SLICES; slice++) {
		const struct mark *mark = &emission->marks[slice], *own = &emission->counted[slice];
		struct mark *next = &emission->marks[slice + 1];

		next->range_count = mark->range_count + own->range_count;
		if (own->any && mark->any &&
		    memcmp(&mark->last, &own->first, sizeof(mark->last)) == 0)
			next->range_count--;
		next->last = own->any ? own->last : mark->last;
		next->any = own->any || mark->any;
	}
}

static int count_all(struct emission *emission, struct err *err)
{
	if (parallel_run(emission->input->threads, EMIT_SLICES, count_slice, emission, err) < 0)
		return -1;
	sum_up(emission);
	return 0;
}

/* --- The file ------------------------------------------------------------------------ */

static const struct mark *totals(const struct emission *emission)
{
	return &emission->marks[EMIT_SLICES];
}

static int lay_out(struct emission *emission, struct err *err)
{
	const struct renumber *renumber = &emission->renumber;
	const struct mark *total = totals(emission);
	struct places *places = &emission->places;
	uint64_t locations = total->call_count + total->range_count;

	if (locations >= UINT32_MAX || renumber->string_bytes > UINT32_MAX)
		return err_set(err, ERR_LIMIT, "more than 32 bits can count: %llu locations",
			       (unsigned long long)locations);
	places->files = SYMC_HEAD_BYTES;
	places->functions = symc_aligned(places->files +
					 (uint64_t)renumber->files.count * SYMC_FILE_BYTES);
	places->locations = symc_aligned(places->functions +
					 (uint64_t)renumber->function_list.count *
					 SYMC_FUNCTION_BYTES);
	places->ranges = symc_aligned(places->locations + locations * SYMC_LOCATION_BYTES);
	places->strings = symc_aligned(places->ranges + total->range_count * SYMC_RANGE_BYTES);
	places->end = places->strings + renumber->string_bytes;
	return 0;
}

static int add_head(const struct emission *emission, struct out *out, struct err *err)
{
	const struct object *object = emission->input->object;
	const struct renumber *renumber = &emission->renumber;
	const struct mark *total = totals(emission);
	uint32_t start[2] = { SYMC_MAGIC, SYMC_VERSION };
	uint32_t counts[6] = { object->arch, renumber->files.count, renumber->function_list.count,
			       (uint32_t)(total->call_count + total->range_count),
			       (uint32_t)total->range_count, (uint32_t)renumber->string_bytes };
	uint8_t id[DEBUGID_RECORD_BYTES], reserved[SYMC_HEAD_RESERVED] = { 0 };

	debugid_store(&object->debug_id, id);
	if (out_add(out, start, sizeof(start), err) < 0 || out_add(out, id, sizeof(id), err) < 0 ||
	    out_add(out, counts, sizeof(counts), err) < 0)
		return -1;
	return out_add(out, reserved, sizeof(reserved), err);
}

static int add_files(const struct record_pool *files, struct out *out, struct err *err)
{
	for (uint32_t i = 0; i < files->count; i++) {
		const uint32_t *word = files->items[i].word;
		uint32_t file[SYMC_FILE_BYTES / 4] = { word[0], word[1], word[2], SYMC_NONE,
						       SYMC_NONE, SYMC_NONE };

		if (out_add(out, file, sizeof(file), err) < 0)
			return -1;
	}
	return 0;
}

/* What lies between the sections is left out and so reads as zero. */
static int write_tables(const struct emission *emission, uint8_t *bytes, struct err *err)
{
	const struct renumber *renumber = &emission->renumber;
	struct out out = { .fd = emission->fd, .bytes = bytes };

	if (add_head(emission, &out, err) < 0 || add_files(&renumber->files, &out, err) < 0 ||
	    out_flush(&out, err) < 0)
		return -1;
	out.at = (off_t)emission->places.functions;
	for (uint32_t i = 0; i < renumber->function_list.count; i++) {
		const struct interned_record record = renumber_function_record(renumber, i);

		if (out_put(&out, &record, SYMC_FUNCTION_BYTES, err) < 0)
			return -1;
	}
	return out_flush(&out, err);
}

static int add_name(struct out *out, const struct interned_name *name, struct err *err)
{
	uint32_t left = name->size;
	uint8_t length[5];
	size_t used = 0;

	for (; left >= 0x80; left >>= 7)
		length[used++] = (uint8_t)(left | 0x80);
	length[used++] = (uint8_t)left;
	if (out_add(out, length, used, err) < 0)
		return -1;
	return out_add(out, name->bytes, name->size, err);
}

static int write_names(const struct emission *emission, size_t slice, uint8_t *bytes,
		       struct err *err)
{
	const struct renumber *renumber = &emission->renumber;
	const struct listed *list = &renumber->name_list;
	size_t count = list->count;
	size_t from = count * slice / EMIT_TEXTS, to = count * (slice + 1) / EMIT_TEXTS;
	struct out out = { .fd = emission->fd, .bytes = bytes };

	if (from == to)
		return 0;
	out.at = (off_t)(emission->places.strings + renumber->refs[list->items[from]]);
	for (size_t i = from; i < to; i++)
		if (add_name(&out, &renumber->names.items[list->items[i]], err) < 0)
			return -1;
	return out_flush(&out, err);
}

/* The third walk. */
static int write_slice(const struct emission *emission, size_t slice, uint8_t *bytes,
		       struct err *err)
{
	const struct places *places = &emission->places;
	const struct mark *end = &emission->marks[slice + 1];
	struct mark mark = emission->marks[slice];
	struct slice_out to = {
		.calls = { emission->fd, (off_t)(places->locations + (uint64_t)mark.call_count *
						 SYMC_LOCATION_BYTES), 0, bytes },
		.locations = { emission->fd,
			       (off_t)(places->locations + (totals(emission)->call_count +
							    mark.range_count) *
				       SYMC_LOCATION_BYTES), 0, bytes + OUT_BYTES },
		.ranges = { emission->fd, (off_t)(places->ranges + mark.range_count *
						  SYMC_RANGE_BYTES), 0, bytes + 2 * OUT_BYTES },
	};

	for (size_t i = slice_start(emission, slice); i < slice_start(emission, slice + 1); i++)
		if (walk_segment(emission, &mark, &emission->input->segments->items[i], &to,
				 err) < 0 ||
		    walk_end(emission, &mark, i, &to, err) < 0)
			return -1;
	if (mark.range_count != end->range_count || mark.call_count != end->call_count)
		return err_set(err, ERR_INTERNAL, "a lookup file's walks differ");
	if (out_flush(&to.calls, err) < 0 || out_flush(&to.locations, err) < 0)
		return -1;
	return out_flush(&to.ranges, err);
}

static int run_job(void *payload, unsigned thread, unsigned job, struct err *err)
{
	const struct emission *emission = payload;
	uint8_t *bytes = emission->buffers + thread * 3 * OUT_BYTES;

	if (job == 0)
		return write_tables(emission, bytes, err);
	if (job <= EMIT_TEXTS)
		return write_names(emission, job - 1, bytes, err);
	return write_slice(emission, job - 1 - EMIT_TEXTS, bytes, err);
}

static int write_all(struct emission *emission, struct err *err)
{
	unsigned threads = emission->input->threads;
	int rc;

	emission->buffers = mem_get_array(threads, 3 * OUT_BYTES);
	if (!emission->buffers)
		return err_set(err, ERR_NO_MEMORY, "no room to write");
	rc = parallel_run(threads, EMIT_JOBS, run_job, emission, err);
	mem_give_back(emission->buffers);
	return rc;
}

/* --- Together ------------------------------------------------------------------------ */

static int make_first_calls(struct emission *emission, struct err *err)
{
	size_t count = emission->input->range_count + 1;

	if (budget_count(emission->input->budget, count * sizeof(*emission->first_calls),
			 err) < 0)
		return -1;
	emission->first_calls = mem_get_array(count, sizeof(*emission->first_calls));
	if (!emission->first_calls)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu ranges", count);
	return 0;
}

static int emit(struct emission *emission, struct symcache_report *report, struct err *err)
{
	if (make_first_calls(emission, err) < 0 || number_all(emission, err) < 0 ||
	    count_all(emission, err) < 0 || lay_out(emission, err) < 0 || write_all(emission, err) < 0)
		return -1;
	report->functions = emission->renumber.function_list.count;
	report->ranges = (size_t)totals(emission)->range_count;
	report->bytes = (size_t)emission->places.end;
	return 0;
}

int emit_file(const struct emit_input *input, int fd, struct symcache_report *report,
	      struct err *err)
{
	struct emission emission = { .input = input, .fd = fd };
	int rc = renumber_init(&emission.renumber, input->shards, input->shard_count,
			       input->symbols,
			       undecoration_of(input->object), input->threads, input->budget,
			       err);

	if (rc == 0)
		rc = emit(&emission, report, err);
	mem_give_back(emission.first_calls);
	renumber_release(&emission.renumber);
	return rc;
}
