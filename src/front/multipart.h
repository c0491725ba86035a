/*
 * multipart -- a multipart/form-data body (RFC 7578, RFC 2046 section 5.1), piece by piece.
 *
 * However the body is cut into pieces, its parts are told the same: each begins, has bytes in any
 * number of portions, and ends.  It keeps a fixed amount of memory and allocates none.
 * May include: base.  Private to front.
 */
#ifndef FRONT_MULTIPART_H
#define FRONT_MULTIPART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct err;

#define MULTIPART_BOUNDARY_MAX 70u       /* RFC 2046 */
#define MULTIPART_HEADERS_BYTES 8192u    /* of one part */
#define MULTIPART_NAME_BYTES 256u
#define MULTIPART_KEPT_BYTES 65536u      /* the largest portion of a part */
#define MULTIPART_PARTS_MAX 1024u

/* What is told of a body; each returns 0, or -1 with an error, which ends it. */
struct multipart_events {
	/* `name`: as the form calls it, without quotes; empty when it has none.  It stays until end(). */
	int (*begin)(void *payload, struct text name, struct err *err);
	int (*data)(void *payload, struct text bytes, struct err *err);
	int (*end)(void *payload, struct err *err);
	void *payload;
};

enum multipart_state { MULTIPART_PREAMBLE, MULTIPART_DELIMITER, MULTIPART_HEADERS, MULTIPART_DATA,
		       MULTIPART_EPILOGUE };

struct multipart {
	const struct multipart_events *events;
	enum multipart_state state;
	char delimiter[MULTIPART_BOUNDARY_MAX + 4];      /* "\r\n--" and the boundary */
	size_t delimiter_size;
	char name[MULTIPART_NAME_BYTES];
	size_t name_size;
	unsigned parts;
	size_t searched;             /* of `kept`: what is looked for does not begin before */
	size_t kept_size;
	char kept[MULTIPART_KEPT_BYTES];                 /* what is not told yet */
};

/* The boundary a Content-Type names; false when it is not multipart/form-data with a usable one. */
bool multipart_boundary(struct text content_type, struct text *boundary);

/* The events stay as long. */
void multipart_init(struct multipart *multipart, struct text boundary,
		    const struct multipart_events *events);
/* ERR_BAD_REQUEST, or what an event said. */
int  multipart_add(struct multipart *multipart, struct text bytes, struct err *err)
	__attribute__((warn_unused_result));
/* Nothing more comes: ERR_BAD_REQUEST when something is missing. */
int  multipart_end(const struct multipart *multipart, struct err *err)
	__attribute__((warn_unused_result));

#endif
