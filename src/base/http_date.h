/*
 * http_date -- times as HTTP writes them (RFC 9110 section 5.6.7).
 */
#ifndef BASE_HTTP_DATE_H
#define BASE_HTTP_DATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define HTTP_DATE_BYTES 32u

/* "Sun, 06 Nov 1994 08:49:37 GMT", of years 1970 to 9999. */
void http_date_format(int64_t unix_seconds, char out[HTTP_DATE_BYTES]);
/* Any of the three forms a sender may use; false when it is none of them. */
bool http_date_parse(struct text text, int64_t *unix_seconds);

#endif
