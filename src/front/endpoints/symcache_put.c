/* symcache_put.c -- PUT /vVERSION/NAME/ID[/AGE]: a SymCache file that was made elsewhere. */
#include "base/err.h"
#include "front/front_internal.h"
#include "kinds/wpa_put.h"

void answer_symcache_put(struct worker *worker, struct request *request, struct reply *reply)
{
	const struct upload *upload = request->upload;
	struct err err = ERR_INIT;
	int kept = upload ? wpa_put(worker->front->config, request->rest, upload->path, upload->fd, &err)
			  : err_set(&err, ERR_BAD_REQUEST, "the file is missing");

	if (kept > 0)
		reply_empty(reply, 201);
	else if (kept == 0)
		reply_text(reply, 409, "there is a file of that version already");
	else if (err.kind == ERR_NOT_FOUND)
		reply_empty(reply, 404);
	else
		reply_error(reply, &err);
}
