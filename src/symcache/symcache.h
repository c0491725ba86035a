/*
 * symcache -- the lookup file for native code: the published SYMC layout of the
 * library symbolic, version 9.  Other tools can read ours; we read theirs (7, 8 and 9).
 *
 * Written once from an object, then mapped and searched in place: opening reads the
 * header only, a look-up is one binary search and a walk along inlined calls.  The file is
 * untrusted: every index is checked, every chain bounded.
 *
 * May include: base, object.h.
 */
#ifndef SYMCACHE_SYMCACHE_H
#define SYMCACHE_SYMCACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/debugid.h"
#include "base/text.h"

struct arena;
struct buf;
struct err;
struct object;

#define SYMCACHE_NO_ENTRY UINT32_MAX

struct symcache {
	const uint8_t *bytes;        /* borrowed */
	size_t size;
	uint32_t version;
	uint32_t arch;
	struct debugid debug_id;
	uint32_t file_count, function_count, location_count, range_count, string_bytes;
	const uint8_t *files, *functions, *locations, *ranges, *strings;   /* inside bytes */
};

struct symcache_frame {
	struct text function;        /* as stored (mangled); "??": nothing names the place,
				      * "?": the record is not there, or has no name */
	uint32_t entry;              /* SYMCACHE_NO_ENTRY for inlinees */
	uint32_t language;
	bool has_file;
	struct text comp_dir, directory, name;
	uint32_t line;               /* 0: unknown */
};

/* Header and section bounds only; ERR_MALFORMED ("wrong endianness", "ends early", ...),
 * ERR_UNSUPPORTED for versions other than 7, 8, 9. */
int symcache_open(struct symcache *cache, const void *bytes, size_t size, struct err *err)
	__attribute__((warn_unused_result));

/* The chain at a relative address, innermost inlined call first; at most `capacity` frames.
 * Returns how many; 0: nothing known there. */
size_t symcache_lookup(const struct symcache *cache, uint64_t address,
		       struct symcache_frame *frames, size_t capacity);

/* One of several look-ups made together. */
struct symcache_query {
	const struct symcache *cache;        /* each may ask another */
	uint64_t address;
	size_t first, count;         /* the answer: which of the frames are its own */
};

/* The same for many addresses, several times as fast as one by one: they wait for memory
 * together.  Frames lie one behind the other in the order of the queries.  Returns how many
 * queries, from the first on, were answered: as many as there was room for the whole chains
 * of, so at least one when `capacity` is LIMIT_INLINE_DEPTH. */
size_t symcache_lookup_many(struct symcache_query *queries, size_t query_count,
			    struct symcache_frame *frames, size_t capacity);

/* Where the range of that index (< range_count) begins; it ends where the next one does. */
uint32_t symcache_range_address(const struct symcache *cache, uint32_t index);

/* Where the function that begins at `entry` ends: the first address above it that another one, or
 * none, has.  0: not known, or no function begins there.  A part of it that lies elsewhere does not count. */
uint32_t symcache_function_end(const struct symcache *cache, uint32_t entry);

/* comp_dir, directory and name joined, "." and ".." resolved (path.c); empty when it has no file. */
void symcache_frame_path(const struct symcache_frame *frame, struct buf *out);

struct symcache_options {
	unsigned threads;            /* 0: 1 */
	size_t memory_bytes;         /* ceiling of the writer's own memory; 0: LIMIT_CELL_DATA_BYTES */
	struct text line_map;        /* of a Unity program: its lines are C# lines then, where the map
					knows them (doc/formats/linemap.md); TEXT_NONE: there is none */
	/* Instead of its name each function has its variables, as object.h has them: a file of its
	 * own, with the same chains of calls where there is debug information.  The object must
	 * have been told to want them. */
	bool of_variables;
};

struct symcache_report {
	size_t units, bad_units;     /* bad ones cost themselves */
	size_t functions, ranges, bytes;
	uint64_t steps;              /* of the object's work budget that reading it took */
	char first_bad[240];         /* where and why the first bad unit failed; "" when none */
};

/* Converts an opened and prepared object into the file `fd` (empty, seekable).  The result is
 * the same whatever the number of threads. */
int symcache_write(struct object *object, const struct symcache_options *options, int fd,
		   struct symcache_report *report, struct err *err)
	__attribute__((warn_unused_result));

/* Is it a line map?  ERR_MALFORMED: at which byte not. */
int symcache_check_line_map(struct text map, struct err *err) __attribute__((warn_unused_result));

/* A readable listing, one line per range: "symgate symcache dump". */
int symcache_dump(const struct symcache *cache, struct buf *out, struct err *err)
	__attribute__((warn_unused_result));

#endif
