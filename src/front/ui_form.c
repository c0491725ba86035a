/* ui_form.c -- see ui_form.h. */
#include "front/ui_form.h"

#include <cjson/cJSON.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "front/front_internal.h"
#include "front/ui.h"
#include "work/request_json.h"

#define FIELDS_BYTES ((size_t)64 * 1024 * 1024)  /* all of them, in memory */

struct text ui_form_field(const struct ui_form *form, const char *name)
{
	const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(form->fields, name));

	return value ? text_trim(text_of(value)) : TEXT("");
}

void ui_form_release(struct ui_form *form)
{
	arena_release(&form->arena);
}

bool ui_form_open(struct ui_form *form, struct worker *worker, const struct request *request,
		  const struct ui_visitor *visitor, const char *action, struct reply *reply)
{
	struct err err = ERR_INIT;

	arena_init(&form->arena, FIELDS_BYTES);
	if (request_json_parse(buf_text(&request->body), &form->arena, &form->fields, &err) < 0) {
		ui_error(request, reply, &err);
	} else if (ui_token_is_good(ui_form_field(form, "token"), worker->front->web_secret, visitor->name, action,
				    clock_unix_seconds())) {
		return true;
	} else {
		log_message(LOG_INFO, "page", NULL, "%s: a form without a token of ours", action);
		ui_words(request, reply, 403, "Too old",
			 "This form was made more than an hour ago, or not by this service, so nothing was "
			 "done. Go back, reload the page and send it again.");
	}
	ui_form_release(form);
	return false;
}
