/*
 * manifest -- manifest.json of a source bundle, as sentry-cli writes it.  Private to this folder.
 */
#ifndef OBJECT_BUNDLE_MANIFEST_H
#define OBJECT_BUNDLE_MANIFEST_H

#include <stddef.h>

#include "object/object.h"

struct arena;
struct cJSON;
struct err;

struct manifest_file {
	struct text zip_path, path, url;     /* path, url: may be TEXT_NONE */
	enum object_source_type type;
	struct text_map headers;             /* names in lower case */
};

struct manifest {
	struct cJSON *json;          /* owns all texts; the pairs are in the arena */
	struct manifest_file *files; /* by zip path, ascending */
	size_t file_count;
};

/* The bytes are not needed afterwards. */
int manifest_read(struct manifest *manifest, struct text json, struct arena *arena,
		  struct err *err) __attribute__((warn_unused_result));
void manifest_release(struct manifest *manifest);

/* "debug_id", "arch", ...; TEXT_NONE when it is not there. */
struct text manifest_attribute(const struct manifest *manifest, const char *name);

/* The value of a header; the last of two with one name; TEXT_NONE when there is none. */
struct text manifest_header(const struct manifest_file *file, const char *name);

/* Each of source_links; nonzero of fn stops. */
int manifest_each_link(const struct manifest *manifest,
		       int (*fn)(void *payload, struct text pattern, struct text url,
				 struct err *err), void *payload, struct err *err);

#endif
