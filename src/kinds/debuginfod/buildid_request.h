/*
 * buildid_request -- what GET /buildid/... asks for: the path taken apart as debuginfod does, and the
 * headers that count.  Private to kinds/debuginfod.
 */
#ifndef KINDS_DEBUGINFOD_BUILDID_REQUEST_H
#define KINDS_DEBUGINFOD_BUILDID_REQUEST_H

#include <stdint.h>

#include "base/text.h"

struct arena;
struct err;

enum buildid_artifact {
	BUILDID_DEBUGINFO, BUILDID_EXECUTABLE, BUILDID_SOURCE, BUILDID_SECTION, BUILDID_ARTIFACTS
};

#define BUILDID_DIGITS_MAX 128u          /* as debuginfod's clients have it */

struct buildid_request {
	enum buildid_artifact artifact;
	struct text id;                      /* lower-case hex, an even number of digits */
	struct text name;                    /* of a section; of a source the path as it was sent */
	struct text canonical;               /* of a source: without dot segments and double slashes */
	uint64_t bytes_max;                  /* X-DEBUGINFOD-MAXSIZE; 0: any size will do */
	struct text forwarded_for, via, peer;        /* headers as sent, and who sent them */
	const char *refusal;                 /* in debuginfod's words, static; NULL: it can be looked for */
};

/* The headers request_kind.headers names. */
extern const char *const buildid_headers[];

/* `body` is what a kind without a body gets: the path behind "/buildid/", "?", the query, headers.
 * What debuginfod would refuse is in `refusal`.  ERR_BAD_REQUEST: a NUL byte; else no memory. */
int buildid_request_read(struct buildid_request *request, struct text body, struct arena *arena,
			 struct err *err) __attribute__((warn_unused_result));

/* Text in the arena: dot segments (RFC 3986 section 5.2.4) and repeated slashes removed.  `path` begins with a
 * slash. */
int buildid_request_canonical(struct text path, struct arena *arena, struct text *canonical, struct err *err)
	__attribute__((warn_unused_result));

#endif
