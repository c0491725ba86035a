/* mozilla_status.c -- GET /__version__, /__heartbeat__ and /__lbheartbeat__, as Mozilla's services have
 * them. */
#include "base/json_writer.h"
#include "front/front_internal.h"

void answer_mozilla_version(struct worker *worker, struct request *request, struct reply *reply)
{
	struct json_writer json;

	(void)worker;
	(void)request;
	json_writer_init(&json, reply_json(reply));
	json_object(&json);
	json_member_string(&json, "source", PACKAGE_NAME);
	json_member_string(&json, "version", PACKAGE_VERSION);
	json_object_end(&json);
}

/* No more than that this process answers; /readyz says whether it can work. */
void answer_mozilla_heartbeat(struct worker *worker, struct request *request, struct reply *reply)
{
	(void)worker;
	(void)request;
	(void)reply_json(reply);
	reply->content_type = "application/json; charset=utf-8";
}
