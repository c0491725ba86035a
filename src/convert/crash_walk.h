/*
 * crash_walk.h -- in cells: the stacks of a crash file walked, asking for what is missing.
 *
 * The unwind rules ("cfi") and the symbols ("symcache") of a module are asked for when a walk
 * needs them, by a want whose name is the module as crash_json.h writes it, and whose id is the
 * debug id of the lowest module, or nothing.  The file itself is the "image".  What does not come is walked without.
 */
#ifndef CONVERT_CRASH_WALK_H
#define CONVERT_CRASH_WALK_H

#include "cfi/cfi.h"
#include "convert/crash_json.h"
#include "symcache/symcache.h"
#include "unwind/unwind.h"

struct arena;
struct cell;
struct err;
struct file_map;

struct crash_walk_cache {            /* of one module */
	struct cfi cfi;
	struct symcache symcache;
	enum unwind_cfi_state symbols;
};

struct crash_walk {
	struct cell *cell;
	const struct crash_json_module *identities;      /* by address, parallel to modules.items */
	struct unwind_modules modules;
	struct crash_walk_cache *caches;
	struct unwind_symbols symbols;
	enum unwind_os os;
	bool only_modules;                   /* CONVERT_ONLY_MODULES: no thread has frames */
	bool ends_without_return;            /* as unwind.h has it, and passes_bad_pointers; set after opening */
	char first_id[DEBUGID_TEXT_BYTES];   /* debug id of the first module; "": none */
	struct unwind_frame *frames;         /* of the last walk; LIMIT_CRASH_FRAMES at most */
	size_t frame_count;
	bool *expected;                      /* modules whose rules the walks will need, probably */
	bool has_asked;                      /* for the first */
	unsigned want_count;                 /* at most LIMIT_CELL_ENTRIES; the rest is walked without */
};

/* `identities` ascend by base and do not overlap. */
int crash_walk_open(struct crash_walk *walk, struct cell *cell,
		    const struct crash_json_module *identities, size_t count, enum unwind_os os,
		    struct arena *arena, struct err *err) __attribute__((warn_unused_result));
/* Before the first walk: notes modules that hold the program counter or what the top of the stack points
 * to.  When the first rules are asked for, these are named, too, to be looked for side by side. */
void crash_walk_expect(struct crash_walk *walk, const struct unwind_registers *registers,
		       const struct unwind_memory *memory);
/* The frames of a thread. */
int crash_walk_thread(struct crash_walk *walk, const struct unwind_registers *registers,
		      const struct unwind_memory *memory, struct err *err)
	__attribute__((warn_unused_result));
/* From the last of walk->frame_count frames on, whose registers these are; there is at least one. */
int crash_walk_on(struct crash_walk *walk, const struct unwind_registers *registers,
		  const struct unwind_memory *memory, struct err *err)
	__attribute__((warn_unused_result));
/* A file of a module: 1 and it is mapped, until the cell ends; 0: there is none; -1. */
int crash_walk_want(struct crash_walk *walk, const char *role, uint32_t module,
		    struct file_map *map, struct err *err) __attribute__((warn_unused_result));
/* Asks for the rules of modules that frames lie in but no step needed: their files are told of
 * like those of the others. */
int crash_walk_finish(struct crash_walk *walk, struct err *err) __attribute__((warn_unused_result));

/* One thread as an element of the report's list. */
struct crash_walk_told {
	uint64_t id;
	struct text name;                    /* TEXT_NONE: none */
	bool has_requesting, is_requesting;
};
void crash_walk_write_thread(const struct crash_walk *walk, const struct crash_walk_told *told,
			     const struct unwind_registers *registers, struct crash_json *report);
/* The same up to its list of frames, which the caller fills and ends; then the element. */
void crash_walk_begin_thread(const struct crash_walk *walk, const struct crash_walk_told *told,
			     const struct unwind_registers *registers, struct crash_json *report);

/* The module that holds an address; UNWIND_NO_MODULE. */
static inline uint32_t crash_walk_module_at(const struct crash_walk *walk, uint64_t address)
{
	return unwind_module_at(&walk->modules, address);
}

#endif
