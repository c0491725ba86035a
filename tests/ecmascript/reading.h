/*
 * reading -- texts read for the functions in them, in an arena of the test's, for the tests of ecmascript.
 */
#ifndef TESTS_ECMASCRIPT_READING_H
#define TESTS_ECMASCRIPT_READING_H

#include "base/arena.h"
#include "base/buf.h"
#include "ecmascript/ecmascript.h"
#include "support/support.h"

struct reading { struct arena arena; struct ecmascript_scopes scopes; };
extern struct reading reading;

/* A checked fixture. */
void reading_begin(void);
void reading_end(void);

/* What was read before is gone. */
void reading_must_read(struct text text);
/* Its name is added, part after part. */
void reading_add_name(const struct ecmascript_scope *scope, struct buf *out);

#endif
