/* applecrash_internal.h -- what the files of applecrash share. */
#ifndef APPLECRASH_APPLECRASH_INTERNAL_H
#define APPLECRASH_APPLECRASH_INTERNAL_H

#include "applecrash/applecrash.h"

/* "2019-01-09 17:42:22.1234 +0100", fraction optional, zone also "+01:00". */
bool applecrash_date(struct text text, int64_t *unix_seconds);

int applecrash_read_text(struct applecrash *report, struct text text, struct arena *arena,
			 struct err *err) __attribute__((warn_unused_result));
/* Falls back to the text form where text stands behind the header. */
int applecrash_read_ips(struct applecrash *report, struct text text, struct arena *arena,
			struct err *err) __attribute__((warn_unused_result));

#endif
