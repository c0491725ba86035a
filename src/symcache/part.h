/*
 * part -- what one thread of the writer has learnt: the flat locations of the functions of
 * the units it has read.
 *
 * Everything is numbered within the part.  The parts depend on which thread read which
 * unit; the file must not, so it is numbered anew when they are put together (emit.c).
 */
#ifndef SYMCACHE_PART_H
#define SYMCACHE_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "object/object.h"
#include "symcache/undecorate.h"
#include "symcache/frames.h"
#include "symcache/il2cpp.h"
#include "symcache/layout.h"
#include "symcache/sets.h"

struct err;

/* From this address on, to the next entry of its piece. */
struct entry {
	uint32_t address, file, line, frame;
};

/* The same in half the space, counted from the start and the first frame of its piece.  Only
 * the entries of large functions do not fit. */
struct small_entry {
	uint16_t address, file, line, frame;
};

/* And a call; the parent is counted from the first frame of its piece. */
struct small_call {
	uint16_t file, line, parent;
};

#define SMALL_MAX (UINT16_MAX - 1)
#define SMALL_NO_FILE UINT16_MAX

/* The words of a file's record in a part; numbers of names. */
enum file_word { FILE_COMP_DIR, FILE_DIRECTORY, FILE_NAME, FILE_UNUSED };

/* The words of a function's record, in a part (with the number of its name) as in the file
 * (with a string reference). */
enum function_word { FUNCTION_NAME, FUNCTION_COMP_DIR, FUNCTION_ENTRY, FUNCTION_LANGUAGE };

/* One function's addresses and its entries, the first of which is at `start`. */
struct piece {
	uint32_t start, end;
	uint32_t part, unit, order;  /* order: within the unit */
	uint32_t first, count;       /* (small) entries of the part */
	uint32_t first_frame, frame_count;
	uint32_t first_call, call_count;     /* (small) calls of the part */
	bool nameless;               /* lines that belong to no function */
	bool is_small;               /* so are its entries */
	bool has_small_calls;
};

/* An inlined call of the function being flattened, or the function itself. */
struct nest {
	uint32_t parent;             /* the nest it lies in; 0: the function itself */
	uint32_t depth;
	uint32_t frame;              /* its number + 1; 0: no address is in it */
};

/* An inlined call's addresses while its function is being flattened. */
struct span {
	uint32_t start, end, inlinee;
};

struct part {
	struct budget *budget;
	uint32_t number;
	enum undecoration undecoration;
	bool of_variables;           /* functions are called what their variables are */
	struct arena copies;         /* of lists of variables */
	const struct il2cpp *line_map;       /* NULL: lines stay where they are */
	uint32_t *managed_files;     /* the part's number + 1 of each C# file of the map */
	size_t managed_file_capacity;
	struct names names;
	struct records files, functions;
	struct frames frames;
	struct entry *entries;
	struct small_entry *small_entries;
	struct small_call *small_calls;
	size_t entry_capacity, small_entry_capacity, small_call_capacity;
	uint32_t entry_count, small_entry_count, small_call_count;
	struct piece *pieces;
	size_t piece_capacity, piece_count;
	/* of the unit being read */
	uint32_t unit, order;
	uint32_t *unit_files;        /* the part's number + 1 of each of the unit's files */
	size_t unit_file_capacity, unit_file_count;
	const struct il2cpp_file **mapped_files;     /* with a map: what it says of each */
	size_t mapped_file_capacity;
	/* of the function being flattened */
	struct entry *fresh;         /* its entries */
	size_t fresh_capacity, fresh_count;
	struct span *spans;          /* and behind them the stack of the open ones */
	size_t span_capacity;
	struct nest *nests;          /* the function itself, then its inlined calls */
	size_t nest_capacity;
};

void part_init(struct part *part, struct budget *budget, uint32_t number,
	       enum undecoration undecoration);
/* From now on functions go by the lists of their variables. */
void part_use_variables(struct part *part);
/* From now on lines lie where the map says they came from; it outlives the part. */
int  part_use_line_map(struct part *part, const struct il2cpp *map, struct err *err)
	__attribute__((warn_unused_result));
void part_release(struct part *part);
/* Gives back what only reading needs; `keeps_tables`: names and functions can still be found. */
void part_finish(struct part *part, bool keeps_tables);

void part_begin_unit(struct part *part, uint32_t unit);
int part_add_function(struct part *part, const struct object_file_name *files, size_t file_count,
		      const struct object_function *function, struct err *err)
	__attribute__((warn_unused_result));

/* One of the entries of a piece, by its number in the part. */
static inline struct entry part_entry(const struct part *part, const struct piece *piece,
				      uint32_t index)
{
	const struct small_entry *small;

	if (!piece->is_small)
		return part->entries[index];
	small = &part->small_entries[index];
	return (struct entry){
		piece->start + small->address,
		small->file == SMALL_NO_FILE ? SYMC_NONE : small->file, small->line,
		piece->first_frame + small->frame,
	};
}

/* One of the calls of a piece, by its number among them. */
static inline struct call part_call(const struct part *part, const struct piece *piece,
				    uint32_t index)
{
	const struct small_call *small;

	if (!piece->has_small_calls)
		return part->frames.calls[piece->first_call + index];
	small = &part->small_calls[piece->first_call + index];
	return (struct call){
		small->file == SMALL_NO_FILE ? SYMC_NONE : small->file, small->line,
		piece->first_frame + small->parent,
	};
}

#endif
