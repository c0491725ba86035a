/*
 * plan_memo -- plans made before: which locations and keys come of given sources, scope, ids and
 * file types.
 *
 * A plan never changes; whoever found one holds it.  Its name is
 * all that it was made from, compared byte by byte, so one tenant's plan never answers for
 * another's.
 */
#ifndef LOOKUP_PLAN_MEMO_H
#define LOOKUP_PLAN_MEMO_H

#include "lookup/lookup.h"

struct planned {
	size_t source;                       /* index into the list */
	enum file_type type;
	struct text path, uri;
	struct cache_key key;                /* of the object's features; all but scope, source and credentials */
};

/* For all threads; a few MiB.  Planning is half of what a request costs that needs nothing made. */
struct plan_memo *plan_memo_new(void);       /* NULL out of memory */
void plan_memo_free(struct plan_memo *memo); /* NULL is fine; no work may be left */

struct plan;
size_t plan_count(const struct plan *plan);
const struct planned *plan_item(const struct plan *plan, size_t index);
void   plan_drop(struct plan *plan);         /* NULL is fine */

/* What a plan is made from, in the arena; *name TEXT_NONE: not to be remembered. */
int plan_name(const struct work *work, const struct lookup_request *request, struct arena *arena,
	      struct text *name, struct err *err) __attribute__((warn_unused_result));
/* Held; NULL: not known. */
struct plan *plan_find(struct plan_memo *memo, struct text name);
/* What cannot be remembered (too large, no memory) is planned again next time. */
void plan_keep(struct plan_memo *memo, struct text name, const struct lookup *lookup,
	       const struct source_list *sources);

#endif
