/*
 * rewrite -- rules of /minidump's rewrite_first_module: regular expressions on the name of a
 * module's debug file, the first that matches applied once.
 *
 * Expressions are PCRE2's, bounded by its match limits; replacements are those of the reference
 * ($1, $name, ${name}, $$; what is not captured is empty).  May include: base.
 */
#ifndef KINDS_CRASH_REWRITE_H
#define KINDS_CRASH_REWRITE_H

#include <stddef.h>

#include "base/text.h"

struct arena;
struct err;

struct rewrite_rule { struct text from, to; };

#define REWRITE_RULES_MAX 256u
#define REWRITE_TRIES     4096u      /* of rules, for all modules of one request: half a second */

/* ERR_BAD_REQUEST: an expression that is none, with its place. */
int rewrite_check(const struct rewrite_rule *rules, size_t count, struct err *err)
	__attribute__((warn_unused_result));

/* *name becomes what the first rule that matches makes of it, in the arena.  *tries, REWRITE_TRIES at
 * first, is what is left for this request; without any names stay as they are. */
int rewrite_apply(const struct rewrite_rule *rules, size_t count, unsigned *tries,
		  struct text *name, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));

#endif
