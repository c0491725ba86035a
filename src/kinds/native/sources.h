/*
 * sources -- lines around a frame (native-symbolication.md §8): from the sources of a module,
 * or from a file a source link names.  Private to this component.
 *
 *	modules of the frames -> their source objects -> contexts, links -> files -> contexts
 */
#ifndef KINDS_NATIVE_SOURCES_H
#define KINDS_NATIVE_SOURCES_H

#include "kinds/native/native.h"

/* The source cache of the object chosen for sources.  READY: module->sources is settled. */
enum resolved sources_fetch(struct native *native, struct module *module,
			    const struct tried *winner, struct resolver *resolver,
			    struct err *err);

/* Quotes what the modules' sources hold and notes what has to be fetched.  WAIT: a cache was
 * damaged, its module is on its way again. */
enum resolved contexts_look_up(struct native *native, struct resolver *resolver,
			       struct err *err);

/* The files links lead to.  READY: all are settled, and what they hold is quoted. */
enum resolved links_resolve(struct native *native, struct resolver *resolver, struct err *err);

/* A held_open_fn; payload is a struct sourcecache. */
int sources_open(void *payload, struct text bytes, struct err *damage);
void sources_release(struct module *module);

/* links.c: the link of that URL, made when there is none yet; NULL: no memory, or more links
 * than one request may follow (err says which; ERR_NONE for the latter). */
struct source_link *link_for(struct native *native, struct module *module, struct text url,
			     struct err *err);

/* origins.c: may the headers of the request go to that URL? (js.md §5.1) */
bool origins_allow(const struct cJSON *origins, struct text url);
/* The URL as it is fetched and shown, in the arena; TEXT_NONE when it is none of the web. */
int url_normalise(struct text url, struct arena *arena, struct text *normal, struct err *err)
	__attribute__((warn_unused_result));

/* quote.c: the line and those around it; `frame` is left alone when there is no such line. */
int frame_quote(struct frame *frame, const struct sourcecache_source *source,
		struct arena *arena, struct err *err) __attribute__((warn_unused_result));
/* Where a frame is, if it says so. */
bool frame_place(const struct frame *frame, struct text *path, uint32_t *line);

#endif
