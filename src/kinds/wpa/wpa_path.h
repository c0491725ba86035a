/*
 * wpa_path -- requests of the SymCache protocol of Windows Performance Analyzer, read (doc/api/symcache.md):
 * the path VERSION/NAME/ID[/AGE], and the headers.
 *
 * Pure, and everything in it is hostile.  May include: base.
 */
#ifndef KINDS_WPA_WPA_PATH_H
#define KINDS_WPA_WPA_PATH_H

#include "base/debugid.h"
#include "base/semver.h"

struct arena;
struct err;

struct wpa_path {
	struct semver version;
	struct text name;            /* of the PDB: no separators, no drive, no controls, not "." or "..", valid
	                                UTF-8, at most LIMIT_FILE_NAME_BYTES; in the arena */
	struct debugid id;           /* GUID and age */
};

/* 1: it is one; 0: no file has such a path; -1: no memory.  `path` is as it was sent, from the first digit of
 * the version on. */
int wpa_path_read(struct text path, struct arena *arena, struct wpa_path *out, struct err *err)
	__attribute__((warn_unused_result));

/* A GUID in any form that .NET reads: 32 digits, with hyphens, in braces, in parentheses, {0x...,...}. */
bool wpa_guid_read(struct text text, uint8_t uuid[DEBUGID_UUID_BYTES]);

/* If-Version-Exceeds: the sentence that refuses it; NULL: *exceeds is what it says. */
const char *wpa_exceeds_read(struct text value, const struct semver *requested, struct semver *exceeds);
#define WPA_EXCEEDS_TWICE "Only one If-Version-Exceeds header is permitted."

#endif
