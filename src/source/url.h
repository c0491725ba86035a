/*
 * url -- base addresses of sources, taken apart and put together with a path.
 *
 * Private to source.  Names and passwords inside an address are kept apart: a location is
 * shown to people, they are not.
 */
#ifndef SOURCE_URL_H
#define SOURCE_URL_H

#include "base/text.h"

struct arena;
struct buf;

#define URL_BYTES ((size_t)64 * 1024)

struct url {                             /* all in the arena */
	struct text origin;                  /* "https://example.org:8080", lower case */
	struct text user;                    /* "name:password", as written; TEXT_NONE: none */
	struct text path;                    /* "/base/": begins with a slash */
	struct text tail;                    /* "?query#fragment", or empty */
};

/* NULL, or what is wrong with it ("" when memory is short). */
const char *url_split(struct text text, struct arena *arena, struct url *url);

/* Can it be asked at all? */
bool url_is_http(const struct url *url);

/* `url` with the non-empty components of `path` appended; credentials on demand. */
void url_join(const struct url *url, struct text path, bool with_user, struct buf *out);

/* Percent-encodes what may not stand in one component of a path. */
void url_add_segment(struct buf *out, struct text segment);

#endif
