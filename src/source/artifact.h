/*
 * artifact -- files of a JavaScript release: what a server is asked about one, and the paths it is
 * kept under in a store of one's own (doc/layouts.md).
 *
 * Private to source.
 */
#ifndef SOURCE_ARTIFACT_H
#define SOURCE_ARTIFACT_H

#include "source/source.h"

struct buf;

/* The part of a URL that a file keeps from its source to its minified form: without the scheme and
 * host, the query, ".min", ".js", ".map" and the like.  A slice of the URL. */
struct text artifact_stem(struct text url);

/* Blocks of paths, see struct source_layout_block.  Release and dist are one component of a path
 * each, in which '/', '\\', '%' and a leading '.' or '~' are written "%2F"; the path is the URL's as
 * it stands, nothing in it is decoded. */
bool artifact_build_release(const struct source_query *query, bool ssqp, struct buf *out);
bool artifact_build_host(const struct source_query *query, bool ssqp, struct buf *out);
bool artifact_build_path(const struct source_query *query, bool ssqp, struct buf *out);

#endif
