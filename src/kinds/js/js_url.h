/*
 * js_url -- URLs and file names of JavaScript, as its tools write them: joined, stripped, told as modules.
 * Pure; results lie in the arena or in what was given.
 *
 * May include: base.
 */
#ifndef KINDS_JS_JS_URL_H
#define KINDS_JS_JS_URL_H

#include "base/text.h"

struct arena;

/* `right` as seen from `base`; TEXT_NONE: no memory. */
struct text js_url_join(struct text base, struct text right, struct arena *arena);

/* What an artifact of that URL may be filed under, the likeliest first; how many; 0: no memory. */
#define JS_URL_CANDIDATES 4u
size_t js_url_candidates(struct text url, struct arena *arena, struct text out[JS_URL_CANDIDATES]);

/* A file name that a bundler wrote ("webpack:///./src/x.js"), as people know it; a slice, or of the arena.
 * TEXT_NONE: no memory. */
struct text js_url_fix_webpack(struct text name, struct arena *arena);
struct text js_url_fix_turbopack(struct text name, struct arena *arena);

/* The module of a file: its path without what servers and tools put around it; a slice. */
struct text js_url_module(struct text url);

/* Repeated components of a function's name told once: "foo.foo.foo" as "{foo#2}.foo".  TEXT_NONE: no
 * memory. */
struct text js_name_fold(struct text name, struct arena *arena);

#endif
