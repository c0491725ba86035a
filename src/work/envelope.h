/*
 * envelope -- the envelopes of requests that are not (yet) completed (http-api.md §3.1).
 *
 * Each appends one JSON object; the buf tells when it did not fit.  May include: base.
 */
#ifndef WORK_ENVELOPE_H
#define WORK_ENVELOPE_H

#include "base/text.h"

struct buf;

void reply_pending(struct buf *reply, const char *request_id);
void reply_failed(struct buf *reply, struct text message);
void reply_timeout(struct buf *reply);
void reply_internal(struct buf *reply);

#endif
