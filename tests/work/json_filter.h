/*
 * json_filter.h -- JSON in two passes, to compare request_json_parse() with: a filter that rewrites what cJSON
 * would read otherwise than it stands, as request_json.h promises, and cJSON's own reader of what comes out.
 */
#ifndef TESTS_JSON_FILTER_H
#define TESTS_JSON_FILTER_H

#include "base/text.h"

struct arena;
struct cJSON;
struct err;

/* The tree, in the arena; the same errors. */
int json_filter_parse(struct text body, struct arena *arena, struct cJSON **json, struct err *err)
	__attribute__((warn_unused_result));

/* In what; NULL: in nothing. */
const char *json_trees_differ(const struct cJSON *a, const struct cJSON *b);

#endif
