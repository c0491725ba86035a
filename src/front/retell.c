/* retell.c -- see retell.h. */
#include "front/retell.h"

#include "apikey/apikey.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/log.h"
#include "front/front_internal.h"
#include "work/work.h"

#define WORDS_BYTES 512u

/* What it says already, where that is for people. */
static struct text words_of(const struct reply *reply)
{
	struct text said = buf_text(&reply->body.written);

	if (reply->content_type && text_starts_with(text_of(reply->content_type), "text/") && said.size > 0 &&
	    !reply->body.lent.bytes && reply->body.file < 0)
		return said;
	return reply->status == 503 ? TEXT("it could not be done yet; send it again")
				    : TEXT("something went wrong on our side");
}

void retell_failure(const struct request *request, struct reply *reply)
{
	const struct request_kind *kind = request->route ? request->route->kind : NULL;
	char id[HASH_UUID_TEXT_BYTES], words[WORDS_BYTES];
	struct text said;
	int status = reply->status;

	if (!kind || !kind->failure || status < 400)
		return;
	random_uuid(id);
	said = words_of(reply);
	if (said.size >= sizeof(words))
		said.size = sizeof(words) - 1;
	while (said.size > 0 && !text_is_utf8(said))
		said.size--;
	memcpy(words, said.bytes, said.size);
	said.bytes = words;
	log_message(status >= 500 ? LOG_WARN : LOG_INFO, "refused", request->job_id[0] ? request->job_id : NULL,
		    "%s: status %d, uuid %s: %.*s", kind->name, status, id, (int)said.size, said.bytes);
	kind->failure(status, said, id, reply_json(reply));
	reply->status = status;
}

bool retell_admits(struct worker *worker, const struct request *request, struct reply *reply)
{
	struct apikey_holder holder;
	enum apikey_verdict verdict;
	struct err err = ERR_INIT;

	if (!request->route->kind || !request->route->kind->needs_key)
		return true;
	if (apikey_check(worker->store, request_variable(request, "HTTP_AUTHORIZATION"), clock_unix_seconds(),
			 &verdict, &holder, &err) < 0) {
		reply_error(reply, &err);
		return false;
	}
	if (verdict == APIKEY_VALID) {
		log_message(LOG_DEBUG, "apikey", NULL, "%s: key %s (%s)", request->route->kind->name, holder.id,
			    holder.name);
		return true;
	}
	log_message(LOG_WARN, "apikey", NULL, "%s: %s key %s", request->route->kind->name,
		    apikey_verdict_name(verdict), holder.id);
	reply_text(reply, 401, verdict == APIKEY_MISSING ? "an API key is needed: Authorization: APIKey KEY"
						       : "this API key is not good");
	reply_header(reply, "WWW-Authenticate", "APIKey");
	return false;
}
