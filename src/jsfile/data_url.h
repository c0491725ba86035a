/*
 * data_url -- what a data: URL holds (RFC 2397, as browsers read it).  Private to jsfile.
 */
#ifndef JSFILE_DATA_URL_H
#define JSFILE_DATA_URL_H

#include "base/text.h"

struct err;

/* Is it meant to be one? */
bool data_url_is(struct text url);
/* Its contents, whatever its media type says: at most url.size bytes are written to `out`.  ERR_MALFORMED:
 * it has no comma, or its base64 is none. */
int data_url_decode(struct text url, char *out, size_t *size, struct err *err)
	__attribute__((warn_unused_result));

#endif
