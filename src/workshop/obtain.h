/*
 * obtain.h -- the file of a location or a link into a descriptor: opened, or downloaded, after a
 * credential when the source wants one.
 */
#ifndef WORKSHOP_OBTAIN_H
#define WORKSHOP_OBTAIN_H

#include "fetch/fetch.h"
#include "source/source.h"
#include "workshop/temporary.h"

struct arena;
struct cache_stale;
struct derive_link;
struct obtaining;

/* Called once at the end: `failure` NULL when the file is there. */
typedef void obtain_told_fn(struct obtaining *obtaining, const struct err *failure);

struct obtaining {
	struct workshop_means *means;        /* set by the caller, as are arena and told */
	struct arena *arena;
	obtain_told_fn *told;

	const struct location *location;     /* NULL: a link */
	uint64_t bytes_max;
	struct fetch *fetch;                 /* NULL: none is under way */
	struct credential_wait credential;

	struct temporary file;               /* what was obtained; the caller's to take */
	bool is_copy;                        /* it was downloaded, */
	char *source_map;                    /* and its server says where its source map is; NULL: no; */
	int64_t fresh_seconds;               /* and for how long it is to be believed; -1: it does not say; */
	struct fetch_validators validators;  /* and by what it names its version */
	bool is_unchanged;                   /* it is the version that was known: there is no file */
};

/* 1: the file is there, 0: told() is called from a later turn, -1. */
int  obtain_location(struct obtaining *obtaining, const struct location *location,
		     uint64_t bytes_max, struct err *err) __attribute__((warn_unused_result));
/* Links are never trusted to reach internal addresses, like sources named by a request. */
/* `known`: the version that is here already; NULL: none is. */
int  obtain_link(struct obtaining *obtaining, const struct derive_link *link,
		 const struct cache_stale *known, uint64_t bytes_max, struct err *err)
	__attribute__((warn_unused_result));
/* Cancels: no transfer and no file are left, told() is not called. */
void obtain_stop(struct obtaining *obtaining);

#endif
