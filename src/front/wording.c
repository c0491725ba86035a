/* wording.c -- refusals in the words of the protocol of who asked: those the front makes, and those of
 * jobs that came to no answer. */
#include <stdio.h>
#include <string.h>

#include "front/front_internal.h"
#include "work/work.h"

#define WORDS_BYTES 1024u

/* What is told in plain text is told on; else the status. */
static struct text words_of(const struct reply *reply, char out[WORDS_BYTES])
{
	struct text plain = buf_text(&reply->body.written);

	if (reply->content_type && strncmp(reply->content_type, "text/plain", 10) == 0 &&
	    plain.size > 0 && plain.size < WORDS_BYTES) {
		memcpy(out, plain.bytes, plain.size);
		return (struct text){ out, plain.size };
	}
	snprintf(out, WORDS_BYTES, "%d %s", reply->status, reply_reason(reply->status));
	return text_of(out);
}

void wording_apply(const struct config *config, const struct request *request, struct reply *reply)
{
	const struct request_kind *kind = request->kind;
	char words[WORDS_BYTES];
	struct text said;

	if (!kind || !kind->refuse || reply->status < 400)
		return;
	if ((reply->status == 400 || reply->status == 404) && reply->content_type &&
	    strcmp(reply->content_type, "application/json") == 0)
		return;                      /* its own */
	said = words_of(reply, words);
	reply_body_clear(&reply->body);
	kind->refuse(config, reply->status, said, &reply->body.written);
	reply->content_type = "application/json";
}
