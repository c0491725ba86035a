/*
 * proxy_path -- which file a symbol server's path asks for: "NAME/SIGNATURE/NAME", as symstore and SSQP
 * have it (doc/api/proxy.md).
 *
 * Pure: the path is hostile, and what it gives are ids and a name whose last component alone counts
 * (source/source.h).  May include: base, source.
 */
#ifndef KINDS_PROXY_PROXY_PATH_H
#define KINDS_PROXY_PROXY_PATH_H

#include "source/source.h"

struct arena;
struct err;

struct proxy_wanted {
	enum file_type type;
	struct object_ids ids;               /* both names are the path's first part, as written */
};

/* 1: it asks for that; 0: no file has such a path; -1: ERR_BAD_REQUEST when it is no UTF-8, or no memory.
 * `path` is as it was sent, escapes and all.  The texts are in the arena. */
int proxy_path_read(struct text path, struct arena *arena, struct proxy_wanted *wanted, struct err *err)
	__attribute__((warn_unused_result));

#endif
