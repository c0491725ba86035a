/*
 * sigv4 -- presigned addresses by AWS Signature Version 4, the query form.
 *
 * Private to source.  Pure: the time comes from outside.
 */
#ifndef SOURCE_SIGV4_H
#define SOURCE_SIGV4_H

#include <stdint.h>

#include "base/text.h"

struct buf;

struct sigv4 {
	struct text method;                  /* "GET" */
	struct text access_key, secret_key;
	struct text session_token;           /* empty: none */
	struct text region;
	int64_t now;                         /* unix seconds */
	unsigned expires_seconds;
	struct text last;                    /* a parameter that sorts behind all others, or empty */
};

/* Appends the query that opens https://host/path to that method; the path is encoded already. */
void sigv4_presign(const struct sigv4 *sigv4, struct text host, struct text path,
		   struct buf *query);

#endif
