/*
 * kind -- what each kind of source must know how to do.
 *
 * Private to source.
 */
#ifndef SOURCE_KIND_H
#define SOURCE_KIND_H

#include "source/put.h"
#include "source/shape.h"
#include "source/source.h"

/* What a source is made from besides its own JSON. */
struct source_setup {
	enum source_origin origin;
	const struct config *config;         /* outlives the sources */
	bool is_written_to;                  /* the place of a shared cache */
};

struct source_kind {
	const char *name;                    /* its `type` */
	bool is_local;                       /* files are mapped in place */
	bool is_listed;                      /* has no layout of its own: asks its server */
	int (*configure)(struct source *source, const struct shape *shape,
			 const struct source_setup *setup, struct err *err);
	/* The name of a location; NULL: no locations. */
	int (*name_location)(const struct source *source, struct text path, struct arena *arena,
			     struct text *uri, struct err *err);
	/* SOURCE_NEEDS_CREDENTIAL when there is none yet. */
	int (*reach)(const struct location *location, struct text credential, struct arena *arena,
		     enum source_access *access, int *fd, struct fetch_order *order,
		     struct err *err);
	/* See source_lacks(); NULL: there is no way to tell. */
	bool (*lacks)(const struct location *location, struct source_absences *absences);
	/* See source_find_build_id(); NULL: there is no way to look. */
	bool (*find_build_id)(const struct source *source, struct text beginning,
			      char out[SOURCE_BUILD_ID_BYTES]);
	/* See source_put(); NULL: never written to. */
	int (*put)(const struct location *location, enum source_putting putting, struct text credential,
		   struct fetch_file *file, struct arena *arena, enum source_access *access,
		   struct fetch_order *order, struct err *err);
	/* Of kinds that may need a credential: see struct source_credential. */
	void (*name_credential)(const struct source *source, uint8_t name[32]);
	int (*step_credential)(const struct source *source, struct source_credential *credential,
			 struct text answer, struct arena *arena, struct err *err);
	void (*fail_credential)(struct err *err);
};

extern const struct source_kind source_kind_http, source_kind_filesystem, source_kind_s3,
	source_kind_gcs, source_kind_sentry;

/* What opens a source is collected secret by secret, then only its keyed hash is kept; an
 * empty secret opens nothing and does not count. */
struct buf;
void source_credentials_add(struct buf *secrets, struct text secret);
int  source_credentials_store(struct source *source, const struct buf *secrets, struct err *err)
	__attribute__((warn_unused_result));

#endif
