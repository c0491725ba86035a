/*
 * emit.c -- two walks over the segments: one numbers and counts, one writes.
 *
 * Both make the same locations, because numbers once given are remembered beside each
 * part's records.  Sections are written from small buffers; only what the result holds
 * once (names, files, functions, call locations) is in memory as a whole.  With several
 * threads the names are written beside the rest.
 */
#include "symcache/emit.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "base/err.h"
#include "base/limits.h"
#include "base/mem.h"
#include "symcache/layout.h"
#include "symcache/undecorate.h"

#define OUT_BYTES           ((size_t)128 * 1024)
#define LANGUAGE_OF_SYMBOLS UINT32_MAX       /* as the format's other writers have it */

/* The new numbers of one part's records: number + 1, 0 when it has none yet. */
struct renumbering {
	uint32_t *names, *files, *functions, *frames;
};

struct emission {
	const struct emit_input *input;
	struct renumbering *renumberings;      /* one per part */
	uint32_t *symbol_functions;            /* number + 1 */
	struct budget *budget;
	/* what the file holds */
	struct names names;
	uint32_t *refs;              /* where each name stands in the string table */
	size_t ref_room;
	uint64_t string_bytes;
	struct records files, functions, calls;
	uint64_t range_count;
	/* the walk */
	struct record last;          /* location of the range before */
	bool any;                    /* there was one */
	struct out *locations, *ranges;        /* NULL: only count */
};

/* --- Numbers ------------------------------------------------------------------------- */

static size_t length_bytes(uint32_t size)
{
	size_t bytes = 1;

	for (; size >= 0x80; size >>= 7)
		bytes++;
	return bytes;
}

static int name_number(struct emission *emission, const struct name *name, uint32_t *number,
		       struct err *err)
{
	uint32_t count = emission->names.count;

	if (names_add_hashed(&emission->names, name, number, err) < 0 ||
	    budget_room(emission->budget, &emission->refs, &emission->ref_room,
			emission->names.count, sizeof(*emission->refs), err) < 0)
		return -1;
	if (*number < count)
		return 0;
	if (emission->string_bytes >= UINT32_MAX)
		return err_set(err, ERR_LIMIT, "more than 4 GiB of names");
	emission->refs[*number] = (uint32_t)emission->string_bytes;
	emission->string_bytes += length_bytes(name->size) + name->size;
	return 0;
}

/* The string reference of a name of a part. */
static int string_ref(struct emission *emission, uint32_t part, uint32_t name, uint32_t *ref,
		      struct err *err)
{
	uint32_t *known = &emission->renumberings[part].names[name], number;

	if (*known == 0) {
		if (name_number(emission, &emission->input->parts[part].names.items[name],
				&number, err) < 0)
			return -1;
		*known = number + 1;
	}
	*ref = emission->refs[*known - 1];
	return 0;
}

/* SYMC_NONE for an empty one, if it may be left out. */
static int optional_ref(struct emission *emission, uint32_t part, uint32_t name, uint32_t *ref,
			struct err *err)
{
	*ref = SYMC_NONE;
	if (emission->input->parts[part].names.items[name].size == 0)
		return 0;
	return string_ref(emission, part, name, ref, err);
}

/* A file's record is longer than four numbers on disk; its tail is always the same. */
static int file_number(struct emission *emission, uint32_t part, uint32_t file,
		       uint32_t *number, struct err *err)
{
	const struct record *from;
	struct record record = { .word = { 0 } };
	uint32_t *known;

	*number = SYMC_NONE;
	if (file == SYMC_NONE)
		return 0;
	known = &emission->renumberings[part].files[file];
	from = &emission->input->parts[part].files.items[file];
	if (*known == 0) {
		if (optional_ref(emission, part, from->word[FILE_COMP_DIR],
				 &record.word[FILE_COMP_DIR], err) < 0 ||
		    optional_ref(emission, part, from->word[FILE_DIRECTORY],
				 &record.word[FILE_DIRECTORY], err) < 0 ||
		    string_ref(emission, part, from->word[FILE_NAME],
			       &record.word[FILE_NAME], err) < 0 ||
		    records_add(&emission->files, &record, number, err) < 0)
			return -1;
		*known = *number + 1;
	}
	*number = *known - 1;
	return 0;
}

