/*
 * base64 -- bytes as letters (RFC 4648 sections 4 and 5).
 */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Room for the text of `size` bytes, its NUL included. */
#define BASE64_TEXT_BYTES(size) (((size) + 2) / 3 * 4 + 1)

/* The alphabet of section 4, padded. */
void base64_format(const void *bytes, size_t size, char *out);
/* The alphabet for URLs (section 5), not padded. */
void base64_format_url(const void *bytes, size_t size, char *out);
/* The six bits of a letter of section 4; -1: it is none. */
int base64_value(char c);
/* Either alphabet, not both; padded whole or not at all.  False: it is none, has bits beyond its
 * last byte, or is of more than `capacity` bytes. */
bool base64_parse(struct text text, void *out, size_t capacity, size_t *size);

#endif
