/*
 * retrace -- stack traces as text: line by line, with original names (doc/formats/proguard.md).
 *
 * Three dialects, as three programs write them.  A line that holds nothing to remap comes out as it went
 * in.  Nothing is kept of a line but what the next one needs.
 *
 * May include: base.
 */
#ifndef PROGUARD_RETRACE_H
#define PROGUARD_RETRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "proguard/proguard.h"

struct buf;
struct err;
struct retrace_pattern;

/* Longer lines pass through. */
#define RETRACE_LINE_BYTES_MAX ((size_t)1 << 20)

/* Of a trace that is bounded: entries of mappings that are looked at, and how many each line adds to that. */
#define RETRACE_ENTRIES      ((uint64_t)1 << 26)
#define RETRACE_LINE_ENTRIES 1024u

enum retrace_dialect {
	RETRACE_OF_MAPPING,          /* R8's of its mappings, else ProGuard's */
	RETRACE_PROGUARD, RETRACE_R8, RETRACE_LIBRARY,
	RETRACE_DIALECTS
};

struct retrace_options {
	enum retrace_dialect dialect;
	bool verbose;                /* methods with their types */
	const char *regex;           /* NULL: the dialect's own; not of RETRACE_LIBRARY */
	bool is_bounded;             /* frames pass through (left_alone) while RETRACE_ENTRIES are used up */
};

struct retrace {
	const struct proguard *mapping;      /* borrowed */
	struct retrace_options options;
	struct proguard_frames frames;
	struct retrace_pattern *pattern;
	uint32_t *order;             /* alternatives of a frame, sorted */
	size_t order_capacity;
	uint64_t lines;              /* so far */
	uint64_t left_alone;         /* frames of them that passed as their methods have too many entries */
	/* of the stack so far: */
	struct proguard_carry carry;
	bool may_rewrite;
	struct text thrown;          /* borrowed from the mapping, or in unmapped */
	char unmapped[512];          /* the last exception's class, where the mapping does not have it */
};

/* ERR_BAD_REQUEST: the expression is none.  Release in any case. */
int  retrace_open(struct retrace *retrace, const struct proguard *mapping,
		  const struct retrace_options *options, struct err *err) __attribute__((warn_unused_result));
void retrace_release(struct retrace *retrace);
/* A line without its end; what it becomes, none or many, each with a line feed, is appended. */
int  retrace_line(struct retrace *retrace, struct text line, struct buf *out, struct err *err)
	__attribute__((warn_unused_result));
bool retrace_dialect_named(const char *name, enum retrace_dialect *dialect);

#endif