static int function_number(struct emission *emission, uint32_t part, uint32_t function,
			   uint32_t *number, struct err *err)
{
	uint32_t *known = &emission->renumberings[part].functions[function];

	if (*known == 0) {
		struct record record = emission->input->parts[part].functions.items[function];

		if (string_ref(emission, part, record.word[FUNCTION_NAME],
			       &record.word[FUNCTION_NAME], err) < 0 ||
		    records_add(&emission->functions, &record, number, err) < 0)
			return -1;
		*known = *number + 1;
	}
	*number = *known - 1;
	return 0;
}

/* The call location of one inlined frame whose parent has its own already. */
static int add_call(struct emission *emission, uint32_t part, uint32_t frame, struct err *err)
{
	struct renumbering *renumbering = &emission->renumberings[part];
	const struct record *items = emission->input->parts[part].frames.items;
	uint32_t parent = items[frame].word[FRAME_PARENT], number;
	struct record record = { .word = { 0, items[frame].word[FRAME_CALL_LINE], 0,
					   renumbering->frames[parent] - 1 } };

	if (function_number(emission, part, items[parent].word[FRAME_FUNCTION],
			    &record.word[2], err) < 0 ||
	    file_number(emission, part, items[frame].word[FRAME_CALL_FILE], &record.word[0],
			err) < 0 ||
	    records_add_call(&emission->calls, &record, &number, err) < 0)
		return -1;
	renumbering->frames[frame] = number + 1;
	return 0;
}

/* What this frame is inlined into: SYMC_NONE for a function itself.  A frame without a call
 * location keeps 0, and 0 - 1 is SYMC_NONE. */
static int call_number(struct emission *emission, uint32_t part, uint32_t frame,
		       uint32_t *number, struct err *err)
{
	const uint32_t *known = emission->renumberings[part].frames;
	const struct record *items = emission->input->parts[part].frames.items;
	uint32_t open[LIMIT_INLINE_DEPTH];
	size_t depth = 0;

	while (items[frame].word[FRAME_PARENT] != SYMC_NONE && known[frame] == 0 &&
	       depth < LIMIT_INLINE_DEPTH) {
		open[depth++] = frame;
		frame = items[frame].word[FRAME_PARENT];
	}
	*number = known[frame] - 1;
	while (depth > 0) {
		if (add_call(emission, part, open[--depth], err) < 0)
			return -1;
		*number = known[open[depth]] - 1;
	}
	return 0;
}

static int symbol_number(struct emission *emission, uint32_t symbol, uint32_t *number,
			 struct err *err)
{
	const struct cover_symbol *item = &emission->input->symbols->items[symbol];
	struct text text = { item->name, item->name_bytes };
	struct record record = { .word = { [FUNCTION_COMP_DIR] = SYMC_NONE,
					   [FUNCTION_ENTRY] = item->address,
					   [FUNCTION_LANGUAGE] = LANGUAGE_OF_SYMBOLS } };
	struct name name;
	uint32_t name_index;

	if (emission->symbol_functions[symbol] == 0) {
		if (emission->input->object->undecorates)
			text = undecorate(text);
		name = name_of(text);
		if (name_number(emission, &name, &name_index, err) < 0)
			return -1;
		record.word[FUNCTION_NAME] = emission->refs[name_index];
		if (records_add(&emission->functions, &record, number, err) < 0)
			return -1;
		emission->symbol_functions[symbol] = *number + 1;
	}
	*number = emission->symbol_functions[symbol] - 1;
	return 0;
}

/* The file the symbol table names for a symbol; lines it has none. */
static int symbol_file(struct emission *emission, uint32_t symbol, uint32_t *number,
		       struct err *err)
{
	const struct cover_symbol *item = &emission->input->symbols->items[symbol];
	struct record record = { .word = { [FILE_COMP_DIR] = SYMC_NONE,
					   [FILE_DIRECTORY] = SYMC_NONE } };
	struct name name;
	uint32_t name_index;

