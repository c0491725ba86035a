/* ui_submit.c -- POST /ui/submit: something is dropped. */
#include "front/front_internal.h"
#include "front/ui.h"
#include "front/ui_drop.h"

void answer_ui_submit(struct worker *worker, struct request *request, struct reply *reply)
{
	struct ui_visitor visitor;

	ui_visitor_read(&visitor, worker->front->config, request);
	ui_drop_take(worker, request, &visitor, reply);
}
