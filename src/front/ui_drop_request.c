/* ui_drop_request.c -- see ui_drop_request.h. */
#include "front/ui_drop_request.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "front/form.h"
#include "front/ui_form.h"
#include "source/source.h"
#include "stacktext/js_stack.h"

void ui_drop_said_read(struct ui_drop_said *said, const struct ui_form *form, const struct source_list *all)
{
	*said = (struct ui_drop_said){
		.platform = ui_form_field(form, "platform"), .release = ui_form_field(form, "release"),
		.mapping = ui_form_field(form, "mapping"), .sources = ui_form_field(form, "source"), .all = all,
	};
}

/* By name: where they are and what opens them is the configuration's. */
static void write_sources(const struct ui_drop_said *said, struct json_writer *json)
{
	struct text rest = said->sources, line;

	json_array(json);
	while (said->sources.size > 0 && text_take_line(&rest, &line))
		json_text(json, text_trim(line));
	for (size_t i = 0; said->sources.size == 0 && i < said->all->count; i++)
		json_text(json, said->all->sources[i].id);
	json_array_end(json);
}

void ui_drop_fields(const struct ui_drop_said *said, struct buf *out)
{
	struct json_writer json, inner;
	struct buf value;

	buf_init(&value, FORM_FIELD_BYTES);
	json_writer_init(&json, out);
	json_object(&json);
	json_writer_init(&inner, &value);
	write_sources(said, &inner);
	json_member_text(&json, "sources", buf_text(&value));
	if (said->platform.size > 0) {
		buf_clear(&value);
		json_writer_init(&inner, &value);
		json_text(&inner, said->platform);
		json_member_text(&json, "platform", buf_text(&value));
	}
	json_object_end(&json);
	if (value.failed) {
		out->failed = true;
		out->no_memory |= value.no_memory;
	}
	buf_release(&value);
}

static void write_platform(const struct ui_drop_said *said, struct json_writer *json, const char *usual)
{
	json_member_text(json, "platform", said->platform.size > 0 ? said->platform : text_of(usual));
}

int ui_drop_jvm(const struct ui_drop_said *said, struct text text, struct buf *out, struct err *err)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	write_platform(said, &json, "java");
	json_key(&json, "sources");
	write_sources(said, &json);
	json_key(&json, "modules");
	json_array(&json);
	if (said->mapping.size > 0) {
		json_object(&json);
		json_member_string(&json, "type", "proguard");
		json_member_text(&json, "uuid", said->mapping);
		json_object_end(&json);
	}
	json_array_end(&json);
	json_key(&json, "texts");
	json_array(&json);
	json_text(&json, text);
	json_array_end(&json);
	json_object_end(&json);
	return buf_check(out, err);
}

int ui_drop_js(const struct ui_drop_said *said, struct text text, struct buf *out, struct err *err)
{
	struct json_writer json;
	struct buf traces;
	size_t count = 0;
	int rc;

	buf_init(&traces, LIMIT_SYMBOLICATE_BODY_BYTES);
	rc = js_stack_write_frames(text, &traces, &count, err);
	if (rc == 0 && count == 0)
		rc = err_set(err, ERR_BAD_REQUEST, "there is no frame in this text");
	json_writer_init(&json, out);
	json_object(&json);
	write_platform(said, &json, "javascript");
	json_key(&json, "sources");
	write_sources(said, &json);
	if (said->release.size > 0)
		json_member_text(&json, "release", said->release);
	json_key(&json, "options");
	json_object(&json);
	json_member_string(&json, "frame_order", "callee_first");
	json_object_end(&json);
	json_key(&json, "stacktraces");
	json_raw(&json, buf_text(&traces));
	json_object_end(&json);
	buf_release(&traces);
	return rc < 0 ? -1 : buf_check(out, err);
}
