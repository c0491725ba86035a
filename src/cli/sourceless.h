/*
 * sourceless -- a crash file answered where there is no source that could have anything: without a
 * database, downloads and entries, by the same request kind.
 *
 * What its cell asks for the kind looks up as ever, and finds nowhere.
 */
#ifndef CLI_SOURCELESS_H
#define CLI_SOURCELESS_H

#include "base/buf.h"
#include "work/work.h"

struct nursery;

struct sourceless {
	struct resolver resolver;
	struct work work;
	struct source_list none;
	struct nursery *nursery;
	int fd;                      /* of the crash file, borrowed */
	struct buf report;           /* what its cell found */
	int output_fd;               /* what came packed, or an empty file */
	struct err failure;          /* why there is none */
};

/* Walks the file's stacks by what stands in it.  Release it whatever came of it. */
int  sourceless_walk(struct sourceless *alone, const struct request_kind *kind,
		     const struct config *config, struct nursery *nursery,
		     const struct work_body *body, const char *operation, struct err *err)
	__attribute__((warn_unused_result));
/* The reply to what was walked. */
int  sourceless_answer(struct sourceless *alone, struct buf *reply, struct err *err)
	__attribute__((warn_unused_result));
void sourceless_release(struct sourceless *alone);

#endif
