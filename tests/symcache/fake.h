/*
 * fake -- an object format whose functions are tables in a test.
 *
 * A unit can also end in an error after its functions, as a damaged one does.
 */
#ifndef TESTS_SYMCACHE_FAKE_H
#define TESTS_SYMCACHE_FAKE_H

#include "base/buf.h"
#include "base/err.h"
#include "object/object.h"
#include "symcache/symcache.h"

struct fake_unit {
	const struct object_file_name *files;
	size_t file_count;
	const struct object_function *functions;
	size_t function_count;
	enum err_kind ends_in;       /* ERR_NONE: well */
};

struct fake {
	const struct fake_unit *units;
	size_t unit_count;
	const struct object_symbol *symbols;
	size_t symbol_count;
	bool symbols_end_at_functions;
};

/* The tables stay the caller's. */
struct object fake_object(const struct fake *fake);

/* Writes with that many threads and reads the file back; 0 or -1. */
int fake_write(const struct fake *fake, unsigned threads, struct buf *out,
	       struct symcache_report *report, struct err *err);

/* The chain at an address: "f at a.c:1 < g at b.c:2", or "-". */
const char *fake_chain(const struct buf *file, uint64_t address);

#endif
