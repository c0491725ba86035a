/*
 * gcs -- a source in Google Cloud Storage: its parts, and where its token comes from.
 *
 * Private to source.
 */
#ifndef SOURCE_GCS_H
#define SOURCE_GCS_H

#include "source/bucket.h"

struct gcs {
	struct bucket bucket;
	struct text endpoint, token_uri;
	struct text bearer_token;                    /* a credential of its own; or */
	struct text private_key, client_email;       /* a service account; or */
	struct text refresh_token, client_id, client_secret;     /* a person; or, with none of
	                                              * them, this machine, where it is written to */
	bool writes;                                 /* what the token has to be good for */
};

/* gcs_credentials.c */
void gcs_name_credential(const struct source *source, uint8_t name[32]);
int  gcs_step_credential(const struct source *source, struct source_credential *credential, struct text answer,
		   struct arena *arena, struct err *err) __attribute__((warn_unused_result));
void gcs_fail_credential(struct err *err);

#endif
