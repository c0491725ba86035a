/*
 * source_contexts -- lines around a frame: from the sources of a module, or from a file a source
 * link names.  Private to the native kind.
 *
 *	modules of the frames -> their source objects -> contexts, links -> files -> contexts
 */
#ifndef KINDS_NATIVE_SOURCE_CONTEXTS_H
#define KINDS_NATIVE_SOURCE_CONTEXTS_H

#include "kinds/native/native.h"

/* The source cache of the object chosen for sources.  READY: module->sources is settled. */
enum resolved source_contexts_fetch(struct symbolication *native, struct native_module *module,
				    struct resolver *resolver, struct err *err);

/* Quotes what the modules' sources hold and notes what has to be fetched.  WAIT: a cache was
 * damaged, its module is on its way again. */
enum resolved source_contexts_look_up(struct symbolication *native, struct resolver *resolver,
				      struct err *err);

/* The files links lead to.  READY: all are settled, and what they hold is quoted. */
enum resolved source_contexts_follow_links(struct symbolication *native,
					   struct resolver *resolver, struct err *err);

/* quote.c: the line and those around it; `frame` is left alone when there is no such line. */
int native_frame_quote(struct native_frame *frame, const struct sourcecache_source *source,
		       struct arena *arena, struct err *err) __attribute__((warn_unused_result));
/* Where a frame is, if it says so. */
bool native_frame_place(const struct native_frame *frame, struct text *path, uint32_t *line);

#endif
