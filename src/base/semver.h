/*
 * semver -- versions "3.1.0" and "3.2.0-rc1" (Semantic Versioning 1.0.0), as the SymCache protocol of
 * Windows Performance Analyzer has them.
 */
#ifndef BASE_SEMVER_H
#define BASE_SEMVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define SEMVER_MAJOR_MAX 65535u
#define SEMVER_MINOR_MAX 255u            /* and of a patch */
#define SEMVER_TEXT_BYTES 16u            /* "65535.255.255" and its NUL */

struct semver {
	uint32_t major, minor, patch;
	struct text pre;             /* "rc1"; empty: none.  A slice of what was read */
};

/* The first version in `text`, whatever stands around it ("v3.1.0", "3.1.0, 3.2.0").  false: there is
 * none, or a number of it is too large. */
bool semver_find(struct text text, struct semver *version);
/* The same where nothing but the three numbers, and perhaps a "v" before them, may stand. */
bool semver_read(struct text text, struct semver *version);
/* < 0, 0, > 0.  A version with something behind the hyphen comes before the one without. */
int semver_compare(const struct semver *a, const struct semver *b);
/* Without what is behind the hyphen. */
void semver_format(const struct semver *version, char out[SEMVER_TEXT_BYTES]);

#endif
