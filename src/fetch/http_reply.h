/*
 * http_reply -- the head of an HTTP response, and what it means for a download.
 *
 * Pure: header lines in, a verdict out.  Private to fetch.
 */
#ifndef FETCH_HTTP_REPLY_H
#define FETCH_HTTP_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "fetch/decode.h"
#include "fetch/http_freshness.h"
#include "fetch/http_validators.h"

struct err;

#define REPLY_LOCATION_BYTES ((size_t)16 * 1024)
#define REPLY_SOURCE_MAP_BYTES ((size_t)8 * 1024)   /* a longer one is none */

struct http_reply {
	unsigned status;
	bool complete;                       /* its last header line was seen */
	char *location;                      /* NULL: none; this and source_map are given back by http_reply_clear() */
	struct fetch_validators validators;
	char *source_map;                    /* of SourceMap, else of X-SourceMap (ECMA-426); NULL: none */
	bool has_source_map;                 /* it is that of SourceMap */
	struct http_freshness freshness;
	enum content_encoding encoding;
	unsigned encoding_count;
	bool has_range;                      /* a Content-Range of use: */
	uint64_t first, last, total;
	bool has_range_header;               /* any Content-Range */
	bool has_length;
	uint64_t length;
};

void http_reply_clear(struct http_reply *reply);  /* of a zeroed one too */
/* One line of a head, with its line end.  A status line begins a new head. */
void http_reply_line(struct http_reply *reply, struct text line);

/* What is asked for: a range of the file or all of it. */
enum reply_asked { REPLY_ASKED_ALL, REPLY_ASKED_FIRST, REPLY_ASKED_PART };

enum reply_verdict {
	REPLY_WHOLE,                 /* the body is the file */
	REPLY_BEGINNING,             /* the body is [first, last] of total, first being 0 */
	REPLY_PART,                  /* what was asked for of it */
	REPLY_REDIRECT,
	REPLY_REPEAT,                /* ask again, for all of it */
	REPLY_UNCHANGED,             /* it is what we have */
	REPLY_FAILED                 /* err is set */
};
/* `is_conditional`: it was asked whether the file has changed. */
enum reply_verdict http_reply_judge(const struct http_reply *reply, enum reply_asked asked,
				    bool is_conditional, const char *host, struct err *err);

/* "404 Not Found" */
void http_reply_status_text(unsigned status, char *out, size_t capacity);

#endif
