/*
 * stacktrace_json -- stack traces and modules of a request, from JSON.
 *
 * Everything is the arena's; texts point into the parsed body.  ERR_BAD_SHAPE names the member.
 */
#ifndef KINDS_STACKTRACE_JSON_H
#define KINDS_STACKTRACE_JSON_H

#include "kinds/stacktrace.h"

struct arena;
struct cJSON;

/* An array of traces, their frames in the order given. */
int stacktrace_json_traces(const struct cJSON *json, const struct schema_place *place,
			   struct arena *arena, struct raw_report *report, struct err *err)
	__attribute__((warn_unused_result));
/* An array of modules.  Ids that cannot be read are as good as none. */
int stacktrace_json_modules(const struct cJSON *json, const struct schema_place *place,
			    struct arena *arena, struct raw_report *report, struct err *err)
	__attribute__((warn_unused_result));

#endif
