/*
 * s3 -- an S3 source: its parts, what its errors mean, and where its keys come from.
 *
 * Private to source.
 */
#ifndef SOURCE_S3_H
#define SOURCE_S3_H

#include "source/bucket.h"

struct s3 {
	struct bucket bucket;
	struct text region;
	struct text endpoint;                /* TEXT_NONE: Amazon's own */
	struct text access_key, secret_key, session_token;
	bool of_container;                   /* the keys come from this machine's metadata service or environment */
};

struct s3_keys { struct text access_key, secret_key, session_token; };

/* s3_error.c: the XML of an error response. */
fetch_judge_fn s3_judge;

/* s3_credentials.c: the container's or, for the operator's own sources, the machine's credentials. */
void s3_name_credential(const struct source *source, uint8_t name[32]);
int  s3_step_credential(const struct source *source, struct source_credential *credential, struct text answer,
		  struct arena *arena, struct err *err) __attribute__((warn_unused_result));
void s3_fail_credential(struct err *err);
void s3_keys_of_credential(struct text credential, struct s3_keys *keys);

#endif
