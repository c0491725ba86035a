/*
 * federation -- debuginfod servers that ask each other: who is told that a request came by us, and when
 * it has gone far enough.  Private to kinds/debuginfod.
 */
#ifndef KINDS_DEBUGINFOD_FEDERATION_H
#define KINDS_DEBUGINFOD_FEDERATION_H

#include <stdbool.h>

#include "source/source.h"

struct arena;
struct buildid_request;
struct config;
struct err;

#define FEDERATION_HOPS_MAX 8u           /* servers a request has come by, as debuginfod has it */

struct federation {
	bool is_far;                         /* no other server is asked any more */
	const struct source_list *sources;   /* those that may be */
	const struct fetch_header *headers;  /* for other servers of this kind (source_query.federated) */
	size_t header_count;
};

/* All of it in the arena, or what was given.  no memory only. */
int federation_join(struct federation *federation, const struct buildid_request *request,
		    const struct config *config, const struct source_list *sources, struct arena *arena,
		    struct err *err) __attribute__((warn_unused_result));

#endif