	*number = SYMC_NONE;
	if (item->file_bytes == 0)
		return 0;
	name = name_of((struct text){ item->file, item->file_bytes });
	if (name_number(emission, &name, &name_index, err) < 0)
		return -1;
	record.word[FILE_NAME] = emission->refs[name_index];
	return records_add(&emission->files, &record, number, err);
}

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
		size_t part = OUT_BYTES - out->used;

		if (part > size)
			part = size;
		memcpy(out->bytes + out->used, from, part);
		out->used += part;
		from += part;
		size -= part;
		if (out->used == OUT_BYTES && out_flush(out, err) < 0)
			return -1;
	}
	return 0;
}

/* --- The walk over the segments ------------------------------------------------------ */

static const struct record no_location = {
	.word = { SYMC_NONE, SYMC_NONE, SYMC_NONE, SYMC_NONE }
};

/* One range, unless it says what the one before says. */
static int add_range(struct emission *emission, uint32_t address, const struct record *location,
		     struct err *err)
{
	if (emission->any && memcmp(&emission->last, location, sizeof(*location)) == 0)
		return 0;
	emission->any = true;
	emission->last = *location;
	emission->range_count++;
	if (!emission->ranges)
		return 0;
	if (out_add(emission->ranges, &address, sizeof(address), err) < 0)
		return -1;
	return out_add(emission->locations, location, sizeof(*location), err);
}

static int entry_location(struct emission *emission, const struct segment *segment,
			  const struct entry *entry, struct record *location, struct err *err)
{
	const struct record *frame =
		&emission->input->parts[segment->part].frames.items[entry->frame];

	location->word[1] = entry->line;
	if (file_number(emission, segment->part, entry->file, &location->word[0], err) < 0)
		return -1;
	location->word[3] = SYMC_NONE;
	if (segment->symbol != SYMC_NONE)
		return symbol_number(emission, segment->symbol, &location->word[2], err);
	if (call_number(emission, segment->part, entry->frame, &location->word[3], err) < 0)
		return -1;
	return function_number(emission, segment->part, frame->word[FRAME_FUNCTION],
			       &location->word[2], err);
}

static int walk_segment(struct emission *emission, const struct segment *segment,
			struct err *err)
{
	struct record location = { .word = { SYMC_NONE, 0, SYMC_NONE, SYMC_NONE } };
	const struct entry *entries;

	if (segment->part == COVER_NO_PART) {
		if (symbol_number(emission, segment->symbol, &location.word[2], err) < 0 ||
		    symbol_file(emission, segment->symbol, &location.word[0], err) < 0)
			return -1;
		return add_range(emission, segment->from, &location, err);
	}
	entries = emission->input->parts[segment->part].entries + segment->first;
	for (uint32_t i = 0; i < segment->count; i++) {
		uint32_t address = i == 0 ? segment->from : entries[i].address;

		if (entry_location(emission, segment, &entries[i], &location, err) < 0 ||
		    add_range(emission, address, &location, err) < 0)
			return -1;
	}
	return 0;
}

static int walk_segments(struct emission *emission, struct err *err)
{
	const struct segments *segments = emission->input->segments;

	emission->any = false;
	emission->range_count = 0;
	for (size_t i = 0; i < segments->count; i++) {
		const struct segment *segment = &segments->items[i];
		bool last = i + 1 == segments->count;

		if (walk_segment(emission, segment, err) < 0)
			return -1;
		/* the top of the address space stays open */
		if (segment->to != UINT32_MAX && (last || segment[1].from > segment->to) &&
		    add_range(emission, segment->to, &no_location, err) < 0)
			return -1;
	}
	return 0;
}

/* --- The file ------------------------------------------------------------------------ */

struct places {
	uint64_t files, functions, locations, ranges, strings, end;
};

static int lay_out(const struct emission *emission, struct places *places, struct err *err)
{
	uint64_t locations = emission->calls.count + emission->range_count;

	if (locations >= UINT32_MAX || emission->string_bytes > UINT32_MAX)
		return err_set(err, ERR_LIMIT, "more than 32 bits can count: %llu locations",
			       (unsigned long long)locations);
	places->files = SYMC_HEAD_BYTES;
	places->functions = symc_aligned(places->files +
					 (uint64_t)emission->files.count * SYMC_FILE_BYTES);
	places->locations = symc_aligned(places->functions +
					 (uint64_t)emission->functions.count *
					 SYMC_FUNCTION_BYTES);
	places->ranges = symc_aligned(places->locations + locations * SYMC_LOCATION_BYTES);
	places->strings = symc_aligned(places->ranges +
				       emission->range_count * SYMC_RANGE_BYTES);
	places->end = places->strings + emission->string_bytes;
	return 0;
}

