/*
 * sources -- arrays of sources as the tests of this folder write them.
 */
#ifndef TESTS_SOURCE_SOURCES_H
#define TESTS_SOURCE_SOURCES_H

#include "base/arena.h"
#include "base/err.h"
#include "config/config.h"
#include "source/source.h"

extern const struct config sources_no_roots;

/* In memory that stays, with " for every '. */
char *sources_quoted(const char *json);
/* JSON that is some; what it says may be refused. */
int sources_parse(const char *json, enum source_origin origin, const struct config *config,
		  struct arena *arena, struct source_list *list, struct err *err);
/* The source of this object, with ' for ", which must be one. */
struct source *sources_one(const char *json, enum source_origin origin, struct arena *arena);

#endif
