/*
 * proguard_write -- from a mapping's text to its cache.
 *
 * The text is read once and borrowed; what is private while it is read is about the cache's size.
 *
 * May include: base.
 */
#ifndef PROGUARD_PROGUARD_WRITE_H
#define PROGUARD_PROGUARD_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct err;

/* What a mapping says of itself, and what is in it.  Texts are borrowed from the mapping. */
struct proguard_report {
	struct text compiler, compiler_version, map_id, map_hash;    /* TEXT_NONE: not said */
	uint32_t min_api;
	bool has_min_api, has_line_info, is_by_r8;
	uint64_t classes, fields, methods;   /* records of each */
	uint64_t failed;             /* lines that are none */
	uint64_t bytes;              /* of the cache */
};

/* Into the file `fd` (empty).  ERR_MALFORMED: it is no mapping; ERR_LIMIT: it needs more than
 * memory_bytes, or has more of something than 32 bits count. */
int proguard_write(struct text mapping, size_t memory_bytes, int fd, struct proguard_report *report,
		   struct err *err) __attribute__((warn_unused_result));
/* What it says of itself alone; fails only for want of memory. */
int proguard_summary(struct text mapping, struct proguard_report *report, struct err *err)
	__attribute__((warn_unused_result));

#endif
