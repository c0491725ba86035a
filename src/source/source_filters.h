/*
 * source_filters -- which modules and file types a source wants to be asked for.
 *
 * Private to source.
 */
#ifndef SOURCE_SOURCE_FILTERS_H
#define SOURCE_SOURCE_FILTERS_H

#include "source/shape.h"
#include "source/source.h"

/* Matching costs pattern bytes times name bytes at worst; hostile requests know that. */
#define FILTER_PATTERN_BYTES ((size_t)16 * 1024)  /* all patterns of one source */
#define FILTER_NAME_BYTES    ((size_t)4096)       /* longer names match no pattern */

struct source_filters {
	uint32_t file_types;                 /* a bit each; 0: all */
	bool requires_checksum;
	const struct text *patterns;
	size_t pattern_count;                /* 0: all names */
};

extern const struct source_filters source_filters_none;

/* The `filters` member; NULL members of the object are defaults. */
int source_filters_parse(const struct shape *source, const struct source_filters **filters,
			 struct err *err) __attribute__((warn_unused_result));

/* Patterns are held against a module's names, or against the URL. */
bool source_filters_admit_query(const struct source_filters *filters,
				const struct source_query *query);
bool source_filters_admit_type(const struct source_filters *filters, enum file_type type);
/* Does the list of types have that one? */
bool source_filters_name_type(const struct source_filters *filters, enum file_type type);

/* Is it a pattern at all?  NULL when it is, else what is wrong. */
const char *glob_fault(struct text pattern);
/* The whole name (its `\` read as `/`) against a pattern without fault. */
bool glob_matches(struct text pattern, struct text name);

#endif
