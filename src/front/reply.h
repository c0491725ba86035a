/*
 * reply -- what is answered to one request: status, headers, and a body in memory or of a file.
 *
 * Private to front.
 */
#ifndef FRONT_REPLY_H
#define FRONT_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/reply_body.h"

struct answer_head;
struct config;
struct err;
struct request;
struct writer;

/* Retry-After: shorter when requests are in the way, longer when a disk or a database is. */
#define RETRY_BUSY_SECONDS 2u
#define RETRY_BROKEN_SECONDS 10u

#define SENDFILE_PATH_BYTES 256u         /* of a blob, relative to cache_dir */

#define REPLY_HEADERS_MAX 16u
#define REPLY_HEADER_BYTES 4096u         /* of all values, and of names that are copied */

struct reply_header { const char *name, *value; };

struct reply {
	int status;                          /* HTTP */
	const char *content_type;            /* NULL: no body */
	struct reply_header headers[REPLY_HEADERS_MAX];
	size_t header_count;
	char header_bytes[REPLY_HEADER_BYTES];
	size_t header_bytes_used;
	struct reply_body body;
	const char *etag;                    /* among the headers, in its quotes; NULL: none */
	int64_t modified_at;                 /* Unix seconds; 0: not told */
	bool has_parts;                      /* range requests are allowed */
	bool is_handed_over;                 /* the web server sends a file instead of the body */
	bool parked;                         /* the request belongs to the parker or a lane now: send nothing */
};

void reply_init(struct reply *reply);
void reply_reset(struct reply *reply);
void reply_release(struct reply *reply);

/* Sets it, instead of one of that name; the value is copied.  What would not fit, or would end the
 * line, is left out. */
void reply_header(struct reply *reply, const char *name, const char *value);
/* Is there room for one more header, with a value of so many bytes? */
bool reply_has_room(const struct reply *reply, size_t value_bytes);
/* The same of texts that need not stay, name and all. */
void reply_header_texts(struct reply *reply, struct text name, struct text value);
/* Status, type and headers of it. */
void reply_take_head(struct reply *reply, const struct answer_head *head);

/* --- Whole replies --------------------------------------------------------------------------- */

void reply_empty(struct reply *reply, int status);
/* "Method Not Allowed" */
const char *reply_reason(int status);
void reply_text(struct reply *reply, int status, const char *text);
/* Empties the body: whoever gets it writes the JSON of a 200. */
struct buf *reply_json(struct reply *reply);
/* {"detail": "..."} */
void reply_detail(struct reply *reply, int status, const char *detail);
/* {"detail": "...", "causes": ["..."]} */
void reply_detail_cause(struct reply *reply, int status, const char *detail, const char *cause);
/* Bytes that stay as they are until release(payload) is called: in any thread, once. */
void reply_bytes(struct reply *reply, const char *content_type, struct text bytes,
		 reply_release_fn *release, void *payload);
/* `size` bytes of that file from `offset` on.  The descriptor is the reply's from here on; it is
 * read while the reply is sent, and a file that has become shorter cuts the reply. */
void reply_file(struct reply *reply, const char *content_type, int fd, uint64_t offset, uint64_t size);
/* 302, 303 (get the answer there) or 307. */
void reply_redirect(struct reply *reply, int status, const char *location);
/* 503 with words; whoever comes again should wait so long. */
void reply_busy(struct reply *reply, unsigned retry_after_seconds, const char *detail);
/* The body says why: 503, and when to ask again. */
void reply_not_ready(struct reply *reply);
/* As its kind says: 400 422 plain, 413 415 plain, 503 (busy, our disk or database) and 500 JSON. */
void reply_error(struct reply *reply, const struct err *err);

/* --- What may be asked of a 200 ---------------------------------------------------------------- */

/* Tells its ETag (without quotes; NULL: none) and Last-Modified (0: none): whoever has it already is
 * answered 304. */
void reply_validators(struct reply *reply, const char *etag, int64_t modified_at);
/* One part of it may be asked for: 206, or 416. */
void reply_allow_parts(struct reply *reply);
/* Answers what was asked for by condition and in parts (RFC 9110 sections 13 and 14): of a 200 to GET
 * or HEAD with validators or parts; nothing else changes. */
void reply_meet_conditions(struct reply *reply, const struct request *request);

/* --- sendfile.c: files the web server sends itself --------------------------------------------- */

/* Is its body all of a file of cache_dir that the web server may be told of (front.sendfile)?  Then
 * parts are the web server's business too. */
bool reply_may_hand_over(const struct config *config, const struct reply *reply, char *path, size_t capacity);
/* Names that file instead of sending it.  `path` is below cache_dir, relative to it. */
void reply_hand_over(const struct config *config, struct reply *reply, const char *path);

/* --- Sending ------------------------------------------------------------------------------------ */

/* cors.c: what every reply says: whose request it answers, and who else may see it. */
void reply_sign(const struct config *config, const struct request *request, struct reply *reply);
/* Sends and closes, or hands both to the writer; the reply's body is empty then.
 * The request's words stay until request_end(). */
void reply_send(struct writer *writer, struct request *request, struct reply *reply);

#endif
