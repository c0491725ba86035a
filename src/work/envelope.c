/* envelope.c -- see envelope.h. */
#include "work/envelope.h"

#include "base/buf.h"
#include "base/json_writer.h"
#include "base/limits.h"

static void begin(struct json_writer *json, struct buf *reply, const char *status)
{
	json_writer_init(json, reply);
	json_object(json);
	json_member_string(json, "status", status);
}

void envelope_pending(struct buf *reply, const char *request_id)
{
	struct json_writer json;

	begin(&json, reply, "pending");
	json_member_string(&json, "request_id", request_id);
	json_member_u64(&json, "retry_after", LIMIT_RETRY_AFTER_SECONDS);
	json_object_end(&json);
}

void envelope_failed(struct buf *reply, struct text message)
{
	struct json_writer json;

	begin(&json, reply, "failed");
	json_member_text(&json, "message", message);
	json_object_end(&json);
}

void envelope_timeout(struct buf *reply)
{
	struct json_writer json;

	begin(&json, reply, "timeout");
	json_object_end(&json);
}

void envelope_internal(struct buf *reply)
{
	struct json_writer json;

	begin(&json, reply, "internal_error");
	json_object_end(&json);
}
