/*
 * apikey -- the keys that we gave out: who has one may send us files.
 *
 * A key is an id, which is no secret, and 256 random bits, of which the database holds the SHA-256:
 * whoever reads the database cannot use what is in it.  What a client sends is
 * `Authorization: APIKey base64(id:secret)`; it is shown once, when it is made.  A row is read for each
 * check, so that a revoked key is refused from the next request on, by every process.
 *
 * May include: base, store.
 */
#ifndef APIKEY_APIKEY_H
#define APIKEY_APIKEY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct err;
struct store;

#define APIKEY_ID_BYTES     21u      /* 20 letters and a NUL */
#define APIKEY_SECRET_BYTES 44u      /* 43 letters and a NUL */
#define APIKEY_TOKEN_BYTES  89u      /* what follows `APIKey `, with a NUL */
#define APIKEY_NAME_BYTES   65u      /* with a NUL */

/* Which key it was, for the log. */
struct apikey_holder { char id[APIKEY_ID_BYTES], name[APIKEY_NAME_BYTES]; };

enum apikey_verdict {
	APIKEY_VALID,
	APIKEY_MISSING,              /* no header, or one of another scheme */
	APIKEY_MALFORMED,            /* not base64 of id:secret */
	APIKEY_UNKNOWN,              /* no such id, or another secret */
	APIKEY_REVOKED,
	APIKEY_VERDICTS
};
/* "missing", "malformed", ...: for logs and metrics. */
const char *apikey_verdict_name(enum apikey_verdict verdict);

/*
 * May who sent this value of the header Authorization?  The scheme is `APIKey` or `Bearer`, whatever
 * its case.  The use is noted, to the minute.  *holder is filled for a valid and a revoked key, else
 * empty.  -1: the database could not be asked, and nobody may.
 */
int apikey_check(struct store *store, struct text authorization, int64_t now, enum apikey_verdict *verdict,
		 struct apikey_holder *holder, struct err *err) __attribute__((warn_unused_result));

/* A new key.  The name is 1 to 64 printable bytes of UTF-8 (ERR_BAD_REQUEST), and no valid key's yet
 * (ERR_BUSY). */
int apikey_create(struct store *store, struct text name, int64_t now, char id[APIKEY_ID_BYTES],
		  char token[APIKEY_TOKEN_BYTES], struct err *err) __attribute__((warn_unused_result));

/* By id, or the valid one of that name.  1, 0: there is none, or it was revoked before; -1. */
int apikey_revoke(struct store *store, struct text name_or_id, int64_t now, struct err *err)
	__attribute__((warn_unused_result));

/* Every key, the newest first; texts are valid until the callback returns, nonzero from it stops. */
struct apikey_line {
	struct text id, name;
	int64_t created_at, used_at, revoked_at;         /* unix seconds; 0: never */
};
typedef int apikey_line_fn(void *payload, const struct apikey_line *line);
int apikey_list(struct store *store, apikey_line_fn *fn, void *payload, struct err *err)
	__attribute__((warn_unused_result));

#endif