static int write_head(const struct emission *emission, struct out *out, struct err *err)
{
	const struct object *object = emission->input->object;
	uint32_t start[2] = { SYMC_MAGIC, SYMC_VERSION };
	uint32_t counts[6] = { object->arch, emission->files.count, emission->functions.count,
			       (uint32_t)(emission->calls.count + emission->range_count),
			       (uint32_t)emission->range_count,
			       (uint32_t)emission->string_bytes };
	uint8_t id[DEBUGID_RECORD_BYTES], reserved[SYMC_HEAD_RESERVED] = { 0 };

	debugid_store(&object->debug_id, id);
	if (out_add(out, start, sizeof(start), err) < 0 || out_add(out, id, sizeof(id), err) < 0 ||
	    out_add(out, counts, sizeof(counts), err) < 0)
		return -1;
	return out_add(out, reserved, sizeof(reserved), err);
}

static int write_files(const struct emission *emission, struct out *out, struct err *err)
{
	for (uint32_t i = 0; i < emission->files.count; i++) {
		const uint32_t *word = emission->files.items[i].word;
		uint32_t file[SYMC_FILE_BYTES / 4] = { word[0], word[1], word[2], SYMC_NONE,
						       SYMC_NONE, SYMC_NONE };

		if (out_add(out, file, sizeof(file), err) < 0)
			return -1;
	}
	return 0;
}

static int write_names(const struct emission *emission, struct out *out, struct err *err)
{
	for (uint32_t i = 0; i < emission->names.count; i++) {
		const struct name *name = &emission->names.items[i];
		uint32_t left = name->size;
		uint8_t length[5];
		size_t used = 0;

		for (; left >= 0x80; left >>= 7)
			length[used++] = (uint8_t)(left | 0x80);
		length[used++] = (uint8_t)left;
		if (out_add(out, length, used, err) < 0 ||
		    out_add(out, name->bytes, name->size, err) < 0)
			return -1;
	}
	return 0;
}

/* Zero bytes up to where a section starts. */
static int pad_to(struct out *out, uint64_t place, struct err *err)
{
	static const uint8_t zeros[SYMC_ALIGNMENT];

	return out_add(out, zeros, (size_t)(place - (uint64_t)out->at - out->used), err);
}

/* The end of the file, which can be written beside the rest. */
struct tail {
	const struct emission *emission;
	struct out out;
	pthread_t thread;
	bool started;
	struct err err;
	int rc;
};

static void *write_tail(void *payload)
{
	struct tail *tail = payload;

	tail->rc = write_names(tail->emission, &tail->out, &tail->err);
	if (tail->rc == 0)
		tail->rc = out_flush(&tail->out, &tail->err);
	return NULL;
}

/* In a thread of its own where there may be several and one can be had. */
static void begin_tail(struct tail *tail)
{
	if (tail->emission->input->part_count > 1)
		tail->started = pthread_create(&tail->thread, NULL, write_tail, tail) == 0;
}

static int end_tail(struct tail *tail, struct err *err)
{
	if (tail->started)
		pthread_join(tail->thread, NULL);
	else
		write_tail(tail);
	if (tail->rc < 0)
		*err = tail->err;
	return tail->rc;
}

static int write_sections(struct emission *emission, const struct places *places,
			  struct out *out, struct out *ranges, struct err *err)
{
	if (write_head(emission, out, err) < 0 || write_files(emission, out, err) < 0 ||
	    pad_to(out, places->functions, err) < 0 ||
	    out_add(out, emission->functions.items,
		    (size_t)emission->functions.count * SYMC_FUNCTION_BYTES, err) < 0 ||
	    pad_to(out, places->locations, err) < 0 ||
	    out_add(out, emission->calls.items,
		    (size_t)emission->calls.count * SYMC_LOCATION_BYTES, err) < 0)
		return -1;
	emission->locations = out;
	emission->ranges = ranges;
	if (walk_segments(emission, err) < 0 || pad_to(out, places->ranges, err) < 0 ||
	    out_flush(out, err) < 0 || pad_to(ranges, places->strings, err) < 0)
		return -1;
	return out_flush(ranges, err);
}

