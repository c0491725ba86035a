/*
 * shard -- what one thread of the writer has read: the functions of its units, each with its
 * inline tree flattened to a list of line entries.
 *
 * Indices are those of the shard.  Which units a shard holds depends on scheduling; the file
 * must not, so everything is renumbered when the shards are merged (emit.c).
 */
#ifndef SYMCACHE_SHARD_H
#define SYMCACHE_SHARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "object/object.h"
#include "symcache/undecorate.h"
#include "symcache/inline_frames.h"
#include "symcache/il2cpp.h"
#include "symcache/symcache_layout.h"
#include "symcache/intern.h"

struct err;

/* From this address on, to the next entry of its range. */
struct line_entry {
	uint32_t address, file, line, frame;
};

/* The same in half the space, counted from the start and the first frame of its range.  Only
 * the entries of large functions do not fit. */
struct small_line_entry {
	uint16_t address, file, line, frame;
};

/* And a call; the parent is counted from the first frame of its range. */
struct small_call {
	uint16_t file, line, parent;
};

#define SMALL_MAX (UINT16_MAX - 1)
#define SMALL_NO_FILE UINT16_MAX

/* The words of a file's record in a shard; numbers of names. */
enum file_word { FILE_COMP_DIR, FILE_DIRECTORY, FILE_NAME, FILE_UNUSED };

/* The words of a function's record, in a shard (with the number of its name) as in the file
 * (with a string reference). */
enum function_word { FUNCTION_NAME, FUNCTION_COMP_DIR, FUNCTION_ENTRY, FUNCTION_LANGUAGE };

/* One function's addresses and its entries, the first of which is at `start`. */
struct function_range {
	uint32_t start, end;
	uint32_t shard, unit, order; /* order: within the unit */
	uint32_t first, count;       /* (small) entries of the shard */
	uint32_t first_frame, frame_count;
	uint32_t first_call, call_count;     /* (small) calls of the shard */
	bool nameless;               /* lines that belong to no function */
	bool is_small;               /* so are its entries */
	bool has_small_calls;
};

/* An inlined call of the function being flattened, or the function itself. */
struct inline_node {
	uint32_t parent;             /* the node it lies in; 0: the function itself */
	uint32_t depth;
	uint32_t frame;              /* its number + 1; 0: no address is in it */
};

/* An inlined call's addresses while its function is being flattened. */
struct inline_span {
	uint32_t start, end, inlinee;
};

struct shard {
	struct budget *budget;
	uint32_t number;
	enum undecoration undecoration;
	bool of_variables;           /* functions are called what their variables are */
	struct arena copies;         /* of lists of variables */
	const struct il2cpp *line_map;       /* NULL: lines stay where they are */
	uint32_t *managed_files;     /* the shard's number + 1 of each C# file of the map */
	size_t managed_file_capacity;
	struct name_pool names;
	struct record_pool files, functions;
	struct inline_frames frames;
	struct line_entry *entries;
	struct small_line_entry *small_entries;
	struct small_call *small_calls;
	size_t entry_capacity, small_entry_capacity, small_call_capacity;
	uint32_t entry_count, small_entry_count, small_call_count;
	struct function_range *ranges;
	size_t range_capacity, range_count;
	/* of the unit being read */
	uint32_t unit, order;
	uint32_t *unit_files;        /* the shard's number + 1 of each of the unit's files */
	size_t unit_file_capacity, unit_file_count;
	const struct il2cpp_file **mapped_files;     /* with a map: what it says of each */
	size_t mapped_file_capacity;
	/* of the function being flattened */
	struct line_entry *fresh;    /* its entries */
	size_t fresh_capacity, fresh_count;
	struct inline_span *spans;   /* and behind them the stack of the open ones */
	size_t span_capacity;
	struct inline_node *nodes;   /* the function itself, then its inlined calls */
	size_t node_capacity;
};

void shard_init(struct shard *shard, struct budget *budget, uint32_t number,
		enum undecoration undecoration);
/* From now on functions are named by the lists of their variables. */
void shard_use_variables(struct shard *shard);
/* From now on lines are replaced by the C# lines the map has for them.  The map must outlive the
 * shard. */
int  shard_use_line_map(struct shard *shard, const struct il2cpp *map, struct err *err)
	__attribute__((warn_unused_result));
void shard_release(struct shard *shard);
/* Frees what only reading needs.  With `keeps_tables` the hash tables of names and functions stay,
 * for the merge. */
void shard_finish(struct shard *shard, bool keeps_tables);

void shard_begin_unit(struct shard *shard, uint32_t unit);
int shard_add_function(struct shard *shard, const struct object_file_name *files, size_t file_count,
		       const struct object_function *function, struct err *err)
	__attribute__((warn_unused_result));

/* One of the entries of a range, by its number in the shard. */
static inline struct line_entry shard_entry(const struct shard *shard,
					    const struct function_range *range,
					    uint32_t index)
{
	const struct small_line_entry *small;

	if (!range->is_small)
		return shard->entries[index];
	small = &shard->small_entries[index];
	return (struct line_entry){
		range->start + small->address,
		small->file == SMALL_NO_FILE ? SYMC_NONE : small->file, small->line,
		range->first_frame + small->frame,
	};
}

/* One of the calls of a range, by its number among them. */
static inline struct inline_call shard_call(const struct shard *shard,
					    const struct function_range *range,
					    uint32_t index)
{
	const struct small_call *small;

	if (!range->has_small_calls)
		return shard->frames.calls[range->first_call + index];
	small = &shard->small_calls[range->first_call + index];
	return (struct inline_call){
		small->file == SMALL_NO_FILE ? SYMC_NONE : small->file, small->line,
		range->first_frame + small->parent,
	};
}

#endif
