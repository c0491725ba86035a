/* symbols_failure -- what went wrong, as those who upload symbols are told.  Private to these kinds. */
#ifndef KINDS_SYMBFILE_SYMBOLS_FAILURE_H
#define KINDS_SYMBFILE_SYMBOLS_FAILURE_H

#include "base/text.h"

struct buf;

/* As request_kind.failure. */
void symbols_failure(int status, struct text text, const char *id, struct buf *reply);

#endif