static int write_all(struct emission *emission, const struct places *places, int fd,
		     uint8_t *bytes, struct err *err)
{
	struct out out = { .fd = fd, .bytes = bytes };
	struct out ranges = { .fd = fd, .bytes = bytes + OUT_BYTES, .at = (off_t)places->ranges };
	struct tail tail = { .emission = emission, .err = ERR_INIT };
	int rc;

	tail.out = (struct out){ .fd = fd, .bytes = bytes + 2 * OUT_BYTES,
				 .at = (off_t)places->strings };
	begin_tail(&tail);
	rc = write_sections(emission, places, &out, &ranges, err);
	if (rc == 0)
		return end_tail(&tail, err);
	if (tail.started)
		pthread_join(tail.thread, NULL);
	return rc;
}

static int write_file(struct emission *emission, int fd, struct symcache_report *report,
		      struct err *err)
{
	struct places places = { 0 };
	uint8_t *bytes;
	int rc;

	if (lay_out(emission, &places, err) < 0)
		return -1;
	bytes = mem_get(3 * OUT_BYTES);
	if (!bytes)
		return err_set(err, ERR_NO_MEMORY, "no room to write");
	rc = write_all(emission, &places, fd, bytes, err);
	mem_give_back(bytes);
	report->functions = emission->functions.count;
	report->ranges = (size_t)emission->range_count;
	report->bytes = (size_t)places.end;
	return rc;
}

/* --- Together ------------------------------------------------------------------------ */

static uint32_t *make_numbers(struct emission *emission, size_t count, struct err *err)
{
	uint32_t *numbers;
	size_t bytes = (count + 1) * sizeof(*numbers);

	if (budget_count(emission->budget, bytes, err) < 0)
		return NULL;
	numbers = mem_get(bytes);
	if (!numbers)
		err_set(err, ERR_NO_MEMORY, "no room for %zu numbers", count);
	return numbers;
}

static int make_renumberings(struct emission *emission, struct err *err)
{
	const struct emit_input *input = emission->input;

	emission->symbol_functions = make_numbers(emission, input->symbols->count, err);
	if (!emission->symbol_functions)
		return -1;
	emission->renumberings = mem_get_array(input->part_count + 1,
					       sizeof(*emission->renumberings));
	if (!emission->renumberings)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu parts", input->part_count);
	for (size_t i = 0; i < input->part_count; i++) {
		const struct part *part = &input->parts[i];
		struct renumbering *to = &emission->renumberings[i];

		to->names = make_numbers(emission, part->names.count, err);
		to->files = to->names ? make_numbers(emission, part->files.count, err) : NULL;
		to->functions = to->files ? make_numbers(emission, part->functions.count, err)
					  : NULL;
		to->frames = to->functions ? make_numbers(emission, part->frames.count, err)
					   : NULL;
		if (!to->frames)
			return -1;
	}
	return 0;
}

static void release_emission(struct emission *emission)
{
	for (size_t i = 0; emission->renumberings && i < emission->input->part_count; i++) {
		mem_give_back(emission->renumberings[i].names);
		mem_give_back(emission->renumberings[i].files);
		mem_give_back(emission->renumberings[i].functions);
		mem_give_back(emission->renumberings[i].frames);
	}
	mem_give_back(emission->renumberings);
	mem_give_back(emission->symbol_functions);
	mem_give_back(emission->refs);
	names_release(&emission->names);
	records_release(&emission->files);
	records_release(&emission->functions);
	records_release(&emission->calls);
}

int emit_file(const struct emit_input *input, int fd, struct symcache_report *report,
	      struct err *err)
{
	struct emission emission = {
		.input = input, .budget = input->budget, .names = { .budget = input->budget },
		.files = { .budget = input->budget }, .functions = { .budget = input->budget },
		.calls = { .budget = input->budget },
	};
	int rc = make_renumberings(&emission, err);

	if (rc == 0)
		rc = walk_segments(&emission, err);
	if (rc == 0)
		rc = write_file(&emission, fd, report, err);
	release_emission(&emission);
	return rc;
}
