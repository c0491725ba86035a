/*
 * bucket -- what s3 and gcs have in common: a bucket, a prefix, and names made of both.
 *
 * Private to source.
 */
#ifndef SOURCE_BUCKET_H
#define SOURCE_BUCKET_H

#include "source/kind.h"

struct bucket {
	struct text name;
	struct text prefix;          /* without slashes at either end */
	bool trusted;                /* named by the operator */
};

int bucket_parse(struct bucket *bucket, const struct shape *shape,
		 const struct source_setup *setup, struct err *err)
	__attribute__((warn_unused_result));

/* "prefix/path": the object's key as it is. */
void bucket_add_key(const struct bucket *bucket, struct text path, struct buf *out);

/* SCHEME://bucket/key, percent-encoded. */
int bucket_name(const struct bucket *bucket, const char *scheme, struct text path,
		struct arena *arena, struct text *uri, struct err *err)
	__attribute__((warn_unused_result));

/* Keeps what was written in the arena, NUL-ended, and gives the buffer back. */
int bucket_keep(struct buf *made, struct arena *arena, struct text *text, struct err *err)
	__attribute__((warn_unused_result));

#endif
