/*
 * envelope -- the envelopes of requests that are not (yet) completed.
 *
 * Each appends one JSON object; the buf tells when it did not fit.  May include: base.
 */
#ifndef WORK_ENVELOPE_H
#define WORK_ENVELOPE_H

#include "base/text.h"

struct buf;

void envelope_pending(struct buf *reply, const char *request_id);
void envelope_failed(struct buf *reply, struct text message);
void envelope_timeout(struct buf *reply);
void envelope_internal(struct buf *reply);

#endif
