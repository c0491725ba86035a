/* symbols_failure.c -- see symbols_failure.h. */
#include "kinds/symbfile/symbols_failure.h"

#include "base/json_writer.h"

static const struct { int status; const char *code; } codes[] = {
	{ 400, "1001" }, { 401, "1002" }, { 413, "1003" }, { 415, "1004" }, { 503, "1005" }, { 504, "1006" },
	{ 0, "1000" },
};

void symbols_failure(int status, struct text text, const char *id, struct buf *reply)
{
	struct json_writer json;
	size_t at = 0;

	while (codes[at].status != status && codes[at].status != 0)
		at++;
	json_writer_init(&json, reply);
	json_object(&json);
	json_member_bool(&json, "success", false);
	json_member_string(&json, "uuid", id);
	json_key(&json, "error");
	json_object(&json);
	json_member_string(&json, "Code", codes[at].code);
	json_member_text(&json, "Text", text);
	json_object_end(&json);
	json_member_u64(&json, "status", (uint64_t)status);
	json_object_end(&json);
}
