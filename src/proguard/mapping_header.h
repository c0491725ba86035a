/*
 * mapping_header -- R8's headers of a mapping: one JSON object in a comment
 * (doc/formats/proguard.md, "R8's headers").
 *
 * May include: base.
 */
#ifndef PROGUARD_MAPPING_HEADER_H
#define PROGUARD_MAPPING_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct err;

enum mapping_header_kind {
	MAPPING_HEADER_OTHER,        /* read, and without influence on names and lines */
	MAPPING_HEADER_SOURCE_FILE, MAPPING_HEADER_SYNTHESIZED, MAPPING_HEADER_OUTLINE,
	MAPPING_HEADER_OUTLINE_CALLSITE, MAPPING_HEADER_REWRITE_FRAME,
};

struct mapping_position { uint64_t position, line; };
struct mapping_condition { struct text descriptor; };        /* TEXT_NONE: one we do not know */

/* Zeroed at first, used again and again, released once. */
struct mapping_header {
	enum mapping_header_kind kind;
	struct text file_name;
	struct mapping_position *positions;
	size_t position_count, position_capacity;
	/* rewriteFrame; no conditions: it has no effect */
	struct mapping_condition *conditions;
	size_t condition_count, condition_capacity;
	uint64_t removed_frames;
};
void mapping_header_release(struct mapping_header *header);

/* 1: read; 0: the line is none; -1: ERR_NO_MEMORY. */
int mapping_header_read(struct mapping_header *header, struct text json, struct err *err)
	__attribute__((warn_unused_result));
bool mapping_header_is_valid(struct text json);

#endif
