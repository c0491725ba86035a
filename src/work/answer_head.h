/*
 * answer_head -- what is said of an answer before its bytes: HTTP status, type, headers; and whether
 * its bytes are those of an entry of the cache, or of a file that lies where it lies.
 *
 * A kind whose answers are not JSON fills one in (work.h).  In the result of a job it stands before
 * the bytes, as lines:
 *
 *	Status: 200
 *	Content-Type: application/octet-stream
 *	Entry: objects 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
 *	File: /srv/symbols/ab/cdef.debug
 *	X-Size: 16824
 *	(an empty line)
 *
 * What only whoever opens the file knows is asked for by "Size-As: X-SIZE", a header that says how large it
 * is, "At-Most: 1000", a size above which the answer is 406, and "Dated: yes", that Last-Modified is told
 * instead of an ETag, and nobody is answered 304.
 *
 * Results that begin otherwise have none: they are JSON.  May include: base, cache.
 */
#ifndef WORK_ANSWER_HEAD_H
#define WORK_ANSWER_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "cache/cache.h"

struct buf;
struct err;

#define ANSWER_HEADERS_MAX 8u
#define ANSWER_HEAD_BYTES 4096u          /* of a whole one as lines */

struct answer_header { struct text name, value; };

struct answer_head {
	int status;                      /* HTTP */
	struct text content_type;
	struct answer_header headers[ANSWER_HEADERS_MAX];
	size_t header_count;
	bool is_entry;                   /* the bytes are what that entry holds, small or blob */
	enum cache_kind entry_kind;
	uint8_t entry_hash[HASH_SHA256_BYTES];   /* of its key's text */
	struct text file;                /* path of a file of this machine with the bytes: where there is
	                                    no entry, or no blob of it; TEXT_NONE: none */
	/* of such a file: */
	struct text size_name;           /* a header that tells its size; TEXT_NONE: none does */
	uint64_t bytes_max;              /* a larger one is answered 406; 0: none is too large */
	bool is_dated;                   /* Last-Modified instead of an ETag */
};

/* 200, application/json.  Without a content_type (TEXT_NONE) an answer has no body. */
void answer_head_init(struct answer_head *head);
/* Both stay as long as the head.  ERR_LIMIT: there are too many. */
int  answer_head_add(struct answer_head *head, struct text name, struct text value, struct err *err)
	__attribute__((warn_unused_result));
void answer_head_set_entry(struct answer_head *head, const struct cache_key *key);

/* Its lines.  ERR_LIMIT over ANSWER_HEAD_BYTES; ERR_INTERNAL when a value would end its line. */
int  answer_head_write(const struct answer_head *head, struct buf *out, struct err *err)
	__attribute__((warn_unused_result));
/* Those of a result that begins with `bytes`, ANSWER_HEAD_BYTES of it or all: *size bytes of it are the
 * head.  0 and *size 0 where there is none.  The head's texts lie in `bytes`.  ERR_MALFORMED. */
int  answer_head_read(struct answer_head *head, struct text bytes, size_t *size, struct err *err)
	__attribute__((warn_unused_result));

#endif
