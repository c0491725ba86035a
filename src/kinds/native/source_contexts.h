/*
 * source_contexts -- lines around a frame: from the sources of a module, or from a file a source
 * link names.  Private to the native kind.
 *
 *	modules of the frames -> their source objects -> contexts, links -> files -> contexts
 */
#ifndef KINDS_NATIVE_SOURCE_CONTEXTS_H
#define KINDS_NATIVE_SOURCE_CONTEXTS_H

#include "kinds/native/symbolication.h"

/* The source cache of the object chosen for sources.  READY: module->sources is settled. */
enum resolved source_contexts_fetch(struct symbolication *native, struct native_module *module,
				    const struct candidate *winner, struct resolver *resolver,
				    struct err *err);

/* Quotes what the modules' sources hold and notes what has to be fetched.  WAIT: a cache was
 * damaged, its module is on its way again. */
enum resolved source_contexts_look_up(struct symbolication *native, struct resolver *resolver,
				      struct err *err);

/* The files links lead to.  READY: all are settled, and what they hold is quoted. */
enum resolved source_links_resolve(struct symbolication *native, struct resolver *resolver,
				   struct err *err);

/* A held_open_fn; payload is a struct sourcecache. */
int source_contexts_open(void *payload, struct text bytes, struct err *damage);
void source_contexts_release(struct native_module *module);

/* links.c: the link of that URL, made when there is none yet; NULL: no memory, or more links
 * than one request may follow (err says which; ERR_NONE for the latter). */
struct source_link *source_link_for(struct symbolication *native, struct native_module *module,
				    struct text url,
				    struct err *err);

/* origins.c: may the headers of the request go to that URL? */
bool origins_allow(const struct cJSON *origins, struct text url);
/* The URL as it is fetched and shown, in the arena; TEXT_NONE when it is none of the web. */
int url_normalise(struct text url, struct arena *arena, struct text *normal, struct err *err)
	__attribute__((warn_unused_result));

/* quote.c: the line and those around it; `frame` is left alone when there is no such line. */
int native_frame_quote(struct native_frame *frame, const struct sourcecache_source *source,
		       struct arena *arena, struct err *err) __attribute__((warn_unused_result));
/* Where a frame is, if it says so. */
bool native_frame_place(const struct native_frame *frame, struct text *path, uint32_t *line);

#endif
