/*
 * sourcelink -- SourceLink documents: patterns of paths, and where such files are.
 *
 * Private to object: Portable PDBs and PDBs both have them.
 *
 * May include: base.
 */
#ifndef OBJECT_SOURCELINK_H
#define OBJECT_SOURCELINK_H

#include "base/text.h"

struct err;
struct object_source_sink;

/* {"documents":{pattern:url}}, told to sink->link in their order; texts last for the call only.
 * ERR_MALFORMED: it is no such document; ERR_LIMIT: it is too long to be one. */
int sourcelink_each(struct text json, const struct object_source_sink *sink, struct err *err)
	__attribute__((warn_unused_result));

#endif
