/*
 * base_url -- base addresses of sources, taken apart and put together with a path.
 *
 * Private to source.  Names and passwords inside an address are kept apart: a location is
 * shown to people, they are not.
 */
#ifndef SOURCE_BASE_URL_H
#define SOURCE_BASE_URL_H

#include "base/text.h"

struct arena;
struct buf;

#define URL_BYTES ((size_t)64 * 1024)

struct base_url {                             /* all in the arena */
	struct text origin;                  /* "https://example.org:8080", lower case */
	struct text host_port;               /* "example.org:8080": the end of the origin */
	struct text user;                    /* "name:password", as written; TEXT_NONE: none */
	struct text path;                    /* "/base/": begins with a slash */
	struct text tail;                    /* "?query#fragment", or empty */
};

/* NULL, or what is wrong with it ("" when memory is short). */
const char *base_url_parse(struct text text, struct arena *arena, struct base_url *url);

/* Can it be asked at all? */
bool base_url_is_http(const struct base_url *url);

/* The origin; "https://name:password@example.org" on demand. */
void base_url_add_origin(const struct base_url *url, bool with_user, struct buf *out);

/* `url` with the non-empty components of `path` appended; credentials on demand. */
void base_url_join(const struct base_url *url, struct text path, bool with_user, struct buf *out);

/* Percent-encodes what may not stand in one component of a path. */
void base_url_add_segment(struct buf *out, struct text segment);

#endif
