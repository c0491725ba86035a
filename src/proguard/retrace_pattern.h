/*
 * retrace_pattern -- expressions of ProGuard's retrace: Java's syntax with %c, %m and others for what is
 * remapped.  Private to this component.
 */
#ifndef PROGUARD_RETRACE_PATTERN_H
#define PROGUARD_RETRACE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

#define RETRACE_WILDCARDS_MAX 32u

struct err;
struct retrace_pattern;

/* One wildcard that took part: its letter, and where it stands. */
struct retrace_match { char wildcard; struct text text; };

/* ERR_BAD_REQUEST: it is none, has groups of its own, or too many wildcards. */
int  retrace_pattern_new(struct retrace_pattern **pattern, const char *regex, bool is_r8, struct err *err)
	__attribute__((warn_unused_result));
void retrace_pattern_free(struct retrace_pattern *pattern);
/* The whole line; how many took part, in the order of the expression, or -1: no match. */
int  retrace_pattern_match(struct retrace_pattern *pattern, struct text line,
			   struct retrace_match matches[RETRACE_WILDCARDS_MAX]);

#endif
