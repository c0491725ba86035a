/*
 * url -- an absolute URL split into its parts (RFC 3986, section 3): "scheme://user@host:port/path?query#fragment".
 *
 * Nothing is decoded, changed or judged: parts are slices of the text, and whoever connects
 * somewhere or shows a part decides what it accepts.
 */
#ifndef BASE_URL_H
#define BASE_URL_H

#include "base/text.h"

struct buf;

struct url_parts {
	struct text scheme;          /* "https", as written */
	struct text user;            /* "name:password": up to the authority's last '@'; bytes NULL: none */
	struct text host_port;       /* "[::1]:8080": both as they stand */
	struct text host;            /* "[::1]" with its brackets; may be empty */
	struct text port;            /* behind the colon; empty: none */
	struct text path;            /* "/a/b", or empty */
	struct text tail;            /* "?query#fragment", or empty */
};

enum url_syntax {
	URL_RFC3986,                 /* '/', '?' and '#' end the authority, as libcurl has it */
	URL_WHATWG,                  /* so does '\\', as browsers have it */
};

/* false: it has no "scheme://".  Who checks a host that somebody else connects to asks with the
 * syntax of the one who connects: "https://a\\@b" is b for libcurl and a for browsers. */
bool url_parse(struct text url, enum url_syntax syntax, struct url_parts *parts)
	__attribute__((warn_unused_result));

/* Length of the scheme that an absolute URI begins with; 0: it begins with none. */
size_t url_scheme_size(struct text url);

/* What is left without "~", or without scheme and host: from the first '/' behind "://", everything
 * behind it where there is none.  A text that is no URL stays as it is. */
struct text url_strip_host(struct text url);

/* The port it names, else that of its scheme: "443" of https, "80" of all others. */
struct text url_port(const struct url_parts *parts);

/* Percent-decoding (section 2.1): writes at most text.size bytes to `out` and says how many.  What is
 * no escape ("%zz") stays as it is; NULs and slashes may come of it. */
size_t url_unescape(struct text coded, char *out);

/* Percent-encodes all but the unreserved characters (section 2.3) and those of `more`. */
void url_add_escaped(struct buf *out, struct text text, const char *more);

/* Escapes all but what may stand in a path as it is ("/" too), with a NUL at the end: `out` has
 * URL_ESCAPED_PER_BYTE times text.size + 1 bytes. */
#define URL_ESCAPED_PER_BYTE 3u
void url_escape_path(struct text text, char *out);

#endif
